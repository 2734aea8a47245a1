"""The newest documents, from whose names completions choose.

A client asks for a completion at each key. On Google Cloud, each record of a listing is a read that is billed
(https://cloud.google.com/firestore/pricing), and the person waits for all of them. So they are read once for a word.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from ragbase.domain.document import Status

if TYPE_CHECKING:
    from ragbase.interfaces.knowledge.knowledge import Knowledge

MOST = 1_000
"""Documents that are looked at."""

KNOWN_FOR = 10.0
"""Seconds for which they are not read again: as long may a completion name a document that is deleted."""


@dataclass(frozen=True, slots=True)
class NamedDocument:
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Newest:
    """COMPLETED documents. `is_all` says that there are no others."""

    documents: Sequence[NamedDocument]
    is_all: bool


class NewestDocuments:
    """Those of one tenant and reach: use it for nobody who sees others. Any thread may use it."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """`now` gives seconds."""
        self._now = now
        self._lock = Lock()
        self._known: tuple[float, Newest] | None = None

    def of(self, knowledge: Knowledge) -> Newest:
        """At most KNOWN_FOR out of date. Who asks while they are read waits for them, instead of reading them again."""
        with self._lock:
            if self._known is None or self._now() - self._known[0] > KNOWN_FOR:
                newest = _read(knowledge)
                self._known = self._now(), newest
            return self._known[1]


def _read(knowledge: Knowledge) -> Newest:
    page = knowledge.list(status=Status.COMPLETED, limit=MOST)
    return Newest(
        documents=tuple(NamedDocument(one.id, one.filename) for one in page.documents), is_all=page.next_cursor is None
    )
