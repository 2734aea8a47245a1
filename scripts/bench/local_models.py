"""Compare the models on this machine: speed, memory, size, and how well their cosines alone find and tell.

Prints a line of JSON for each model and collection, of Cranfield and XQuAD in the data folder, and one for each model.
All times are of the processor. `texts_a_second` is for passages of the collection, `long_texts_a_second` for 1,000
characters of them; the models take turns.
`recall_at_1` and `recall_at_5` (nDCG@10 for Cranfield) are those of the cosines alone. `auc` is the share of pairs in
which a question on half of the articles has a nearer passage there than one on the other half.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ragbase.bootstrap.local_models import LOCAL_MODELS, local_embedder
from ragbase.config import load_config
from ragbase.domain.chunk import embedding_text
from ragbase.domain.searched_text import searched_text
from ragbase.ports import Embedder
from ragbase.retrieval.languages.background import embedded
from scripts.bench.corpus import Collection, articles, cranfield, parsed_with_data, xquad
from scripts.bench.isolated import Figures, isolated
from scripts.bench.machine import machine

TIMED = 48
"""Passages of a collection whose speed is measured."""
LONG = 1000
ROUNDS = 3


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/local-models", description=__doc__.splitlines()[0])
    data: Path = parsed_with_data(parser).data
    models = load_config().model_folder
    embedders = {name: local_embedder(name, models) for name in LOCAL_MODELS}
    languages = [file.suffixes[0][1:] for file in sorted((data / "xquad").glob("xquad.*.json"))]
    for name, embedder in embedders.items():
        _print({"embedder": name, "model": embedder.model} | isolated(_cost, name, models))
    for collection in (cranfield(data), *(xquad(data, language) for language in languages)):
        texts = [embedding_text(passage) for split in collection.documents.values() for passage in split]
        joined = " ".join(texts)
        long = [joined[start : start + LONG] for start in range(0, min(len(joined), TIMED * LONG), LONG)]
        paces = [_paces(list(embedders.values()), some) for some in (texts[:TIMED], long)]
        for place, (name, embedder) in enumerate(embedders.items()):
            speed = {"texts_a_second": paces[0][place], "long_texts_a_second": paces[1][place]}
            _print({"embedder": name, "collection": collection.name} | speed | _found(collection, texts, embedder))


def _print(figures: Figures) -> None:
    print(json.dumps({"bench": "local-models"} | figures | {"machine": machine()}), flush=True)


def _cost(name: str, models: Path) -> Figures:
    """In a process of its own: what the model takes."""
    embedder = local_embedder(name, models)
    before = _resident()
    began = time.process_time()
    embedder.load()
    loaded = time.process_time() - began
    questions = [f"What is the name of river number {number}?" for number in range(50)]
    for question in questions:
        embedder.embed_query(question)
    began = time.process_time()
    for question in questions:
        embedder.embed_query(question)
    asked = (time.process_time() - began) / len(questions)
    return {
        "file_mb": round(sum(file.stat().st_size for file in embedder.files().values()) / 1e6),
        "memory_mb": round((_resident() - before) / 1e6),
        "seconds_to_load": round(loaded, 2),
        "ms_a_question": round(1000 * asked, 2),
    }


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def _paces(embedders: Sequence[Embedder], texts: Sequence[str]) -> list[float]:
    rounds = [[_pace(embedder, texts) for embedder in embedders] for _ in range(ROUNDS)]
    return [round(statistics.median(of_one), 1) for of_one in zip(*rounds, strict=True)]


def _pace(embedder: Embedder, texts: Sequence[str]) -> float:
    began = time.process_time()
    embedder.embed_documents(texts)
    return len(texts) / (time.process_time() - began)


def _found(collection: Collection, texts: Sequence[str], embedder: Embedder) -> Figures:
    names = [name for name, split in collection.documents.items() for _ in split]
    passages = np.array(embedded(texts, embedder))
    questions = np.array([embedder.embed_query(searched_text(question)) for question in collection.questions.values()])
    cosines = questions @ passages.T
    order = np.argsort(-cosines, axis=1, kind="stable")
    asked = list(collection.questions)
    right = np.array(
        [
            [names[place] in collection.answers.get(id, ()) for place in best[:10]]
            for id, best in zip(asked, order, strict=True)
        ]
    )
    if not collection.name.startswith("xquad"):
        return {"ndcg_at_10": _ndcg(right, [len(collection.answers.get(id, ())) for id in asked])}
    half = articles(collection, even=True)
    nearest = cosines[:, [name in half.documents for name in names]].max(axis=1)
    is_own = np.array([id in half.questions for id in asked])
    return {
        "recall_at_1": round(float(right[:, 0].mean()), 4),
        "recall_at_5": round(float(right[:, :5].any(axis=1).mean()), 4),
        "auc": round(float((nearest[is_own][:, None] > nearest[~is_own][None, :]).mean()), 4),
    }


def _ndcg(right: npt.NDArray[np.bool_], answers: Sequence[int]) -> float:
    worth = 1 / np.log2(np.arange(2, 12))
    ideal = np.array([worth[: min(count, 10)].sum() for count in answers])
    return round(float(((right * worth).sum(axis=1)[ideal > 0] / ideal[ideal > 0]).mean()), 4)


if __name__ == "__main__":
    main()
