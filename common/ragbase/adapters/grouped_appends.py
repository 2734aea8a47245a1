"""What threads append to a log at the same time is written together: they wait for the disk or the service once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from ragbase.domain.audit import AuditEntry, Deed
from ragbase.domain.errors import Unavailable

_MOST = 100
"""Entries that are written together, beside those of the first caller. Firestore takes 500 writes in a batch."""


class GroupedAppends:
    def __init__(self, write: Callable[[Sequence[Deed], bool], Sequence[AuditEntry]]) -> None:
        """`write` adds an entry for each deed, all or none, durably if told so. One thread at a time calls it."""
        self._write = write
        self._waiting: list[_Append] = []
        self._adding = threading.Lock()
        self._writing = threading.Lock()

    def append(self, deeds: Sequence[Deed], *, durable: bool) -> Sequence[AuditEntry]:
        """Raises what the write of the whole group has raised."""
        mine = _Append(deeds, durable=durable)
        with self._adding:
            self._waiting.append(mine)
        with self._writing:  # the first thread writes for all that wait; the others find their work done
            while not mine.is_over:
                self._write_group()
        if mine.error is not None:
            raise mine.error
        return mine.entries

    def _write_group(self) -> None:
        with self._adding:
            group = [self._waiting.pop(0)]
            while self._waiting and sum(len(one.deeds) for one in group) + len(self._waiting[0].deeds) <= _MOST:
                group.append(self._waiting.pop(0))
        deeds = [deed for one in group for deed in one.deeds]
        try:
            entries = self._write(deeds, any(one.durable for one in group)) if deeds else []
        except BaseException as error:
            for one in group:
                one.error = error if len(group) == 1 and isinstance(error, Exception) else Unavailable(str(error))
                one.is_over = True
            if not isinstance(error, Exception):
                raise
            return
        for one in group:
            one.entries, entries = entries[: len(one.deeds)], entries[len(one.deeds) :]
            one.is_over = True


class _Append:
    def __init__(self, deeds: Sequence[Deed], *, durable: bool) -> None:
        self.deeds = deeds
        self.durable = durable
        self.entries: Sequence[AuditEntry] = []
        self.error: Exception | None = None
        self.is_over = False
