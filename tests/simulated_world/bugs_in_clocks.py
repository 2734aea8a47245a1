"""Bugs that show only when the clock is put right."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from ragbase.domain import work as work_module
from tests.simulated_world.planted_bug import Patch, bug


@bug(
    "wait-by-the-clock",
    "a document is given up although it has not waited, because the clock was put forward",
    found_by=120,
)
def wait_by_the_clock() -> Sequence[Patch]:
    def wrong(last_look: datetime, now: datetime, most: timedelta) -> timedelta:
        return max(now - last_look, timedelta(0))

    return [(work_module, "passed", wrong)]
