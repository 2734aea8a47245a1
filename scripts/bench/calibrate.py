"""Fit the constants of ragbase.retrieval.calibration for the configured embedder. Prints one line of JSON.

Two logistic regressions find the weights. The one for ranking predicts Cranfield's judgements from the facts about
question and passage. The one for confidence predicts whether a question is about the collection at all, from the facts
about the most confident passage, over all collections in the data folder. The weight of the index's size is not fitted,
because these few collections are of similar size: the constant in use is kept.

For each collection, `in_force` (the constants in use) and `fitted` (the new ones) say which share of the collection's
own questions is answered, and which share of the off-topic questions is refused, at a threshold of 0.5.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.domain.identity import document_id
from ragbase.ports import Candidates, Embedder
from ragbase.retrieval.active_chunks import CANDIDATES
from ragbase.retrieval.calibration import ConfidenceWeights, RankWeights, calibration_of
from ragbase.retrieval.scoring import PRIOR_PASSAGES, Facts, Scorer
from ragbase.text.terms import terms_of
from scripts.bench.corpus import LANGUAGE, Collection, Index, cranfield, data_folder, index, markdown, off_topic
from scripts.bench.machine import machine

Array = npt.NDArray[np.float64]


def main() -> None:
    data = data_folder("scripts/bench/calibrate", "Fit the constants that turn cosines and words into scores.")
    embedder = open_profile(load_config()).embedder
    collections = list(_collections(data))
    indexes = {collection.name: index(collection, embedder) for collection in collections}
    foreign = off_topic()
    in_force = calibration_of(embedder.model)

    rank = _fit_rank(collections[0], indexes[collections[0].name], embedder)
    samples: dict[str, tuple[Array, Array]] = {}
    backgrounds: list[tuple[float, float]] = []
    for collection in collections:
        own = [_best(question, indexes[collection.name], embedder) for question in collection.questions.values()]
        other = [_best(question, indexes[collection.name], embedder) for question in foreign]
        backgrounds += [candidates.background or (0.0, 0.0) for candidates, _ in own]
        samples[collection.name] = (
            np.array([_row(facts, candidates.passages) for candidates, facts in [*own, *other]]),
            np.array([1.0] * len(own) + [0.0] * len(other)),
        )
    features = np.concatenate([rows for rows, _ in samples.values()])
    size = in_force.confidence.passages
    weights = _regress(
        features[:, :3],
        np.concatenate([labels for _, labels in samples.values()]),
        offset=size * features[:, 3],
    )
    mean, sd = np.mean(backgrounds, axis=0)
    fitted = ConfidenceWeights(
        cosine=weights[0],
        coverage=weights[1],
        deviations=weights[2],
        passages=size,
        bias=weights[3],
        mean=float(mean),
        sd=float(sd),
    )
    print(
        json.dumps(
            {
                "bench": "calibrate",
                "embedder": embedder.model,
                "collections": {name: searched.passages for name, searched in indexes.items()},
                "rank": _rounded(asdict(rank)),
                "confidence": _rounded(asdict(fitted)),
                "in_force": {name: _rates(*sample, in_force.confidence) for name, sample in samples.items()},
                "fitted": {name: _rates(*sample, fitted) for name, sample in samples.items()},
                "machine": machine(),
            }
        )
    )


def _collections(data: Path) -> Iterator[Collection]:
    yield cranfield(data)
    for folder, questions in (("prometheus", "prometheus"), ("book", "rust")):
        if (data / "markdown" / folder).is_dir():
            yield markdown(data, folder, questions)


def _fit_rank(collection: Collection, searched: Index, embedder: Embedder) -> RankWeights:
    rows, labels = [], []
    for question, answers in collection.answers.items():
        relevant = {document_id("bench", name) for name in answers}
        candidates, scorer = _candidates(collection.questions[question], searched, embedder)
        for hit in candidates.hits:
            facts = scorer.facts(hit)
            rows.append([facts.cosine, facts.bm25, facts.coverage])
            labels.append(float(hit.chunk.document_id in relevant))
    weights = _regress(np.array(rows), np.array(labels))
    return RankWeights(cosine=weights[0], bm25=weights[1], coverage=weights[2], bias=weights[3])


def _best(question: str, searched: Index, embedder: Embedder) -> tuple[Candidates, Facts]:
    candidates, scorer = _candidates(question, searched, embedder)
    best = max(candidates.hits, key=lambda hit: scorer.score(hit).confidence)
    return candidates, scorer.facts(best)


def _candidates(question: str, searched: Index, embedder: Embedder) -> tuple[Candidates, Scorer]:
    terms = terms_of(question, LANGUAGE)
    candidates = searched.vectors.search(embedder.embed_query(question), terms, CANDIDATES)
    return candidates, Scorer(terms, candidates, calibration_of(embedder.model))


def _row(facts: Facts, passages: int) -> Array:
    return np.array([facts.cosine, facts.coverage, facts.deviations, math.log(passages + PRIOR_PASSAGES)])


def _regress(features: Array, labels: Array, offset: Array | float = 0.0, ridge: float = 1.0) -> list[float]:
    """Fit a logistic regression by Newton's method. Returns the weights and, as the last number, the bias.

    The ridge works on standardised features. It keeps the weights finite when a line separates the two classes.
    """
    mean, sd = features.mean(axis=0), features.std(axis=0)
    rows = np.column_stack([(features - mean) / sd, np.ones(len(features))])
    penalty = ridge * np.diag([1.0] * len(mean) + [0.0])
    share = labels.mean()
    weights = np.zeros(len(mean) + 1)
    weights[-1] = math.log(share / (1 - share)) - np.mean(offset)  # close enough for Newton's method
    for _ in range(50):
        p = 0.5 * (1 + np.tanh((rows @ weights + offset) / 2))
        gradient = rows.T @ (labels - p) - penalty @ weights
        curvature = (rows * (p * (1 - p))[:, None]).T @ rows + penalty
        weights += np.linalg.solve(curvature, gradient)
    slopes = weights[:-1] / sd
    return [*map(float, slopes), float(weights[-1] - slopes @ mean)]


def _rates(features: Array, labels: Array, weights: ConfidenceWeights) -> dict[str, float]:
    slopes = [weights.cosine, weights.coverage, weights.deviations, weights.passages]
    logits = features @ slopes + weights.bias
    return _rounded({"answered": np.mean(logits[labels == 1] >= 0), "refused": np.mean(logits[labels == 0] < 0)})


def _rounded(figures: dict[str, float]) -> dict[str, float]:
    return {name: round(float(figure), 4) for name, figure in figures.items()}


if __name__ == "__main__":
    main()
