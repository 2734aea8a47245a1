"""The changes of each record, in their order. Threads report a change after its commit, so not always in that order."""

from __future__ import annotations

import threading
from collections.abc import Callable

from ragbase.domain.document import Change, Document

_Position = tuple[str, int, int]
"""The state, the generation and the attempts of a record."""


class InOrder:
    """Passes on the changes that move a record, each record's in their order: the record before it and after it."""

    def __init__(self, show: Callable[[Document | None, Document], None]) -> None:
        self._show = show
        self._lock = threading.Lock()
        self._shown: dict[str, _Position | None] = {}
        self._ahead: list[tuple[Document | None, Document]] = []

    def __call__(self, change: Change) -> None:
        before, after = change.before, change.after
        if after is None or _position(before) == _position(after):
            return
        with self._lock:
            self._ahead.append((before, after))
            while (step := self._next()) is not None:
                self._shown[step[1].id] = _position(step[1])
                self._show(*step)

    def _next(self) -> tuple[Document | None, Document] | None:
        for step in self._ahead:
            before, after = step
            if _position(before) == self._shown.get(after.id):
                self._ahead.remove(step)
                return step
        return None


def state(record: Document) -> str:
    """The status as people see it."""
    return "DELETED" if record.tombstone else record.status.value


def _position(record: Document | None) -> _Position | None:
    return None if record is None else (state(record), record.generation, record.attempts)
