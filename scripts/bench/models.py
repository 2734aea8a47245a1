"""Does a threshold mean the same for every embedding model? Prints a line of JSON for each model and collection.

The models are MiniLM, multilingual-e5-small, Cohere's API with 1,024 dimensions (the local server, whose vectors are
MiniLM's, under a name that nobody knows), and bge-small, if --bge names its package. The collections are Cranfield,
each language of XQuAD, and half of its articles. `answered` is the share of the collection's own questions that get a
result at the default threshold, `refused` the share of 200 others (or of those about the other half) that get none,
before the model is calibrated and after. The calibration has seen the passages, and none of these questions.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from ragbase.adapters.cohere.embedder import CohereEmbedder
from ragbase.adapters.e5.embedder import e5
from ragbase.adapters.minilm.embedder import minilm
from ragbase.config import load_config
from ragbase.domain.calibration import FittedCalibration
from ragbase.ports import Embedder
from ragbase.retrieval.calibrate import fit_cosines, sample
from ragbase.retrieval.search_one_index import search_one_index
from scripts.bench.bge_small import BgeSmall
from scripts.bench.corpus import LANGUAGE, Index, articles, cranfield, index, off_topic, parsed_with_data, xquad
from scripts.bench.machine import machine
from tests.doubles.cohere_server import cohere_server

TOP_K = 5


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/models", description=__doc__.splitlines()[0])
    parser.add_argument("--bge", type=Path, metavar="JAR", help="the package that scripts/bench/bge_small.py names")
    arguments = parsed_with_data(parser)
    config = load_config()
    with ExitStack() as opened:
        server = opened.enter_context(cohere_server("minilm"))
        cohere = CohereEmbedder("local", model="embed-multilingual-v3.0", dimension=1024, url=server.url)
        opened.callback(cohere.close)
        embedders: list[Embedder] = [minilm(config.model_folder), e5(config.model_folder), cohere]
        if arguments.bge:
            embedders.append(BgeSmall(arguments.bge))
        for embedder in embedders:
            for measured in _measured(arguments.data, embedder, config.similarity_threshold):
                print(json.dumps({"bench": "models", "embedder": embedder.model} | measured | {"machine": machine()}))


def _measured(data: Path, embedder: Embedder, threshold: float) -> Iterator[dict[str, object]]:
    foreign = off_topic()
    languages = [file.suffixes[0][1:] for file in sorted((data / "xquad").glob("xquad.*.json"))]
    whole = [cranfield(data), *(xquad(data, language) for language in languages)]
    halves = [
        (articles(one, even=True), list(articles(one, even=False).questions.values()))
        for one in whole
        if one.name.startswith("xquad")
    ]
    for collection, others in [*((one, foreign) for one in whole), *halves]:
        searched = index(collection, embedder)
        cosines = fit_cosines(embedder, [one.vector for one in sample([searched.vectors])])
        fitted = replace(searched.fitted, cosines=cosines)
        questions = list(collection.questions.values())
        found: dict[str, object] = {"collection": collection.name, "threshold": threshold, "points": cosines.points}
        for name, calibration in (("before", searched.fitted), ("after", fitted)):
            found[name] = {
                "answered": _share(questions, searched, embedder, calibration, threshold),
                "refused": round(1 - _share(others, searched, embedder, calibration, threshold), 4),
            }
        yield found


def _share(
    questions: Sequence[str],
    searched: Index,
    embedder: Embedder,
    fitted: FittedCalibration | None,
    threshold: float,
) -> float:
    """Of the questions that get a result."""
    answered = [
        bool(
            search_one_index(
                question,
                chunks=searched.active,
                embedder=embedder,
                top_k=TOP_K,
                threshold=threshold,
                language=LANGUAGE,
                fitted=fitted,
            )
        )
        for question in questions
    ]
    return round(sum(answered) / len(answered), 4)


if __name__ == "__main__":
    main()
