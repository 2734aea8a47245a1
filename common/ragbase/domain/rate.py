"""The rate of an embedding service: how many inputs a minute it accepts, and who sends how many of them when.

Everybody who sends documents' texts to the service first books a *turn* in one book: a second in which so many inputs
may be sent. A book never holds more than its limit in any WINDOW. So a quiet service takes a whole minute's inputs at
once, and a busy one no more than its limit, however many processes there are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate
from types import MappingProxyType

WINDOW = 62
"""Seconds in which no more inputs than the limit are booked. One more than a minute because a turn is a whole second,
and another one for what passes between the booking and the arrival of the call, and between the clocks of two
machines."""

LONGEST_REFUSAL = 3_600
"""Seconds for which nobody calls after a refusal, at most, whatever the service says. A book that is closed for longer
was closed before a clock was put back."""

_PER_BOOK = 6_000
"""The most inputs a minute in one book: about one turn a second, with full calls. Firestore lets a record be changed
about once a second for long."""


@dataclass(frozen=True, slots=True)
class ServiceRate:
    """A service accepts `inputs` a minute. The share `for_queries` is never booked, so that a query need not ask."""

    inputs: int
    for_queries: float

    @property
    def for_documents(self) -> int:
        """Inputs a minute, at least one."""
        return max(1, self.inputs - math.ceil(self.inputs * self.for_queries))

    @property
    def books(self) -> int:
        """How many books share a high rate, so that none is changed too often."""
        return math.ceil(self.for_documents / _PER_BOOK)

    @property
    def book_limit(self) -> int:
        """The most inputs in a WINDOW of one book."""
        return self.for_documents // self.books

    def largest_call(self, most: int) -> int:
        """The inputs of one call, at most `most`, so that a whole number of full calls uses up a book's limit."""
        return self.book_limit // math.ceil(self.book_limit / most)

    def calls_a_second(self, inputs: int) -> int:
        """Calls with so many texts of documents, at least one."""
        return max(1, self.for_documents // (60 * inputs))


@dataclass(frozen=True, slots=True)
class RateBook:
    """The inputs booked in each second (since 1970), and the second until which the service wants no call at all."""

    booked: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))
    closed_until: int = 0

    def turn(self, inputs: int, limit: int, *, first: int, last: int) -> int | None:
        """The earliest second from `first` to `last` that has room for this many more inputs; None if none has."""
        first = max(first, self.closed_until)
        if last < first:
            return None
        begin = first - WINDOW + 1
        totals = [0, *accumulate(self.booked.get(second, 0) for second in range(begin, last + WINDOW))]
        windows = [after - before for before, after in zip(totals, totals[WINDOW:], strict=False)]
        # The windows that hold a second are those that begin up to WINDOW - 1 seconds before it.
        rooms = (second for second in range(first, last + 1) if _most(windows, second - first) + inputs <= limit)
        return next(rooms, None)

    def with_turn(self, second: int, inputs: int, *, now: int) -> RateBook:
        """The book with this turn, and without those that no longer count."""
        counting = {key: count for key, count in self.booked.items() if key > now - WINDOW}
        return replace(self, booked={**counting, second: counting.get(second, 0) + inputs})

    def without_turn(self, second: int, inputs: int) -> RateBook:
        """The book after these inputs, which were booked for this second, are not sent in it."""
        return replace(self, booked={**self.booked, second: max(0, self.booked.get(second, 0) - inputs)})

    def as_of(self, now: float) -> RateBook:
        """The book, open again if it is closed for longer than it may be."""
        return replace(self, closed_until=0) if self.closed_until > now + LONGEST_REFUSAL + 1 else self

    def closed(self, until: int) -> RateBook:
        """The book, closed at least until this second."""
        return replace(self, closed_until=until) if until > self.closed_until else self

    def within_a_minute(self, now: int) -> int:
        """The inputs of the last 60 seconds."""
        return sum(count for second, count in self.booked.items() if now - 60 < second <= now)

    def ahead(self, now: int) -> int:
        """The inputs that are booked and not sent yet."""
        return sum(count for second, count in self.booked.items() if second > now)


def _most(windows: list[int], start: int) -> int:
    return max(windows[start : start + WINDOW])
