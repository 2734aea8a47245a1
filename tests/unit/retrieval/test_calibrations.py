"""What was fitted for an index is kept beside it, and reaches other processes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from ragbase.domain.calibration import CosineFit, FittedCalibration, LabelFit, OrderFit
from ragbase.domain.index import Index
from ragbase.retrieval.calibrations import KNOWN_FOR, Calibrations
from ragbase.testing.checkpoints import MemoryCheckpoints

INDEX = Index(name="model_1234", model="model", dimension=3, language="english")
FITTED = FittedCalibration(
    model="model",
    fitted_at=datetime(2025, 6, 1, 9, 30, tzinfo=UTC),
    passages=300,
    cosines=CosineFit(
        points=((0.4, 0.0), (0.7, 0.6), (1.0, 1.0)),
        backgrounds=(np.array([0.5, 0.25, 0.0], np.float32), np.array([0.0, 1.0, 0.5], np.float32)),
    ),
    labels=LabelFit(1.1, -0.2, 40, 50),
    chance_levels={"russian": -0.5, "thai": 1.25},
    order=OrderFit(2.0, 0.5, 120, 0.61, 0.64, labelled=True),
)


def test_a_process_that_starts_later_reads_what_was_kept() -> None:
    checkpoints = MemoryCheckpoints()
    Calibrations(lambda: checkpoints).save(INDEX, FITTED)
    found = Calibrations(lambda: checkpoints).of(INDEX)
    assert found is not None and found.cosines is not None and FITTED.cosines is not None
    assert (found.model, found.fitted_at, found.passages, found.labels) == (
        FITTED.model,
        FITTED.fitted_at,
        FITTED.passages,
        FITTED.labels,
    )
    assert found.cosines.points == FITTED.cosines.points
    assert np.array_equal(found.cosines.backgrounds, FITTED.cosines.backgrounds)
    assert found.chance_levels == FITTED.chance_levels
    assert found.order == FITTED.order


def test_what_was_kept_before_chance_was_measured_is_read() -> None:
    checkpoints = MemoryCheckpoints()
    older = (
        '{"model":"model","fitted_at":"2025-06-01T09:30:00Z","passages":300,"points":null,"dimension":0,'
        '"backgrounds":"","labels":{"stretch":1.1,"shift":-0.2,"questions":40,"foreign":50}}'
    )
    checkpoints.save(f"calibration-{INDEX.name}", older)
    found = Calibrations(lambda: checkpoints).of(INDEX)
    assert found is not None and found.chance_levels is None and found.order is None
    assert found.labels == FITTED.labels


def test_labels_without_cosines_are_kept_too() -> None:
    checkpoints = MemoryCheckpoints()
    Calibrations(lambda: checkpoints).save(INDEX, replace(FITTED, cosines=None))
    found = Calibrations(lambda: checkpoints).of(INDEX)
    assert found is not None and found.cosines is None and found.labels == FITTED.labels


def test_another_process_uses_it_after_a_while_and_this_one_at_once() -> None:
    checkpoints, now = MemoryCheckpoints(), [0.0]
    mine, other = Calibrations(lambda: checkpoints), Calibrations(lambda: checkpoints, lambda: now[0])
    assert mine.of(INDEX) is None and other.of(INDEX) is None
    mine.save(INDEX, FITTED)
    assert mine.of(INDEX) is FITTED and other.of(INDEX) is None
    now[0] += KNOWN_FOR + 1
    assert other.of(INDEX) is not None
    mine.forget(INDEX.name)
    assert mine.of(INDEX) is None and Calibrations(lambda: checkpoints).of(INDEX) is None


def test_each_index_has_its_own() -> None:
    checkpoints = MemoryCheckpoints()
    calibrations = Calibrations(lambda: checkpoints)
    calibrations.save(INDEX, FITTED)
    assert calibrations.of(replace(INDEX, name="another")) is None
