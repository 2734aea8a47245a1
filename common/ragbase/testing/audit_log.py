"""An audit log in a list."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from ragbase.domain.audit import BEGINNING, AuditEntry, Deed
from ragbase.ports import EntryPlace

CHAIN = "main"


class MemoryAuditLog:
    """Implements the AuditLog port. An `error` is raised in place of each append."""

    def __init__(self) -> None:
        self.entries: list[AuditEntry] = []
        self.error: Exception | None = None
        self._appending = threading.Lock()

    @property
    def can_append(self) -> bool:
        return True

    def append(self, deeds: Sequence[Deed], *, durable: bool = True) -> Sequence[AuditEntry]:
        with self._appending:
            if self.error is not None:
                raise self.error
            begin = len(self.entries)
            for deed in deeds:
                previous = self.entries[-1].hash if self.entries else BEGINNING
                number = len(self.entries) + 1
                self.entries.append(AuditEntry.after(previous, deed, chain=CHAIN, number=number))
            return self.entries[begin:]

    def chains(self) -> Sequence[str]:
        return (CHAIN,)

    def chain(self, id: str, *, after: int = 0, limit: int) -> Sequence[AuditEntry]:
        return [entry for entry in self.entries if entry.chain == id and entry.number > after][:limit]

    def newest(self, *, before: AuditEntry | EntryPlace | None = None, limit: int) -> Sequence[AuditEntry]:
        newest = sorted(self.entries, key=_place, reverse=True)
        return [entry for entry in newest if before is None or _place(entry) < _place(before)][:limit]


def _place(entry: AuditEntry | EntryPlace) -> tuple[str, str, int]:
    return entry.at, entry.chain, entry.number
