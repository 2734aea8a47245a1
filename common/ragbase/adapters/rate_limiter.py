"""Keeps the calls of all processes to one service within its rate (domain/rate.py).

Only texts of documents are booked. A query costs no booking: it uses the share of the rate that is kept for queries. If
queries need more than that, the service answers some calls with 429. A query is then tried once more, after a second.
Documents leave the service alone for a while (`refused`), so queries win.

Who finds no room looks again later, after a random time, so that many do not look at the same moment.
"""

from __future__ import annotations

import json
import logging
import math
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ragbase import telemetry
from ragbase.adapters.backoff import RateLimited, Sleep, Unreachable
from ragbase.domain.errors import NoTurn, Unavailable
from ragbase.domain.rate import LONGEST_REFUSAL, WINDOW, RateBook, ServiceRate
from ragbase.ports import Checkpoints, Clock, seconds_left

AHEAD = 15
"""Seconds ahead of the time in which a turn can be booked. The turns of a process that dies are lost."""

LAST_CALL = 10.0
"""Seconds that work should have left after its turn, for the call and for writing the chunks."""

AFTER_REFUSAL = 5.0
"""Seconds without calls after a 429 that names no wait. Cohere's documentation names no Retry-After."""

_PAUSES = (2.0, AHEAD * 0.5)
"""Between two looks for room, in seconds: at most half of AHEAD, so that room is always booked before its time."""

_LOG_INTERVAL = 60.0
"""Seconds between two log entries about waiting."""


class RateLimiter:
    """One service's rate, as this process keeps to it. May be used by several threads at once."""

    def __init__(
        self,
        service: str,
        rate: ServiceRate,
        checkpoints: Callable[[], Checkpoints],
        clock: Clock,
        *,
        sleep: Sleep = time.sleep,
        chance: random.Random | None = None,
    ) -> None:
        """The checkpoints hold the books, and are opened with the first one. `sleep` waits for turns, `chance` chooses
        books and pauses."""
        self.service = service
        self.rate = rate
        self._checkpoints = checkpoints
        self._clock = clock
        self._sleep = sleep
        self._chance = chance or random.Random()  # noqa: S311 - it spreads load, and keeps no secret
        self._logged_at = -math.inf
        self._crowded_until = -math.inf

    @property
    def is_crowded(self) -> bool:
        """Whether half of the rate was booked when this process last booked a turn: calls may have to wait soon."""
        return self._now() < self._crowded_until

    def wait(self, inputs: int) -> None:
        """Return when this many inputs may be sent.

        Raises NoTurn if no turn comes within the time that is left for the work (ports/deadline.py), RateLimited if
        the service wants no calls for a while, and Unreachable if the books cannot be used.
        """
        while True:
            place = self._chance.randrange(self.rate.books)
            turn, closed_until = self._booked(inputs, place)
            now = self._now()
            if turn is not None:
                if turn > now:
                    self._pause(turn - now)
                    closed_until = self._book(place).closed_until
                now = self._now()
                if closed_until <= now:
                    if now >= turn + 1:
                        self._move(inputs, place, turn, int(now))
                    return
            elif closed_until > now + AHEAD:
                raise RateLimited(f"{self.service} refuses calls, so nobody makes any for now.", closed_until - now)
            else:
                pause = self._chance.uniform(*_PAUSES)
                if pause > seconds_left() - LAST_CALL:
                    raise NoTurn(
                        f"{self.service} takes {self.rate.for_documents} texts of documents a minute, and others come "
                        "first."
                    )
                self._pause(pause)

    def refused(self, retry_after: float | None) -> None:
        """The service has answered 429: nobody sends texts of documents for `retry_after` seconds, if it says so."""
        telemetry.log("rate.refused", level=logging.WARNING, service=self.service, retry_after=retry_after)
        until = math.ceil(self._now() + min(AFTER_REFUSAL if retry_after is None else retry_after, LONGEST_REFUSAL))
        for place in range(self.rate.books):
            self._change(place, lambda book: book.closed(until))

    def books(self) -> list[RateBook]:
        """The books as they are now. Raises Unreachable."""
        return [self._book(place) for place in range(self.rate.books)]

    def _booked(self, inputs: int, place: int) -> tuple[int | None, int]:
        """The second for which the inputs are booked now, None if there is no room soon enough; and the second until
        which the service wants no calls."""
        turn: int | None = None

        def change(book: RateBook) -> RateBook:
            nonlocal turn
            now = self._now()
            latest = now + max(0.0, min(AHEAD, seconds_left() - LAST_CALL))
            turn = book.turn(inputs, self.rate.book_limit, first=int(now), last=int(latest))
            return book if turn is None else book.with_turn(turn, inputs, now=int(now))

        book = self._change(place, change)
        if 2 * sum(book.booked.values()) > self.rate.book_limit:
            self._crowded_until = self._now() + WINDOW
        return turn, book.closed_until

    def _move(self, inputs: int, place: int, turn: int, second: int) -> None:
        """Let a process that stood still book when it sends the inputs, so that the others count them there."""
        self._change(place, lambda book: book.without_turn(turn, inputs).with_turn(second, inputs, now=second))

    def _book(self, place: int) -> RateBook:
        with self._reachable():
            return _read(self._checkpoints().load(self._name(place))).as_of(self._now())

    def _change(self, place: int, change: Callable[[RateBook], RateBook]) -> RateBook:
        def changed(text: str | None) -> str | None:
            before = _read(text)
            after = change(before.as_of(self._now()))
            return text if after is before else _text(after)

        with self._reachable():
            return _read(self._checkpoints().update(self._name(place), changed))

    @contextmanager
    def _reachable(self) -> Iterator[None]:
        try:
            yield
        except Unavailable as error:
            raise Unreachable(f"The book of {self.service}'s rate cannot be used: {error}") from error

    def _name(self, place: int) -> str:
        """A high rate has several books."""
        return f"rate-{self.service.lower()}-{place}"

    def _now(self) -> float:
        return self._clock.now().timestamp()

    def _pause(self, seconds: float) -> None:
        now = self._now()
        if now - self._logged_at >= _LOG_INTERVAL:
            self._logged_at = now
            telemetry.log("rate.waiting", service=self.service, seconds=round(seconds, 1))
        self._sleep(seconds)


def _read(text: str | None) -> RateBook:
    if text is None:
        return RateBook()
    fields = json.loads(text)
    return RateBook({int(second): inputs for second, inputs in fields["booked"].items()}, fields["closed_until"])


def _text(book: RateBook) -> str:
    return json.dumps({"booked": dict(book.booked), "closed_until": book.closed_until}, separators=(",", ":"))
