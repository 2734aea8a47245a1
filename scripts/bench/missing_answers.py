"""Ask the questions of XQuAD with the paragraph that answers and without it, and see which answers are called missing.

Prints one line of JSON for each language. A question is answerable where the evidence has its paragraph, and without
answer where the paragraph is taken out of the index, other passages still reach the threshold, and none of them has the
answer's words. `auc` is the area under the curve of the rule's score between the two. `wrongly_missing` is the share of
answerable questions whose answer is said to be missing, and `missing_told` that of those without answer. The same
figures follow with weights and threshold that are fitted on the other languages alone. The weights in force were fitted
on every second article in English and Vietnamese. Times are those of the rule, in milliseconds.
"""

from __future__ import annotations

import argparse
import itertools
import json
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ragbase.retrieval.context import EvidenceLimits, evidence_of
from ragbase.retrieval.missing_answer import look, missing_answer
from ragbase.retrieval.search_one_index import search_one_index
from scripts.bench.corpus import LANGUAGE, Collection, Index, index, xquad
from scripts.bench.expected_answers import has_words
from scripts.bench.fit_confidence import Array, regress
from scripts.bench.keeping_embedder import KeepingEmbedder
from scripts.bench.machine import machine
from scripts.bench.postings_store import PostingsStore
from scripts.bench.query import percentile

if TYPE_CHECKING:
    from ragbase.ports import Embedder

EVERY = 6
"""One of so many paragraphs is taken out, unless all are."""
TOP, THRESHOLD, TOKENS = 5, 0.5, 2_000
AIM = 0.015
"""The share of answerable questions that a fitted threshold refuses where it is fitted."""


@dataclass(frozen=True)
class Judged:
    """A question with its evidence. `facts` are those that the weights count, and 1."""

    is_there: bool
    facts: tuple[float, float, float]
    score: float
    is_told: bool
    is_untold: bool
    milliseconds: float


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/missing-answers", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="has xquad/ with its files")
    parser.add_argument("--all", action="store_true", help=f"every paragraph, and not one of {EVERY}")
    options = parser.parse_args()
    files = sorted((options.data / "xquad").glob("xquad.*.json"))
    if not files:
        parser.error(
            f"{options.data / 'xquad'} has no file xquad.LANGUAGE.json. Put XQuAD there, or name another folder."
        )
    embedder = KeepingEmbedder(local_embedder())
    judged: dict[str, list[Judged]] = {}
    for file in files:
        language = file.suffixes[0][1:]
        judged[language] = list(_judged(options.data, language, embedder, every=1 if options.all else EVERY))
    for language, own in judged.items():
        others = [one for name, some in judged.items() if name != language for one in some]
        line = {"bench": "missing-answers", "language": language, **_figures(own), **_fitted_elsewhere(own, others)}
        print(json.dumps(line | {"machine": machine()}), flush=True)


def local_embedder() -> Embedder:
    from ragbase import RAGEngine, load_config

    with tempfile.TemporaryDirectory() as home:
        engine = RAGEngine(load_config(environment={}, home=Path(home), embedder="minilm"))
        return engine.profile.embedder


def _judged(data: Path, language: str, embedder: Embedder, *, every: int) -> Iterator[Judged]:
    whole = xquad(data, language)
    expected = _expected(data, language)
    full = index(whole, embedder, PostingsStore)
    for name in itertools.islice(whole.documents, 0, None, every):
        rest = {other: passages for other, passages in whole.documents.items() if other != name}
        less = Collection(whole.name, rest, whole.questions, whole.answers)
        without = index(less, embedder, PostingsStore, full.fitted)
        for id in (id for id, names in whole.answers.items() if names == {name}):
            yield from _of_question(whole.questions[id], name, expected[id], full, embedder, is_there=True)
            yield from _of_question(whole.questions[id], name, expected[id], without, embedder, is_there=False)


def _of_question(
    question: str, name: str, expected: Sequence[str], searched: Index, embedder: Embedder, *, is_there: bool
) -> Iterator[Judged]:
    """Nothing if the question is neither answerable nor without answer."""
    results = search_one_index(
        question,
        chunks=searched.active,
        embedder=embedder,
        top_k=TOP,
        threshold=THRESHOLD,
        language=LANGUAGE,
        fitted=searched.fitted,
    )
    evidence = evidence_of(results, chunks_of=lambda _: searched.active, limits=EvidenceLimits(TOKENS))
    has_paragraph = any(passage.document.name == name for passage in evidence)
    has_answer = any(has_words(passage.text, expected) for passage in evidence)
    if not evidence or (not has_paragraph if is_there else has_answer):
        return
    began = time.perf_counter()
    missing = missing_answer(question, evidence, LANGUAGE)
    took = (time.perf_counter() - began) * 1000
    looked = look(question, evidence, LANGUAGE)
    if looked is not None:
        facts = (looked.covered, looked.confidence, 1.0)
        yield Judged(is_there, facts, looked.score, missing is not None, looked.is_untold, took)


def _expected(data: Path, language: str) -> Mapping[str, Sequence[str]]:
    read = json.loads((data / "xquad" / f"xquad.{language}.json").read_text(encoding="utf-8"))
    asked = (asked for article in read["data"] for paragraph in article["paragraphs"] for asked in paragraph["qas"])
    return {one["id"]: [answer["text"] for answer in one["answers"]] for one in asked}


def _figures(judged: Sequence[Judged]) -> dict[str, float]:
    there, without = _parted(judged)
    return {
        "answerable": len(there),
        "without_answer": len(without),
        "auc": _area([one.score for one in there], [one.score for one in without]),
        "wrongly_missing": round(sum(one.is_told for one in there) / len(there), 3),
        "missing_told": round(sum(one.is_told for one in without) / len(without), 3),
        "p50_ms": percentile([one.milliseconds for one in judged], 50),
    }


def _fitted_elsewhere(own: Sequence[Judged], others: Sequence[Judged]) -> dict[str, float]:
    if not others:
        return {}
    there, without = _parted(own)
    labels = np.array([float(one.is_there) for one in others])
    counts = np.where(labels == 1, 0.5 / labels.mean(), 0.5 / (1 - labels.mean()))
    weights = regress(_facts(others), labels, counts)
    threshold = float(np.quantile(_facts(_parted(others)[0]) @ weights, AIM))

    def told(some: Sequence[Judged]) -> float:
        return round(float(np.mean((_facts(some) @ weights < threshold) | [one.is_untold for one in some])), 3)

    return {
        "auc_fitted_elsewhere": _area(_facts(there) @ weights, _facts(without) @ weights),
        "wrongly_missing_fitted_elsewhere": told(there),
        "missing_told_fitted_elsewhere": told(without),
    }


def _facts(judged: Sequence[Judged]) -> Array:
    return np.array([one.facts for one in judged])


def _parted(judged: Sequence[Judged]) -> tuple[list[Judged], list[Judged]]:
    return [one for one in judged if one.is_there], [one for one in judged if not one.is_there]


def _area(there: Sequence[float] | Array, without: Sequence[float] | Array) -> float:
    """The share of pairs in which the answerable question has the higher score; a tie counts half."""
    higher = np.asarray(there)[:, None] - np.asarray(without)[None, :]
    return round(float(np.mean(higher > 0) + np.mean(higher == 0) / 2), 3)


if __name__ == "__main__":
    main()
