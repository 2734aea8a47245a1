"""What keys and tenants have used of their limits today."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

from ragbase.access.daily_limits import Limited, Limits, tokens_of
from ragbase.access.permits import Permits
from ragbase.domain.errors import TooManyRequests

if TYPE_CHECKING:
    from ragbase.access.caller import Caller
    from ragbase.ports import Checkpoints, Clock

_DAY = timedelta(days=1)
MOST_KNOWN = 4_000
"""Limits that a process keeps in memory. With one more, it forgets the first, and what that had taken in advance is
lost."""


class DailyUse:
    """All processes share the limit of a key, and that of a tenant, which counts what all of its keys use (UTC).

    A process counts a use with few writes (permits.py). So what is shown as used may be ahead of what was used: by as
    much again at first, later by a twentieth of the limit for each process.
    """

    def __init__(self, of_each_tenant: Limits, checkpoints: Callable[[], Checkpoints], clock: Clock) -> None:
        """The limits `of_each_tenant` are the same for all tenants."""
        self._of_each_tenant = of_each_tenant
        self._checkpoints = checkpoints
        self._clock = clock
        self._lock = threading.Lock()
        self._known: dict[tuple[str, int], Permits] = {}

    def look(self, caller: Caller, what: Limited, amount: int = 1) -> None:
        """Raises TooManyRequests if this process knows that so much is not left. It counts nothing."""
        for whose, limit, permits in self._of(caller, what):
            _refuse(permits.look(amount), whose, what, limit)

    def take(self, caller: Caller, what: Limited, amount: int = 1) -> None:
        """Count a use before it is made. Raises TooManyRequests if that is over a limit."""
        limits = list(self._of(caller, what))
        for whose, limit, permits in limits:
            _refuse(permits.look(amount), whose, what, limit)
        for whose, limit, permits in limits:
            _refuse(permits.take(amount), whose, what, limit)

    def charge(self, caller: Caller, what: Limited, amount: int) -> None:
        """Count a use that was made: what it costs was not known before. It may end above the limit."""
        for _, _, permits in self._of(caller, what):
            permits.charge(amount)

    def limits(self, caller: Caller, what: Limited) -> bool:
        """Whether there is such a limit for this caller."""
        return any(True for _ in self._of(caller, what))

    def _of(self, caller: Caller, what: Limited) -> Iterator[tuple[str, int, Permits]]:
        own = dict(caller.limits).get(what)
        if own is not None and caller.key_id is not None:
            yield f"the API key {caller.name}", own, self._permits(_place_of_key(caller.key_id, what), own)
        shared = self._of_each_tenant.get(what)
        if shared is not None and caller.tenant is not None:
            place = _place_of_tenant(caller.tenant, what)
            yield f"the tenant {caller.tenant}", shared, self._permits(place, shared)

    def _permits(self, place: str, limit: int) -> Permits:
        with self._lock:
            known = self._known.get((place, limit))
            if known is None:
                if len(self._known) >= MOST_KNOWN:
                    self._known.pop(next(iter(self._known)))
                known = self._known[place, limit] = Permits(place, limit, _DAY, self._checkpoints, self._clock)
            return known


class CallersTokens:
    """Counts the tokens of one caller's questions and answers."""

    def __init__(self, caller: Caller, use: DailyUse) -> None:
        self._caller = caller
        self._use = use

    def ask(self, question: str) -> None:
        """Count a question before it is embedded. Raises TooManyRequests."""
        self._use.take(self._caller, Limited.TOKENS, tokens_of(question))

    def spend(self, tokens: int) -> None:
        """Count what an answer has cost. It was not known before, so it may end above the limit."""
        self._use.charge(self._caller, Limited.TOKENS, tokens)


def used_today(key_id: str, limits: Limits, checkpoints: Callable[[], Checkpoints], clock: Clock) -> Limits:
    """What was taken of the limits of this key today."""
    return _used({what: _place_of_key(key_id, what) for what in limits}, limits, checkpoints, clock)


def used_of_tenant(tenant: str, limits: Limits, checkpoints: Callable[[], Checkpoints], clock: Clock) -> Limits:
    """What was taken of the limits of this tenant today."""
    return _used({what: _place_of_tenant(tenant, what) for what in limits}, limits, checkpoints, clock)


def forget_use(key_id: str, limits: Limits, checkpoints: Checkpoints) -> None:
    """The key is revoked: remove what was counted."""
    for what in limits:
        checkpoints.save(_place_of_key(key_id, what), None)


def _used(
    places: Mapping[Limited, str], limits: Limits, checkpoints: Callable[[], Checkpoints], clock: Clock
) -> Limits:
    return {what: Permits(places[what], limit, _DAY, checkpoints, clock).taken() for what, limit in limits.items()}


def _place_of_key(key_id: str, what: Limited) -> str:
    return f"access-use-{what}-{key_id}"


def _place_of_tenant(tenant: str, what: Limited) -> str:
    return f"access-use-tenant-{what}-{tenant}"


def _refuse(seconds: int, whose: str, what: Limited, limit: int) -> None:
    if seconds:
        raise TooManyRequests(
            f"This is over the limit of {whose}: {limit:,} {what} a day (UTC). Try again in {seconds} seconds, or ask "
            "the operator for a higher limit.",
            seconds,
        )
