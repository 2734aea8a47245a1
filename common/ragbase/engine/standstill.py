"""A command that waits for the pipeline does not wait for one that stands still."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from ragbase.domain.errors import Unavailable
from ragbase.ports import Changes

FULL_AFTER = 30.0
"""Seconds without a change after which the data folder is asked whether it can be written: the disk may be full."""

LIMIT = 300.0
"""Seconds without a change of any record after which nobody waits any longer. A worker renews its lease every few
seconds, and a document that waits for its next attempt gets it within 75 s."""


class Pipeline(Protocol):
    """What of a profile says whether anything moves."""

    @property
    def changes(self) -> Changes: ...

    def check_storage(self) -> None:
        """Raises Unavailable if nothing can be written now."""
        ...


class Standstill:
    """Whether anything moves. Every record counts, and every process: what is awaited may stand behind others.

    The time is that of `time.monotonic`: no clock that is put right ends the wait, and a machine that sleeps waits for
    nobody meanwhile.
    """

    def __init__(self, pipeline: Pipeline, now: Callable[[], float] = time.monotonic) -> None:
        self._pipeline = pipeline
        self._now = now
        self._last: int | None = None
        self._since = now()

    def check(self, waiting: int) -> None:
        """Call it when a look has found nothing new for some of these documents. Raises Unavailable if nothing has
        moved for too long, with the reason if it is known."""
        number, now = self._pipeline.changes.latest(), self._now()
        if number != self._last:
            self._last, self._since = number, now
            return
        still = now - self._since
        if still >= FULL_AFTER:
            self._pipeline.check_storage()
        if still >= LIMIT:
            raise Unavailable(
                f"No document has changed for {still:.0f} s, and {waiting:,} are not done. They stay where they are: "
                "`ragbase reconcile` says why, and the same command goes on."
            )


class WaitLimit:
    """For how long each of several things has been waited for, by the same time."""

    def __init__(self, seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._now = now
        self._since: dict[object, float] = {}

    def is_over(self, thing: object) -> bool:
        """Whether it is that long ago that this was asked of it for the first time."""
        now = self._now()
        return now - self._since.setdefault(thing, now) >= self._seconds
