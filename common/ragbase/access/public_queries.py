"""Queries of those who are not signed in: limits of rate and of cost."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

from ragbase.access.permits import Permits
from ragbase.domain.errors import TooManyRequests

if TYPE_CHECKING:
    from ragbase.ports import Checkpoints, Clock

MOST_ADDRESSES = 10_000
"""Addresses that a process counts in a minute. The others are under the common limits alone."""

_MINUTE, _DAY = timedelta(minutes=1), timedelta(days=1)


class PublicQueries:
    """All processes share the limits of a minute and of a day (UTC). Each process counts addresses for itself, as a
    write for each address would be a write for each query: with n processes, an address gets at most n times its limit,
    and never more than all addresses together."""

    def __init__(
        self,
        *,
        per_address: int,
        per_minute: int,
        per_day: int,
        checkpoints: Callable[[], Checkpoints],
        clock: Clock,
    ) -> None:
        self._per_address = per_address
        self._minute = Permits("access-public-minute", per_minute, _MINUTE, checkpoints, clock)
        self._day = Permits("access-public-day", per_day, _DAY, checkpoints, clock)
        self._clock = clock
        self._lock = threading.Lock()
        self._counted = -1
        self._addresses = Counter[str]()

    def look(self, address: str) -> None:
        """Raises TooManyRequests if this process knows that a limit is used up. It counts nothing."""
        _refuse(self._day.look(), "day")
        _refuse(self._minute.look(), "minute")
        with self._lock:
            self._check(address)

    def admit(self, address: str) -> None:
        """Count a query. Raises TooManyRequests if a limit is used up."""
        _refuse(self._day.look(), "day")
        self._count(address)
        _refuse(self._minute.take(), "minute")
        _refuse(self._day.take(), "day")  # last: who asks too fast uses nothing up

    def _count(self, address: str) -> None:
        with self._lock:
            self._check(address)
            if address in self._addresses or len(self._addresses) < MOST_ADDRESSES:
                self._addresses[address] += 1

    def _check(self, address: str) -> None:
        minute, second = divmod(int(self._clock.now().timestamp()), 60)
        if minute != self._counted:
            self._counted, self._addresses = minute, Counter()
        if self._addresses[address] >= self._per_address:
            raise TooManyRequests(
                f"There were too many public queries from your address this minute. Try again in {60 - second} "
                "seconds, or sign in.",
                60 - second,
            )


def _refuse(seconds: int, window: str) -> None:
    if seconds:
        raise TooManyRequests(
            f"There were too many public queries this {window}. Try again in {seconds} seconds, or sign in.", seconds
        )
