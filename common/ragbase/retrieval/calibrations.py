"""The fitted calibration of each index, kept beside it, so that every process scores with it."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from pydantic import TypeAdapter

from ragbase.domain.calibration import CosineFit, FittedCalibration, LabelFit, OrderFit

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector
    from ragbase.domain.index import Index
    from ragbase.ports import Checkpoints

KNOWN_FOR = 60.0
"""Seconds. A calibration is used by every process after so long; reading it for each question would slow all down."""


class Calibrations:
    """Any thread may use it."""

    def __init__(self, checkpoints: Callable[[], Checkpoints], now: Callable[[], float] = time.monotonic) -> None:
        """`now` gives seconds. Nothing is called before the first use."""
        self._checkpoints = checkpoints
        self._now = now
        self._known: dict[str, tuple[float, FittedCalibration | None]] = {}
        self._lock = Lock()

    def of(self, index: Index) -> FittedCalibration | None:
        """What was fitted for this index, at most KNOWN_FOR out of date; None if nothing was."""
        read_at, known = self._known.get(index.name, (-float("inf"), None))
        if self._now() - read_at <= KNOWN_FOR:
            return known
        with self._lock:
            text = self._checkpoints().load(_name(index.name))
            return self._remember(index.name, _read(text) if text is not None else None)

    def save(self, index: Index, fitted: FittedCalibration) -> None:
        """Keep it with the index, in place of what was there."""
        with self._lock:
            self._checkpoints().save(_name(index.name), _written(fitted))
            self._remember(index.name, fitted)

    def forget(self, index_name: str) -> None:
        """Remove what was fitted for an index that was dropped."""
        with self._lock:
            self._checkpoints().save(_name(index_name), None)
            self._remember(index_name, None)

    def _remember(self, name: str, fitted: FittedCalibration | None) -> FittedCalibration | None:
        self._known[name] = (self._now(), fitted)
        return fitted


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stored:
    """`backgrounds` has the vectors as 16-bit little-endian floats in base64, each of `dimension` numbers."""

    model: str
    fitted_at: datetime
    passages: int
    points: tuple[tuple[float, float], ...] | None
    dimension: int
    backgrounds: str
    labels: LabelFit | None
    chance_levels: dict[str, float] | None = None
    order: OrderFit | None = None


@cache
def _stored() -> TypeAdapter[_Stored]:
    return TypeAdapter(_Stored)


def _name(index_name: str) -> str:
    return f"calibration-{index_name}"


def _written(fitted: FittedCalibration) -> str:
    cosines = fitted.cosines
    vectors = np.array(cosines.backgrounds if cosines is not None else [], "<f2")
    stored = _Stored(
        model=fitted.model,
        fitted_at=fitted.fitted_at,
        passages=fitted.passages,
        points=cosines.points if cosines is not None else None,
        dimension=vectors.shape[-1],
        backgrounds=base64.b64encode(vectors.tobytes()).decode(),
        labels=fitted.labels,
        chance_levels=dict(fitted.chance_levels) if fitted.chance_levels is not None else None,
        order=fitted.order,
    )
    return _stored().dump_json(stored).decode()


def _read(text: str) -> FittedCalibration:
    stored = _stored().validate_json(text)
    cosines = None
    if stored.points is not None:
        cosines = CosineFit(points=stored.points, backgrounds=_vectors(stored))
    return FittedCalibration(
        model=stored.model,
        fitted_at=stored.fitted_at,
        passages=stored.passages,
        cosines=cosines,
        labels=stored.labels,
        chance_levels=stored.chance_levels,
        order=stored.order,
    )


def _vectors(stored: _Stored) -> tuple[Vector, ...]:
    numbers = np.frombuffer(base64.b64decode(stored.backgrounds), "<f2").astype(np.float32)
    return tuple(numbers.reshape(-1, stored.dimension))
