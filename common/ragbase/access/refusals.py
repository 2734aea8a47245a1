"""How many refusals of one address become entries of the audit log. Anybody can have requests refused, without a key:
the log must not be theirs to fill."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

EACH = 20
"""Refusals of one address that have an entry each, in one window. Further ones are counted."""
WINDOW = timedelta(minutes=1)
_MOST_ADDRESSES = 10_000
"""Addresses that are counted apart at once. With one more, the count of the first of them ends early."""


@dataclass(frozen=True, slots=True)
class Uncounted:
    """Refusals of an address that had no entry of their own."""

    address: str
    count: int


class Refusals:
    """Counts in this process. May be used by several threads at once."""

    def __init__(self) -> None:
        self._counts: dict[str, tuple[datetime, int]] = {}
        self._counting = threading.Lock()

    def note(self, address: str, now: datetime) -> tuple[bool, Sequence[Uncounted]]:
        """Whether this refusal has an entry of its own, and the counts that are complete by now."""
        with self._counting:
            complete = self._take(now)
            began, count = self._counts.get(address, (now, 0))
            self._counts[address] = (began, count + 1)
            return count < EACH, complete

    def rest(self) -> Sequence[Uncounted]:
        """All counts, also those of windows that are not over."""
        with self._counting:
            return self._take(None)

    def _take(self, now: datetime | None) -> Sequence[Uncounted]:
        taken = []
        while self._counts:
            address, (began, count) = next(iter(self._counts.items()))
            if now is not None and now - began < WINDOW and len(self._counts) < _MOST_ADDRESSES:
                break
            del self._counts[address]
            if count > EACH:
                taken.append(Uncounted(address, count - EACH))
        return taken
