"""Fit the constants of ragbase.retrieval.calibration for the configured embedder, and judge them on what was left out.
Prints one line of JSON.

The rank is fitted on Cranfield's judgements. The confidence is fitted on Cranfield, the Markdown files, XQuAD and the
question sets of a folder (fit_confidence.py): whether an index answers a question at all. Foreign questions are about
the half of a collection that is missing, or on everyday things.

Each language, and each English collection, is left out in turn. For each, `left_out` says what the weights do that were
fitted without it, and `in_force` what the constants do that search has now: the loss of recall@5 by a threshold of .5,
and the shares of foreign and everyday questions that are refused. `by_set` has the same for each index.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.ports import Embedder, Embeddings
from ragbase.ports.embedder import DelegatingEmbedder
from ragbase.retrieval.active_chunks import CANDIDATES
from ragbase.retrieval.calibration import RankWeights, calibration_of
from ragbase.retrieval.scoring import Scorer
from ragbase.text.terms import terms_of
from scripts.bench.corpus import LANGUAGE, Collection, JudgedBench, cranfield, id_of, index
from scripts.bench.fit_confidence import Sample, fit, judge, recall, regress
from scripts.bench.harness import Figures, rounded
from scripts.bench.judged_sets import evidence_of, set_of_file, sets_of_data, variants

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector

_FIGURES = ("lost", "foreign_refused", "everyday_refused")
_DIFFERS = 0.01
"""Constants differ much if the mean loss, or a mean share that is refused, differs more than this."""


class KeepingEmbedder(DelegatingEmbedder):
    """Embeds each text once: the same passages and questions are in many indexes."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(embedder)
        self._passages: dict[str, Vector] = {}
        self._questions: dict[str, Vector] = {}

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        new = list(dict.fromkeys(text for text in texts if text not in self._passages))
        found = self._embedder.embed_documents(new) if new else Embeddings([])
        self._passages.update(zip(new, found.vectors, strict=True))
        return Embeddings([self._passages[text] for text in texts])

    def embed_query(self, text: str) -> Vector:
        if text not in self._questions:
            self._questions[text] = super().embed_query(text)
        return self._questions[text]


def main() -> None:
    bench = JudgedBench("calibrate", "Fit the constants that turn cosines and words into scores.")
    bench.add_argument(
        "--sets", type=Path, metavar="FOLDER", help="has sets of questions, as scripts/bench/question-sets writes them"
    )
    options = bench.parsed()
    bench.say(measured(options.data, options.sets, KeepingEmbedder(open_profile(load_config()).embedder)))


def measured(data: Path, folder: Path | None, embedder: Embedder) -> Figures:
    sets = [*sets_of_data(data), *(map(set_of_file, sorted(folder.glob("*.json"))) if folder else ())]
    in_force = calibration_of(embedder.model).confidence
    samples = []
    for variant in variants(sets):
        samples.append(Sample.of(evidence_of(variant, embedder)))
        print(variant.judged.collection.name, variant.name, file=sys.stderr, flush=True)
    fitted = fit(samples, in_force)
    names = dict.fromkeys(map(_left_out_as, samples))
    left_out = {name: fit([one for one in samples if _left_out_as(one) != name], in_force) for name in names}
    indexes: list[dict[str, Figures]] = [
        {
            "left_out": judge(one, left_out[_left_out_as(one)]),
            "in_force": judge(one, in_force),
            "fitted": judge(one, fitted),
        }
        for one in samples
    ]
    judged: dict[str, Figures] = {
        name: {"recall_at_5": _mean(recall(one) for one in samples if _left_out_as(one) == name)}
        | _means([one for one, of in zip(indexes, samples, strict=True) if _left_out_as(of) == name])
        for name in names
    }
    means = {by: _over(judged, by) for by in ("left_out", "in_force", "fitted")}
    pairs = [(means["fitted"][name], means["in_force"][name]) for name in _FIGURES]
    return {
        "embedder": embedder.model,
        "rank": rounded(asdict(_fit_rank(cranfield(data), embedder))),
        "confidence": rounded(asdict(fitted)),
        "confidence_in_force": rounded(asdict(in_force)),
        "means": means,
        "differ_much": any(None not in pair and abs(pair[0] - pair[1]) > _DIFFERS for pair in pairs),
        "judged": judged,
        "by_set": [
            {
                "set": one.evidence.variant.judged.collection.name,
                "index": one.evidence.variant.name,
                "recall_at_5": round(recall(one), 4),
                **{by: rounded(figures) for by, figures in of.items()},
            }
            for one, of in zip(samples, indexes, strict=True)
        ],
    }


def _left_out_as(sample: Sample) -> str:
    return sample.evidence.variant.judged.left_out_as


def _means(indexes: Sequence[Mapping[str, Figures]]) -> Figures:
    """Over the indexes of one language or collection."""
    return {by: {name: _mean(of[by][name] for of in indexes) for name in _FIGURES} for by in indexes[0]}


def _over(judged: Mapping[str, Figures], by: str) -> Figures:
    """Means and worst over languages and collections."""
    given: Figures = {}
    for name in _FIGURES:
        known = [value for of in judged.values() if (value := of[by][name]) is not None]
        given[name] = _mean(known)
        given[f"{name}_worst"] = round(max(known) if name == "lost" else min(known), 4) if known else None
    return given


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 4) if known else None


def _fit_rank(collection: Collection, embedder: Embedder) -> RankWeights:
    searched = index(collection, embedder)
    rows, labels = [], []
    for question, answers in collection.answers.items():
        relevant = set(map(id_of, answers))
        query = collection.questions[question]
        terms, vector = terms_of(query, LANGUAGE), embedder.embed_query(query)
        candidates = searched.vectors.search(vector, terms, CANDIDATES)
        scorer = Scorer(terms, candidates, calibration_of(embedder.model))
        for hit in candidates.hits:
            facts = scorer.facts(hit)
            rows.append([facts.cosine, facts.bm25, facts.coverage, 1.0])
            labels.append(float(hit.chunk.document_id in relevant))
    weights = regress(np.array(rows), np.array(labels), np.ones(len(labels)), ridge=1.0)
    return RankWeights(cosine=weights[0], bm25=weights[1], coverage=weights[2], bias=weights[3])


if __name__ == "__main__":
    main()
