"""Fit a model's calibration from an index, so that a threshold means for it what it means for MiniLM.

The weights of the confidence are for MiniLM's cosines. Another model's differ: two texts that have nothing to do with
each other have a cosine of 0 with MiniLM, and of .4 with bge-small. Two places on its scale are measured, and MiniLM's
cosines at the same places are known:

- the background: questions on everyday things (probes.tsv) and the passages of the index, which do not answer them;
- the answers: the same questions, each with the passage that answers it.

A text has the cosine 1 with itself in every model. Between these three places the scale is straight. No labels are
needed. With labels, the evidence of the strongest passage of each labelled question is fitted, too.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ragbase.domain.calibration import CosineFit, FittedCalibration, LabelFit
from ragbase.domain.errors import BadDataset, ConfigurationError
from ragbase.retrieval.languages.background import embedded, language_means

if TYPE_CHECKING:
    from datetime import datetime

    from ragbase.domain.chunk import EmbeddedChunk, Vector
    from ragbase.ports import Embedder, OpenIndex, VectorStore

SAMPLE = 300
"""Passages of an index that are looked at. The mean of their cosines with all questions changes little with more."""

_PROBES = Path(__file__).with_name("probes.tsv")

_REFERENCE_BACKGROUND = 0.003
"""MiniLM's mean cosine of the questions and the passages of an index: .011 (XQuAD in English), -.001 (Cranfield), -.005
(the Prometheus documentation), .011 (the Rust book)."""
_REFERENCE_UNRELATED = 0.042
"""MiniLM's mean cosine of the questions and the answers to questions on other subjects."""
_REFERENCE_ANSWERS = 0.585
"""MiniLM's mean cosine of the questions and their answers."""
_LEAST_DIFFERENCE = 0.05
"""Between the means of answers and background. A model with less cannot tell answers."""

_OWN_WEIGHT = 3.0
"""An own question that is refused is as bad as three foreign ones that are answered, as in the fit for MiniLM."""
_STRETCH_SPREAD, _SHIFT_SPREAD = 0.25, 2.0
"""How far a stretch from 1 and a shift from 0 are likely: with few labels, little changes."""
_LEAST_STRETCH = 0.1
_SURE = 30.0
"""Logits. More evidence says no more; without any passage, it is endless."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A question of ours, and a passage that answers it. Those of the same subject are on similar things."""

    subject: str
    question: str
    answer: str


def probes() -> list[Probe]:
    return [Probe(*line.split("\t")) for line in _PROBES.read_text(encoding="utf-8").splitlines()]


def sample(partitions: Sequence[VectorStore], size: int = SAMPLE) -> list[EmbeddedChunk]:
    """About `size` passages of an index. Chunk ids are hashes, so the first ones by id are any."""
    each = math.ceil(size / max(len(partitions), 1))
    return [one for vectors in partitions[:size] for one in _sample(vectors, each)]


def _sample(vectors: VectorStore, size: int) -> Iterator[EmbeddedChunk]:
    held = sorted(vectors.scan(limit=size), key=lambda one: (one.document_id, one.generation))
    for (document, generation), chunks in itertools.groupby(held, lambda one: (one.document_id, one.generation)):
        ids = {one.id for one in chunks}
        yield from (one for one in vectors.read(document, generation) if one.chunk.id in ids)


def fit_cosines(embedder: Embedder, passages: Sequence[Vector]) -> CosineFit:
    """How the model's cosines compare with MiniLM's, by these passages of an index.

    Where there are few, the answers to questions on other subjects stand in for them. Raises ConfigurationError if the
    model does not tell answers from other passages.
    """
    asked = probes()
    questions = np.array([embedder.embed_query(one.question) for one in asked])
    answers = np.array(embedded([one.answer for one in asked], embedder))
    cosines = questions @ answers.T
    subjects = np.array([one.subject for one in asked])
    unrelated = float(cosines[subjects[:, None] != subjects[None, :]].mean())
    right = float(cosines.diagonal().mean())
    mean = float((questions @ np.array(passages).T).mean()) if len(passages) else unrelated
    own = len(passages) / (len(passages) + len(asked))
    background = own * mean + (1 - own) * unrelated
    if right - background < _LEAST_DIFFERENCE:
        raise ConfigurationError(
            f"The model {embedder.model} cannot be calibrated: it puts a question as near to any passage (mean cosine "
            f"{background:.2f}) as to its answer ({right:.2f}). Choose another embedding model."
        )
    reference = own * _REFERENCE_BACKGROUND + (1 - own) * _REFERENCE_UNRELATED
    return CosineFit(
        points=((background, reference), (right, _REFERENCE_ANSWERS), (max(1.0, right + 1e-6), 1.0)),
        backgrounds=tuple(language_means(embedder).astype(np.float32)),
    )


def fit_index(index: OpenIndex, now: datetime) -> FittedCalibration:
    """The fit of an index without labels, from a sample of its passages. Raises as fit_cosines."""
    passages = sample([index.vectors(tenant) for tenant in index.tenants()])
    cosines = fit_cosines(index.embedder, [one.vector for one in passages])
    return FittedCalibration(model=index.index.model, fitted_at=now, passages=len(passages), cosines=cosines)


def fit_labels(own: Sequence[float], foreign: Sequence[float]) -> LabelFit:
    """By the evidence (in logits) of the strongest passage for each question that has an answer, and for each that has
    none: a logistic regression, held near no change by how far one is likely.

    Raises BadDataset if the foreign questions have more evidence than the others: the labels contradict the documents.
    """
    evidence = np.clip([*own, *foreign], -_SURE, _SURE)
    labels = np.array([1.0] * len(own) + [0.0] * len(foreign))
    weight = np.where(labels == 1, _OWN_WEIGHT, 1.0)
    rows = np.column_stack([evidence, np.ones(len(evidence))])
    signed = rows * np.where(labels == 1, 1.0, -1.0)[:, None]
    usual, precision = np.array([1.0, 0.0]), np.diag([_STRETCH_SPREAD**-2, _SHIFT_SPREAD**-2])
    fitted: npt.NDArray[np.float64] = usual

    def loss(weights: npt.NDArray[np.float64]) -> float:
        apart = weights - usual
        return float(weight @ np.logaddexp(0, -signed @ weights) + apart @ precision @ apart / 2)

    for _ in range(50):  # Newton's method; a step that goes too far is halved
        p = 0.5 * (1 + np.tanh(rows @ fitted / 2))
        gradient = rows.T @ (weight * (labels - p)) - precision @ (fitted - usual)
        curvature = (rows * (weight * p * (1 - p))[:, None]).T @ rows + precision
        step = np.linalg.solve(curvature, gradient)
        while loss(fitted + step) > loss(fitted) + 1e-9:
            step = step / 2
        fitted = fitted + step
    if fitted[0] < _LEAST_STRETCH:
        raise BadDataset(
            "The labels contradict the documents: questions without an answer find more evidence in them than those "
            "with one. See which with: ragbase eval FILE"
        )
    return LabelFit(float(fitted[0]), float(fitted[1]), len(own), len(foreign))
