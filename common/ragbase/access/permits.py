"""A limit that all processes share: so many requests in each minute, or so many bytes in each day.

A process takes permits from a common book, several at once, and uses them one by one. So most requests write nothing.
Never are more requests allowed in a minute (or day) than the limit. Fewer may be: a process that got permits may not
need them, and the others do without. Beyond what it needs, it gets at most as many as the window has had until then, a
twentieth of the limit, and a tenth of what is left: so the first and the last permits are given one by one. Minutes
begin with the clock's: within 60 seconds across their border, there may be twice the limit.
"""

from __future__ import annotations

import math
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

    def grant(self, limit: int, needed: int = 1) -> int:
        """How many permits a process gets now that needs so many; 0 if there are too few."""
        left = max(0, limit - self.taken)
        return max(needed, min(limit // 20, left // 10, self.taken)) if left >= needed else 0


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
        self._refused = math.inf
        """The fewest permits that there were not: there will not be as many before the next window."""

    def look(self, amount: int = 1) -> int:
        """The seconds until there are new permits, if this process knows that there are not so many; otherwise 0."""
        with self._lock:
            _, second = self._now()
            return self._seconds - second if amount > self._left and amount >= self._refused else 0

    def take(self, amount: int = 1) -> int:
        """Use so many permits: 0. Or, if there are fewer, use none: the seconds until there are new ones."""
        with self._lock:
            window, second = self._now()
            if amount > self._left and amount < self._refused:
                self._left += self._granted(window, amount - self._left)
            if amount > self._left:
                self._refused = min(self._refused, amount)
                return self._seconds - second
            self._left -= amount
            return 0

    def charge(self, amount: int) -> None:
        """Use so many permits, whether there are as many or not: it turned out later what something has cost."""
        with self._lock:
            window, _ = self._now()
            owed = amount - self._left
            self._left = max(0, -owed)
            if owed > 0:
                self._update(window, lambda book: owed)

    def taken(self) -> int:
        """How many permits of this window all processes have taken, some of them in advance. It reads the book."""
        window, _ = self._now()
        text = self._checkpoints().load(self._name)
        book = None if text is None else _book().validate_json(text)
        return book.taken if book is not None and book.window >= window else 0

    def _now(self) -> tuple[int, int]:
        """The window, and the second in it. Permits of another window are worth nothing."""
        window, second = divmod(int(self._clock.now().timestamp()), self._seconds)
        if window != self._window:
            self._window, self._left, self._refused = window, 0, math.inf
        return window, second

    def _granted(self, window: int, needed: int) -> int:
        return self._update(window, lambda book: book.grant(self._limit, needed))

    def _update(self, window: int, granted: Callable[[PermitBook], int]) -> int:
        """Take as many permits as `granted` says from the book of this window. Returns how many."""
        taken = 0

        def change(text: str | None) -> str | None:
            nonlocal taken
            book = None if text is None else _book().validate_json(text)
            if book is None or book.window < window:
                book = PermitBook(window, 0)
            taken = granted(book)
            return _book().dump_json(PermitBook(book.window, book.taken + taken)).decode() if taken else text

        self._checkpoints().update(self._name, change)
        return taken


@cache
def _book() -> TypeAdapter[PermitBook]:
    return TypeAdapter(PermitBook)
