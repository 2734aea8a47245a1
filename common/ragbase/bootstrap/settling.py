"""Waiting for documents to settle, whichever process works on them."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Collection, Iterator
from typing import Generic, TypeVar

from ragbase.domain.document import Document
from ragbase.ports import DocumentStore

Item = TypeVar("Item")

_LOOK_AGAIN = 1.0
"""Seconds after which records are read again although nothing was heard: another process may have done the work."""


class News(Generic[Item]):
    """What the threads of this process tell the one that waits."""

    def __init__(self) -> None:
        self._told: queue.SimpleQueue[Item] = queue.SimpleQueue()

    def tell(self, item: Item) -> None:
        self._told.put(item)

    def hear(self, seconds: float = _LOOK_AGAIN) -> Item | None:
        """The next item; None where nothing is told for that long."""
        try:
            return self._told.get(timeout=seconds)
        except queue.Empty:
            return None


def is_settled(record: Document) -> bool:
    return not record.is_open


class Settling:
    """The documents that somebody waits for. `heard` is what Profile.subscriptions tells of each job."""

    def __init__(self, documents: DocumentStore) -> None:
        self._documents = documents
        self._news = News[str]()
        self._awaited: dict[str, Callable[[Document], bool]] = {}

    def heard(self, document_id: str) -> None:
        self._news.tell(document_id)

    def expect(self, document_id: str, when: Callable[[Document], bool] = is_settled) -> None:
        """Wait for the document until its record is as `when` says."""
        self._awaited[document_id] = when

    def within(self, seconds: float) -> Iterator[Document]:
        """Those that settle in the next seconds, as far as is heard. It takes just that long."""
        end = time.monotonic() + seconds
        while True:
            id = self._news.hear(max(0.0, end - time.monotonic()))
            if id is not None:
                yield from self._look({id} & self._awaited.keys())
            elif time.monotonic() >= end:
                return

    def rest(self) -> Iterator[Document]:
        """All others, each as soon as it has settled."""
        while self._awaited:
            id = self._news.hear()
            yield from self._look(self._awaited.keys() if id is None else {id} & self._awaited.keys())

    def _look(self, ids: Collection[str]) -> Iterator[Document]:
        for record in self._documents.get_many(list(ids)).values() if ids else ():
            if self._awaited[record.id](record):
                del self._awaited[record.id]
                yield record
