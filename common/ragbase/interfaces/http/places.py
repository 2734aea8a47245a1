"""Which connections are open, and which of them goes when there are too many. A new one always has a place."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence
from enum import IntEnum
from ipaddress import ip_network
from typing import Protocol

CONNECTIONS = 500
"""The most at once. A process may have 1,024 files open on most systems."""

PER_ADDRESS = 100
"""The most connections of strangers from one address."""


class Standing(IntEnum):
    """How much it would harm to close a connection."""

    STRANGER = 0
    """Nobody knows yet who is there, or the last request was a stranger's."""
    RESTING = 1
    """The last request had a known sender, and there is no other one: a client can connect again at any time."""
    KNOWN = 2
    """A known sender sends a body or reads an answer."""
    ANSWERED = 3
    """A request has arrived and is answered soon. There are never many (threads.py), but of health checks, which are
    never refused."""


class Placed(Protocol):
    """A connection that has a place."""

    @property
    def standing(self) -> Standing: ...

    @property
    def holder(self) -> str | None:
        """Who was found to send its last request. None for a stranger."""

    @property
    def address(self) -> str | None:
        """The client's, as limits count it. None as long as it is not known."""

    def close_now(self) -> None:
        """Close it, whatever it does."""


class Places:
    """The open connections. Used by one thread alone.

    Silence costs a client nothing, so nobody keeps a place by being silent. One connection more than there may be
    closes a stranger's: of the address that has the most, the one that is open for longest. If there is none, it closes
    a known sender's in the same way. A flood of health checks loses its oldest, before anybody else.

    Programs of this machine and clients of a proxy that is not trusted share one address, and clients of a trusted one
    do so until their headers are there. Only the common limit holds for those.
    """

    def __init__(self, *, behind_proxies: bool, most: int = CONNECTIONS, per_address: int = PER_ADDRESS) -> None:
        self._behind_proxies = behind_proxies
        self._most = most
        self._per_address = per_address
        self._connections: dict[Placed, None] = {}
        self._has_changed = False
        self.taken = 0
        """Connections so far, also those that have gone."""

    def address_of_peer(self, address: str) -> str | None:
        """Whom a connection is counted for before its headers are there."""
        return None if self._behind_proxies else self.address_of_client(address)

    def address_of_client(self, address: str) -> str | None:
        return None if _is_shared(address) else address

    def take(self, connection: Placed) -> None:
        self._connections[connection] = None
        self._has_changed = True
        self.taken += 1

    def leave(self, connection: Placed) -> None:
        self._connections.pop(connection, None)

    def note_change(self) -> None:
        """It is known now whom a connection is counted for."""
        self._has_changed = True

    def too_many(self) -> Sequence[Placed]:
        """The connections that have to be closed now."""
        if not self._has_changed:
            return ()
        self._has_changed = False
        strangers = [one for one in self._connections if one.standing is Standing.STRANGER]
        going = dict.fromkeys(_beyond(strangers, self._per_address))
        staying = [one for one in self._connections if one not in going]
        count = len(staying) - self._most
        # As many as this can only be health checks. If they stayed, a new connection would go for each of them.
        answered = [one for one in staying if one.standing is Standing.ANSWERED and one.holder is None]
        if len(answered) > self._most // 2:
            going |= dict.fromkeys(_worst(answered, count))
            staying = [one for one in staying if one not in going]
            count = len(staying) - self._most
        return [*going, *_worst(staying, count)]


def _beyond(strangers: Iterable[Placed], most: int) -> list[Placed]:
    """The oldest of each address that has more than it may have."""
    counted = Counter(one.address for one in strangers if one.address is not None)
    going = []
    for one in strangers:
        if one.address is not None and counted[one.address] > most:
            counted[one.address] -= 1
            going.append(one)
    return going


def _worst(connections: Sequence[Placed], count: int) -> list[Placed]:
    """So many, those first whose end does the least harm: of the client that has the most of them, the oldest."""
    going: list[Placed] = []
    for standing in Standing:
        if count <= len(going):
            break
        clients: dict[str | None, deque[Placed]] = {}
        for one in connections:
            if one.standing is standing:
                clients.setdefault(one.holder or one.address, deque()).append(one)
        here = min(count - len(going), sum(map(len, clients.values())))
        going.extend(max(clients.values(), key=len).popleft() for _ in range(here))
    return going


def _is_shared(address: str) -> bool:
    try:
        return ip_network(address).is_loopback
    except ValueError:  # an address that could not be read
        return True
