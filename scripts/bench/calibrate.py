"""Fit the constants of ragbase.retrieval.calibration for the configured embedder. Prints one line of JSON.

Two logistic regressions find the weights. The one for ranking predicts Cranfield's judgements from the facts about
question and passage. The one for confidence predicts whether a question is about the collection at all, from the facts
about the strongest passage, over all collections in the data folder. The two weights of the query's background are not
fitted, because these collections are all in English: the constants in use are kept.

For each collection, `in_force` (the constants in use) and `fitted` (the new ones) say which share of the collection's
own questions is answered, and which share of the off-topic questions is refused, at a threshold of 0.5.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.domain.identity import document_id
from ragbase.ports import Candidates, Embedder
from ragbase.retrieval.active_chunks import CANDIDATES
from ragbase.retrieval.calibration import ConfidenceWeights, RankWeights, calibration_of
from ragbase.retrieval.languages.background import background_of
from ragbase.retrieval.scoring import Scorer
from ragbase.text.terms import terms_of
from scripts.bench.corpus import LANGUAGE, Collection, Index, cranfield, index, markdown, off_topic, parsed_with_data
from scripts.bench.machine import machine

Array = npt.NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="scripts/bench/calibrate", description="Fit the constants that turn cosines and words into scores."
    )
    data: Path = parsed_with_data(parser).data
    embedder = open_profile(load_config()).embedder
    collections = list(_collections(data))
    indexes = {collection.name: index(collection, embedder) for collection in collections}
    foreign = off_topic()
    in_force = calibration_of(embedder.model)

    rank = _fit_rank(collections[0], indexes[collections[0].name], embedder)
    samples: dict[str, tuple[Array, Array]] = {}
    for collection in collections:
        own = [_best(question, indexes[collection.name], embedder) for question in collection.questions.values()]
        other = [_best(question, indexes[collection.name], embedder) for question in foreign]
        samples[collection.name] = (
            np.array([*own, *other]),
            np.array([1.0] * len(own) + [0.0] * len(other)),
        )
    features = np.concatenate([rows for rows, _ in samples.values()])
    kept = in_force.confidence
    cosine, background = features[:, 0], features[:, 2]
    weights = _regress(
        features[:, :2],
        np.concatenate([labels for _, labels in samples.values()]),
        offset=kept.background * background + kept.cosine_background * cosine * background,
    )
    fitted = replace(kept, cosine=weights[0], coverage=weights[1], bias=weights[2])
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


def _best(question: str, searched: Index, embedder: Embedder) -> Array:
    """The facts that decide the confidence of the strongest passage, in the order of `_rates`."""
    candidates, scorer = _candidates(question, searched, embedder)
    best = scorer.facts(max(candidates.hits, key=lambda hit: scorer.score(hit).confidence))
    return np.array([best.cosine, best.close_coverage, _background(question, embedder)])


def _candidates(question: str, searched: Index, embedder: Embedder) -> tuple[Candidates, Scorer]:
    terms = terms_of(question, LANGUAGE)
    candidates = searched.vectors.search(embedder.embed_query(question), terms, CANDIDATES)
    return candidates, Scorer(terms, candidates, calibration_of(embedder.model), _background(question, embedder))


def _background(question: str, embedder: Embedder) -> float:
    return background_of(embedder.embed_query(question), calibration_of(embedder.model).languages)


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
    cosine, background = features[:, 0], features[:, 2]
    logits = features @ [weights.cosine, weights.coverage, weights.background] + weights.bias
    logits += weights.cosine_background * cosine * background
    return _rounded({"answered": np.mean(logits[labels == 1] >= 0), "refused": np.mean(logits[labels == 0] < 0)})


def _rounded(figures: dict[str, float]) -> dict[str, float]:
    return {name: round(float(figure), 4) for name, figure in figures.items()}


if __name__ == "__main__":
    main()
