"""The audit log: entries that are added and never changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ragbase.domain.audit import AuditEntry, Deed


@dataclass(frozen=True, slots=True)
class EntryPlace:
    """An entry's place in the list of all, newest first by `at`."""

    at: str
    chain: str
    number: int


class AuditLog(Protocol):
    """Chains of entries. Nothing changes or removes an entry. Many threads and processes may add at once."""

    @property
    def can_append(self) -> bool:
        """False if this process may only read the log."""
        ...

    def append(self, deeds: Sequence[Deed], *, durable: bool = True) -> Sequence[AuditEntry]:
        """Add an entry for each, one after the other in one chain: all or none. After an error of the service, it may
        be all.

        When it returns, a process that is killed loses none of them. If `durable`, neither does a power failure.
        """
        ...

    def chains(self) -> Sequence[str]:
        """All that have entries. Where there may be several, REGISTRY comes first, also without any."""
        ...

    def chain(self, id: str, *, after: int = 0, limit: int) -> Sequence[AuditEntry]:
        """At most `limit` entries of the chain, from the first whose number is above `after`. They are as they are
        kept: nothing is checked."""
        ...

    def newest(self, *, before: AuditEntry | EntryPlace | None = None, limit: int) -> Sequence[AuditEntry]:
        """At most `limit` entries of all chains, newest first by what they say, after the page that ends with
        `before`. Nothing is checked."""
        ...
