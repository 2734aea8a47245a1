"""Calibrate the current index without being asked: the scale of a model that has no constants of its own, and what
chance gives to questions in the languages of the passages."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Event, Thread
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.bootstrap.profile import Profile
from ragbase.domain.errors import ConfigurationError, RagbaseError
from ragbase.retrieval.calibration import known_calibration

if TYPE_CHECKING:
    from ragbase.domain.calibration import FittedCalibration
    from ragbase.domain.index import Index
    from ragbase.ports import Checkpoints, Clock, OpenIndex
    from ragbase.retrieval.calibrations import Calibrations

AGAIN = timedelta(minutes=10)
"""The shortest time between two attempts, whichever process makes them. It is also how long one process is left alone
with it."""
_GROWTH = 2
"""How many times as many passages as before make another fit worth its cost. From the first one to SAMPLE, that is nine
times at most."""
_LEAST = 10
"""Fewer passages say nothing about chance."""
_LOOK = 60.0
"""Seconds between two looks of a process that runs for long."""


def calibrate_when_due(profile: Profile) -> FittedCalibration | None:
    """Fit the current index if nothing was fitted for it, or nothing about chance, or if it has many more passages than
    when that was done; what was fitted with labels stays. Returns what was fitted now. Nothing is fitted where
    functions run the lanes: embeddings have a price there, and somebody asks for it (`ragbase calibrate`).

    An attempt embeds some 230 short texts and up to 240 of the index, or with a model that has constants of its own 12
    questions in each language.
    Processes that call this at once make one attempt. One that fails is logged, and raises nothing.
    """
    if not profile.runs_lanes:
        return None
    try:
        index = profile.current_index.get()
        if index is None or not _is_due(index, profile.calibrations):
            return None
        if not _claim(index.index, profile.checkpoints, profile.clock, worker=profile.worker_name):
            return None
        from ragbase.engine.calibrate import calibrate

        return calibrate(profile, reorders=False)
    except ConfigurationError as error:
        telemetry.log("index.uncalibrated", str(error), level=logging.WARNING)
    except RagbaseError as error:
        telemetry.log("index.calibration_postponed", str(error), level=logging.WARNING)
    return None


@contextmanager
def calibrating_when_due(profile: Profile) -> Iterator[None]:
    """While the context is entered, look every minute, in a thread of its own."""
    stopping = Event()

    def look() -> None:
        while not stopping.wait(_LOOK):
            calibrate_when_due(profile)

    thread = Thread(target=look, name="calibration", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join()


def _is_due(index: OpenIndex, calibrations: Calibrations) -> bool:
    known = known_calibration(index.index.model)
    if known is not None and not known.confidence.chance:
        return False
    from ragbase.retrieval.calibrate import SAMPLE, sample

    fitted = calibrations.of(index.index)
    if fitted is not None and fitted.labels is not None:
        return False
    is_whole = fitted is not None and fitted.chance_levels is not None
    if fitted is not None and is_whole and fitted.passages >= SAMPLE:
        return False
    before = fitted.passages if fitted is not None and is_whole else 0
    now = len(sample([index.vectors(tenant) for tenant in index.tenants()]))
    return now >= min(SAMPLE, max(1 if known is None else _LEAST, _GROWTH * before))


def _claim(index: Index, checkpoints: Checkpoints, clock: Clock, *, worker: str) -> bool:
    """Whether this process may make the next attempt."""
    now = clock.now()
    mine = f"{now.isoformat()} {worker}"

    def take(text: str | None) -> str:
        if text is not None and datetime.fromisoformat(text.partition(" ")[0]) + AGAIN > now:
            return text
        return mine

    return checkpoints.update(f"calibrating-{index.name}", take) == mine
