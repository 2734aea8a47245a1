"""A calibrated model gives the confidence that MiniLM gives, whatever the scale of its cosines."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.adapters.local_model.embedder import LocalEmbedder
from ragbase.adapters.minilm.embedder import minilm
from ragbase.domain.calibration import CalibrationOrigin, FittedCalibration, LabelFit
from ragbase.domain.errors import BadDataset, ConfigurationError
from ragbase.ports import Embeddings
from ragbase.retrieval.calibrate import fit_cosines, fit_labels, probes, sample
from ragbase.retrieval.calibration import (
    MINILM,
    UNKNOWN,
    CosineScale,
    calibration_of,
    origin_of,
)
from ragbase.retrieval.search_one_index import search_one_index
from tests.models import model_folder
from tests.unit.retrieval.indexed import Indexed

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector

TEXTS = {
    "oulu": "The harbour of Oulu is nine metres deep, and ships with grain and timber call there in summer.",
    "leave": "Everyone may take twenty-five days of paid leave a year, and asks for them two weeks before.",
    "backup": "The nightly backup of the database starts at half past two and is kept on another continent.",
    "pump": "The pump of the mill is oiled in spring, and its valve is replaced every second year.",
    "tax": "A company with a turnover below twenty thousand pays no tax on its sales, and sends no return.",
}
OWN = ["How deep is the port of Oulu?", "When is the database saved?", "How many days off do I get?"]
FOREIGN = ["Who painted the Mona Lisa?", "What do koalas eat?", "How do I tune a guitar?"]


@cache
def model() -> LocalEmbedder:
    return minilm(model_folder("minilm"))


@cache
def vector_of(text: str) -> Vector:
    return model().embed_query(text)


class Raised:
    """MiniLM with every cosine raised: (1 - `by`) · cos + `by`, as models have it that find all texts rather alike."""

    model, dimension, max_batch, at_a_time = "raised", 385, 64, 1

    def __init__(self, by: float) -> None:
        self._by = by

    def embed_query(self, text: str) -> Vector:
        return self.embed_documents([text]).vectors[0]

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        return Embeddings(
            [
                np.append(math.sqrt(1 - self._by) * vector_of(text), math.sqrt(self._by)).astype(np.float32)
                for text in texts
            ]
        )


class Indifferent(Raised):
    """Puts every text at the same place."""

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        return Embeddings([np.eye(1, self.dimension, dtype=np.float32)[0] for _ in texts])


def indexed(embedder: Raised) -> Indexed:
    found = Indexed(embedder=embedder)
    for name, text in TEXTS.items():
        found.put(name, text)
    return found


def fitted(of: Indexed, embedder: Raised) -> FittedCalibration:
    vectors = [one.vector for one in sample([of.vectors])]
    cosines = fit_cosines(embedder, vectors)
    return FittedCalibration(model=embedder.model, fitted_at=datetime.now(UTC), passages=len(vectors), cosines=cosines)


@pytest.fixture(scope="module")
def raised() -> Raised:
    return Raised(0.6)


def confidence(question: str, of: Indexed, embedder: Raised, calibration: FittedCalibration | None) -> float:
    found = search_one_index(
        question,
        chunks=of.chunks,
        embedder=embedder,
        top_k=5,
        threshold=0.0,
        language="english",
        fitted=calibration,
    )
    return max(one.confidence for one in found)


@pytest.mark.slow
def test_the_threshold_means_for_a_calibrated_model_what_it_means_for_minilm(raised: Raised) -> None:
    plain = Raised(0.0)
    minilm, other = indexed(plain), indexed(raised)
    reference, calibration = fitted(minilm, plain), fitted(other, raised)
    assert all(confidence(one, other, raised, None) >= 0.5 for one in FOREIGN)  # a guess
    for question in OWN:
        wanted = confidence(question, minilm, plain, reference)
        assert confidence(question, other, raised, calibration) == pytest.approx(wanted, abs=0.02)
        assert wanted >= 0.5
    assert all(confidence(one, other, raised, calibration) < 0.5 for one in FOREIGN)


@pytest.mark.slow
def test_minilm_itself_has_about_the_scale_that_it_has() -> None:
    plain = Raised(0.0)
    scale = CosineScale(fitted(indexed(plain), plain).cosines.points)  # type: ignore[union-attr]  # it was fitted
    assert [scale(one / 10) for one in range(11)] == pytest.approx([one / 10 for one in range(11)], abs=0.02)


@pytest.mark.slow
def test_without_a_passage_the_questions_of_other_subjects_are_the_background(raised: Raised) -> None:
    (background, reference), (answers, _), _ = fit_cosines(raised, []).points
    assert background == pytest.approx(0.4 * reference + 0.6, abs=0.01)
    assert answers > background


def test_a_model_that_does_not_tell_answers_cannot_be_calibrated() -> None:
    with pytest.raises(ConfigurationError, match="cannot be calibrated"):
        fit_cosines(Indifferent(0.0), [])


def test_a_sample_is_of_all_partitions(raised: Raised) -> None:
    one, other = indexed(raised), indexed(raised)
    assert len(sample([one.vectors, other.vectors])) == 2 * len(TEXTS)
    assert len(sample([one.vectors, other.vectors], size=4)) == 4
    assert sample([]) == []


def test_each_probe_has_a_question_and_an_answer() -> None:
    found = probes()
    assert len({one.question for one in found}) == len({one.answer for one in found}) == len(found)
    assert all(one.question.endswith("?") and one.subject for one in found)


@given(st.floats(-1, 1), st.floats(0.0001, 1))
def test_a_scale_keeps_the_order_of_cosines(cosine: float, more: float) -> None:
    scale = CosineScale(((0.4, 0.0), (0.7, 0.6), (1.0, 1.0)))
    assert scale(cosine) < scale(cosine + more)
    assert CosineScale()(cosine) == cosine


@pytest.mark.parametrize(("cosine", "reference"), [(0.4, 0.0), (0.55, 0.3), (0.7, 0.6), (0.85, 0.8), (0.25, -0.3)])
def test_a_scale_is_straight_between_its_points_and_before_them(cosine: float, reference: float) -> None:
    assert CosineScale(((0.4, 0.0), (0.7, 0.6), (1.0, 1.0)))(cosine) == pytest.approx(reference)


def test_labels_move_the_threshold_between_the_questions() -> None:
    """A model whose evidence is too strong would answer every question."""
    own, foreign = [5.0, 6.0, 7.0] * 20, [1.0, 1.5, 2.0] * 20
    found = fit_labels(own, foreign)
    assert found.stretch * 2.0 + found.shift < 0 < found.stretch * 5.0 + found.shift
    assert (found.questions, found.foreign) == (60, 60)


def test_few_labels_that_are_right_already_change_little() -> None:
    found = fit_labels([6.0, 8.0], [-7.0])
    assert found.stretch == pytest.approx(1, abs=0.1)
    assert found.shift == pytest.approx(0, abs=0.3)


def test_labels_that_contradict_the_documents_are_refused() -> None:
    with pytest.raises(BadDataset, match="contradict"):
        fit_labels([-5.0, -6.0] * 30, [5.0, 6.0] * 30)


def test_labels_change_the_evidence_as_they_say() -> None:
    now = datetime.now(UTC)
    labelled = FittedCalibration(model="minilm", fitted_at=now, passages=0, labels=LabelFit(2.0, -1.0, 5, 5))
    calibration = calibration_of("all-MiniLM-L6-v2", labelled)
    assert calibration.confidence.cosine == 2 * MINILM.confidence.cosine
    assert calibration.confidence.bias == 2 * MINILM.confidence.bias - 1
    assert calibration.rank == MINILM.rank


def test_what_was_fitted_counts_for_a_model_without_constants_of_its_own_only(raised: Raised) -> None:
    found = FittedCalibration(model="raised", fitted_at=datetime.now(UTC), passages=0, cosines=fit_cosines(raised, []))
    assert calibration_of("all-MiniLM-L6-v2", found) is MINILM
    assert origin_of("all-MiniLM-L6-v2", found) is CalibrationOrigin.KNOWN
    assert calibration_of("raised", found).scale.points
    assert origin_of("raised", found) is CalibrationOrigin.FITTED
    assert origin_of("raised", replace(found, labels=LabelFit(1.0, 0.0, 1, 1))) is CalibrationOrigin.LABELLED
    assert calibration_of("raised") is UNKNOWN
    assert origin_of("raised", None) is CalibrationOrigin.MISSING


def test_a_model_that_nobody_calibrated_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "ragbase"):
        for _ in range(2):
            calibration_of("a model that no other test has")
    assert [record.message for record in caplog.records] == ["model.uncalibrated"]
