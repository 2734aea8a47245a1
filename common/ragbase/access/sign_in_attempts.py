"""How often the password may be tried: five times in a quarter of an hour from one address, and a hundred times from
all addresses that have never signed in.

Somebody who tries from many addresses can use up the second limit. Then nobody signs in from a new address for a while.
Where somebody has signed in within the last 30 days, only attempts from there count. Tokens and API keys need none.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from ragbase.domain.errors import TooManyRequests

if TYPE_CHECKING:
    from ragbase.ports import Checkpoints, Clock

WINDOW = timedelta(minutes=15).total_seconds()
"""Seconds in which attempts are counted."""

PER_ADDRESS = 5
IN_TOTAL = 100
"""Attempts in a WINDOW. 100 are at most 9,600 guesses a day."""

KNOWN_FOR = timedelta(days=30).total_seconds()
"""Seconds for which an address is known after a sign-in."""

MOST_KNOWN = 50
"""Addresses. The one that signed in longest ago is forgotten first."""

_NAME = "access-attempts"


@dataclass(frozen=True, slots=True)
class AttemptBook:
    """The times (in seconds since 1970) of the attempts from each address that have not led to a sign-in, and of the
    last sign-in from each known address. It holds at most IN_TOTAL + MOST_KNOWN * PER_ADDRESS attempts."""

    failed: Mapping[str, tuple[float, ...]] = field(default_factory=lambda: MappingProxyType({}))
    known: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))

    def wait(self, address: str, now: float) -> float:
        """Seconds until the password may be tried from there; 0 for now."""
        current = self._at(now)
        own = current.failed.get(address, ())
        waits = [_until_room(own, PER_ADDRESS, now)]
        if address not in current.known:
            strangers = [times for other, times in current.failed.items() if other not in current.known]
            waits.append(_until_room([time for times in strangers for time in times], IN_TOTAL, now))
        return max(waits)

    def with_attempt(self, address: str, now: float) -> AttemptBook:
        current = self._at(now)
        times = (*current.failed.get(address, ()), now)
        return replace(current, failed={**current.failed, address: times})

    def with_sign_in(self, address: str, now: float) -> AttemptBook:
        """The attempts from there were all meant well."""
        current = self._at(now)
        failed = {other: times for other, times in current.failed.items() if other != address}
        latest = sorted({**current.known, address: now}.items(), key=lambda one: one[1])[-MOST_KNOWN:]
        return AttemptBook(failed, dict(latest))

    def _at(self, now: float) -> AttemptBook:
        """The book without what no longer counts."""
        failed = {
            address: tuple(time for time in times if time > now - WINDOW) for address, times in self.failed.items()
        }
        known = {address: time for address, time in self.known.items() if time > now - KNOWN_FOR}
        return AttemptBook({address: times for address, times in failed.items() if times}, known)


class SignInAttempts:
    """The book of all processes. It outlives them."""

    def __init__(self, checkpoints: Callable[[], Checkpoints], clock: Clock) -> None:
        self._checkpoints = checkpoints
        self._clock = clock

    def look(self, address: str) -> None:
        """Raises TooManyRequests if no attempt is left. It writes nothing: under attack, most requests end here."""
        self._refuse(_read(self._checkpoints().load(_NAME)), address, self._now())

    def begin(self, address: str) -> None:
        """Count an attempt before the password is looked at, so that attempts at the same moment count, too.

        Raises TooManyRequests if no attempt is left.
        """
        now = self._now()

        def change(text: str | None) -> str:
            book = _read(text)
            self._refuse(book, address, now)
            return _text(book.with_attempt(address, now))

        self._checkpoints().update(_NAME, change)

    def succeeded(self, address: str) -> None:
        now = self._now()
        self._checkpoints().update(_NAME, lambda text: _text(_read(text).with_sign_in(address, now)))

    def _refuse(self, book: AttemptBook, address: str, now: float) -> None:
        seconds = math.ceil(book.wait(address, now))
        if seconds:
            raise TooManyRequests(
                f"The password was tried too often. Try again in {seconds} seconds. Tokens and API keys go on working.",
                seconds,
            )

    def _now(self) -> float:
        return self._clock.now().timestamp()


def _until_room(times: list[float] | tuple[float, ...], limit: int, now: float) -> float:
    """Seconds until fewer than `limit` of these times count."""
    if len(times) < limit:
        return 0.0
    return min(sorted(times)[-limit] + WINDOW - now, WINDOW)  # a clock may have gone back


@cache
def _book() -> TypeAdapter[AttemptBook]:
    return TypeAdapter(AttemptBook)


def _read(text: str | None) -> AttemptBook:
    return AttemptBook() if text is None else _book().validate_json(text)


def _text(book: AttemptBook) -> str:
    return _book().dump_json(AttemptBook(dict(book.failed), dict(book.known))).decode()
