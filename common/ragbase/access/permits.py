"""A limit that all processes share: so many requests in each minute, or in each day.

A process takes permits from a common book, several at once, and uses them one by one. So most requests write nothing.
Never are more requests allowed in a minute (or day) than the limit. Fewer may be: a process that got permits may not
need them, and the others do without. It gets at most a twentieth of the limit at once, and at most a tenth of what is
left, so the last permits are given one by one. Minutes begin with the clock's: within 60 seconds across their border,
there may be twice the limit.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

if TYPE_CHECKING:
    from ragbase.ports import Checkpoints, Clock


@dataclass(frozen=True, slots=True)
class PermitBook:
    """How many permits were taken in a window of time.

    `window` counts windows since 1970. A process whose clock is ahead may have begun it early.
    """

    window: int
    taken: int

    def grant(self, limit: int) -> int:
        """How many permits a process gets now."""
        left = max(0, limit - self.taken)
        return min(left, max(1, min(limit // 20, left // 10)))


class Permits:
    """One limit, as this process keeps to it. May be used by several threads at once."""

    def __init__(
        self, name: str, limit: int, window: timedelta, checkpoints: Callable[[], Checkpoints], clock: Clock
    ) -> None:
        self._name = name
        self._limit = limit
        self._seconds = int(window.total_seconds())
        self._checkpoints = checkpoints
        self._clock = clock
        self._lock = threading.Lock()
        self._window = -1
        self._left = 0
        self._used_up = False

    def look(self) -> int:
        """The seconds until there are new permits, if this process knows that there are none; otherwise 0."""
        with self._lock:
            _, second = self._now()
            return self._seconds - second if self._used_up and not self._left else 0

    def take(self) -> int:
        """Use one permit: 0. Or, if there is none, the seconds until there are new ones."""
        with self._lock:
            window, second = self._now()
            if not self._left and not self._used_up:
                self._left = self._granted(window)
                self._used_up = not self._left
            if not self._left:
                return self._seconds - second
            self._left -= 1
            return 0

    def _now(self) -> tuple[int, int]:
        """The window, and the second in it. Permits of another window are worth nothing."""
        window, second = divmod(int(self._clock.now().timestamp()), self._seconds)
        if window != self._window:
            self._window, self._left, self._used_up = window, 0, False
        return window, second

    def _granted(self, window: int) -> int:
        granted = 0

        def change(text: str | None) -> str | None:
            nonlocal granted
            book = None if text is None else _book().validate_json(text)
            if book is None or book.window < window:
                book = PermitBook(window, 0)
            granted = book.grant(self._limit)
            return _book().dump_json(PermitBook(book.window, book.taken + granted)).decode() if granted else text

        self._checkpoints().update(self._name, change)
        return granted


@cache
def _book() -> TypeAdapter[PermitBook]:
    return TypeAdapter(PermitBook)
