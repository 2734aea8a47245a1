"""What does it gain to fit the order to an index? Prints a line of JSON for Cranfield and each language of XQuAD.

`usual` has nDCG@10 and recall@5 of the candidates in the order of the constants. `sentences` has the same after
`ragbase calibrate`, which has seen none of the questions, and the factors that it found; null if the constants stayed.
`labels` has those after a fit to four fifths of the questions, judged on the last one, for each fifth.
RAGBASE_EMBEDDER chooses the embedder; --bge measures bge-small instead.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.domain.calibration import OrderFit
from ragbase.domain.chunk import Chunk
from ragbase.domain.identity import document_id
from ragbase.ports import Embedder
from ragbase.retrieval.calibrate import fit_cosines, sample
from ragbase.retrieval.calibration import RankWeights, calibration_of, known_calibration
from ragbase.retrieval.fit_order import RankedQuestion, fit_order
from ragbase.retrieval.order_questions import OrderQuestions, Partition
from ragbase.retrieval.scoring import HEADED
from scripts.bench.bge_small import BgeSmall
from scripts.bench.corpus import LANGUAGE, Collection, cranfield, index, parsed_with_data, xquad
from scripts.bench.machine import machine
from scripts.bench.postings_store import PostingsStore

DEPTH, RECALL_DEPTH = 10, 5
FOLDS = 5


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/order", description=__doc__.splitlines()[0])
    parser.add_argument("--bge", type=Path, metavar="JAR", help="the package that scripts/bench/bge_small.py names")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these collections: cranfield, xquad.ru")
    options = parsed_with_data(parser)
    embedder: Embedder = BgeSmall(options.bge) if options.bge else open_profile(load_config()).embedder
    for collection in _collections(options.data):
        if not options.only or collection.name in options.only:
            line = {"bench": "order", "embedder": embedder.model, "collection": collection.name}
            print(json.dumps(line | _measured(collection, embedder) | {"machine": machine()}), flush=True)


def _collections(data: Path) -> Iterator[Collection]:
    yield cranfield(data)
    for file in sorted((data / "xquad").glob("xquad.*.json")):
        yield xquad(data, file.suffixes[0][1:])


@dataclass(frozen=True)
class _Judged:
    """A question, and how many passages answer it, found or not."""

    asked: RankedQuestion
    right: int

    def ndcg(self, weights: npt.NDArray[np.float64]) -> float:
        found = int(self.asked.answers.sum())
        return self.asked.ndcg(weights) * _ideal(found) / _ideal(self.right)

    def is_found(self, weights: npt.NDArray[np.float64]) -> bool:
        order = np.argsort(-(self.asked.facts @ weights), kind="stable")
        return bool(self.asked.answers[order[:RECALL_DEPTH]].any())


def _ideal(right: int) -> float:
    return float((1 / np.log2(np.arange(min(right, DEPTH)) + 2)).sum())


def _measured(collection: Collection, embedder: Embedder) -> dict[str, object]:
    searched = index(collection, embedder, PostingsStore)
    fitted = searched.fitted
    if known_calibration(embedder.model) is None:
        fitted = replace(fitted, cosines=fit_cosines(embedder, [one.vector for one in sample([searched.vectors])]))
    asks = OrderQuestions([Partition(searched.vectors, searched.active)], embedder, LANGUAGE, fitted)
    judged = []
    for question, names in collection.answers.items():
        wanted = frozenset(document_id("bench", name) for name in names)
        asked = asks.labelled(collection.questions[question], partial(_is_of, wanted))
        judged.append(_Judged(asked, len(wanted)))
    rank = calibration_of(embedder.model, fitted).rank
    by_sentences = fit_order(list(asks.sentences()), rank)
    folds = []
    for fold in range(FOLDS):
        others = [one.asked for place, one in enumerate(judged) if place % FOLDS != fold]
        folds.append((judged[fold::FOLDS], fit_order(others, rank, labelled=True)))
    return {
        "usual": _figures([(judged, None)], rank),
        "sentences": _figures([(judged, by_sentences)], rank) if by_sentences is not None else None,
        "labels": _figures(folds, rank),
        "factors": _factors(by_sentences),
        "factors_by_labels": [_factors(order) for _, order in folds],
    }


def _is_of(documents: frozenset[str], chunk: Chunk) -> bool:
    return chunk.document_id in documents


def _factors(order: OrderFit | None) -> tuple[float, float] | None:
    return (order.cosine, order.coverage) if order is not None else None


def _figures(parts: Sequence[tuple[Sequence[_Judged], OrderFit | None]], rank: RankWeights) -> dict[str, float]:
    gains, found = [], []
    for judged, order in parts:
        cosine, coverage = _factors(order) or (1.0, 1.0)
        weights = np.array([cosine * rank.cosine, rank.bm25, coverage * rank.coverage, HEADED])
        gains += [one.ndcg(weights) for one in judged]
        found += [one.is_found(weights) for one in judged]
    return {"ndcg_at_10": round(float(np.mean(gains)), 4), "recall_at_5": round(float(np.mean(found)), 4)}


if __name__ == "__main__":
    main()
