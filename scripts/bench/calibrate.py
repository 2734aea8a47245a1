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

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.domain.identity import document_id
from ragbase.ports import Embedder
from ragbase.retrieval.active_chunks import CANDIDATES
from ragbase.retrieval.calibration import RankWeights, calibration_of
from ragbase.retrieval.scoring import Scorer
from ragbase.text.terms import terms_of
from scripts.bench.corpus import LANGUAGE, Collection, cranfield, index, parsed_with_data
from scripts.bench.evidence import evidence_of
from scripts.bench.fit_confidence import Sample, fit, judge, recall, regress
from scripts.bench.judged_sets import set_of_file, sets_of_data, variants
from scripts.bench.keeping_embedder import KeepingEmbedder
from scripts.bench.machine import machine
from scripts.bench.postings_store import PostingsStore

Figures = dict[str, float | None]

_FIGURES = ("lost", "foreign_refused", "everyday_refused")
_DIFFERS = 0.01
"""Constants differ much if the mean loss, or a mean share that is refused, differs more than this."""


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="scripts/bench/calibrate", description="Fit the constants that turn cosines and words into scores."
    )
    parser.add_argument(
        "--sets", type=Path, metavar="FOLDER", help="has sets of questions, as scripts/bench/question-sets writes them"
    )
    options = parsed_with_data(parser)
    print(json.dumps(measured(options.data, options.sets, KeepingEmbedder(open_profile(load_config()).embedder))))


def measured(data: Path, folder: Path | None, embedder: Embedder) -> dict[str, object]:
    sets = [*sets_of_data(data), *(map(set_of_file, sorted(folder.glob("*.json"))) if folder else ())]
    in_force = calibration_of(embedder.model).confidence
    samples = []
    for variant in variants(sets):
        samples.append(Sample.of(evidence_of(variant, embedder)))
        print(variant.judged.collection.name, variant.name, file=sys.stderr, flush=True)
    fitted = fit(samples, in_force)
    left_out = {
        name: fit([one for one in samples if _left_out_as(one) != name], in_force)
        for name in dict.fromkeys(map(_left_out_as, samples))
    }
    indexes = [
        {
            "left_out": judge(one, left_out[_left_out_as(one)]),
            "in_force": judge(one, in_force),
            "fitted": judge(one, fitted),
        }
        for one in samples
    ]
    judged = {
        name: {"recall_at_5": _mean(recall(one) for one in samples if _left_out_as(one) == name)}
        | _means([one for one, of in zip(indexes, samples, strict=True) if _left_out_as(of) == name])
        for name in left_out
    }
    means = {by: _over(judged, by) for by in ("left_out", "in_force", "fitted")}
    return {
        "bench": "calibrate",
        "embedder": embedder.model,
        "rank": _rounded(asdict(_fit_rank(cranfield(data), embedder))),
        "confidence": _rounded(asdict(fitted)),
        "confidence_in_force": _rounded(asdict(in_force)),
        "means": means,
        "differ_much": _differ(means["fitted"], means["in_force"]),
        "judged": judged,
        "by_set": [
            {
                "set": one.evidence.variant.judged.collection.name,
                "index": one.evidence.variant.name,
                "recall_at_5": round(recall(one), 4),
            }
            | {by: _rounded(figures) for by, figures in of.items()}
            for one, of in zip(samples, indexes, strict=True)
        ],
        "machine": machine(),
    }


def _left_out_as(sample: Sample) -> str:
    return sample.evidence.variant.judged.left_out_as


def _means(indexes: Sequence[Mapping[str, Figures]]) -> dict[str, object]:
    """Over the indexes of one language or collection."""
    return {
        by: {name: _mean(of[by][name] for of in indexes) for name in _FIGURES}
        for by in ("left_out", "in_force", "fitted")
    }


def _over(judged: Mapping[str, Mapping[str, object]], by: str) -> dict[str, float | None]:
    """Means and worst over languages and collections."""
    figures: list[Figures] = [of[by] for of in judged.values()]  # type: ignore[misc]
    given: dict[str, float | None] = {}
    for name in _FIGURES:
        known = [value for of in figures if (value := of[name]) is not None]
        given[name] = _mean(known)
        given[f"{name}_worst"] = round(max(known) if name == "lost" else min(known), 4) if known else None
    return given


def _differ(fitted: Mapping[str, float | None], in_force: Mapping[str, float | None]) -> bool:
    return any(
        one is not None and other is not None and abs(one - other) > _DIFFERS
        for one, other in ((fitted[name], in_force[name]) for name in _FIGURES)
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(sum(known) / len(known), 4) if known else None


def _fit_rank(collection: Collection, embedder: Embedder) -> RankWeights:
    searched = index(collection, embedder, PostingsStore)
    rows, labels = [], []
    for question, answers in collection.answers.items():
        relevant = {document_id("bench", name) for name in answers}
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


def _rounded(figures: Mapping[str, float | None]) -> dict[str, float | None]:
    return {name: None if figure is None else round(float(figure), 4) for name, figure in figures.items()}


if __name__ == "__main__":
    main()
