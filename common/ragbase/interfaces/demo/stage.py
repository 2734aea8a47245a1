"""The pipeline in a data folder. Every change of a record is shown once it is durable."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from ragbase.bootstrap.embedded import EmbeddedProfile
from ragbase.bootstrap.once import once
from ragbase.domain.document import Change, Document, Status
from ragbase.domain.errors import TransientError
from ragbase.domain.identity import document_id
from ragbase.domain.question import Question
from ragbase.engine.search import search
from ragbase.interfaces.demo.in_order import InOrder, state
from ragbase.interfaces.demo.observed_store import ObservedStore
from ragbase.ports import DocumentStore, StoredObject
from ragbase.retrieval.search_result import SearchResult
from ragbase.settings import Config

_PATIENCE = 120.0
"""Seconds that one act of the demo may take. It needs one or two once the model is loaded."""


class _ObservedProfile(EmbeddedProfile):
    """Calls `observe` with each change of a record, once it is durable."""

    def __init__(self, config: Config, observe: Callable[[Change], None]) -> None:
        super().__init__(config)
        self._observe = observe

    @once
    def documents(self) -> DocumentStore:
        return ObservedStore(
            super().documents, lambda change: self._database.after_commit(partial(self._observe, change))
        )


class Stage:
    """Puts objects into the bucket and deletes them. `act` waits until the pipeline has updated the index."""

    def __init__(self, config: Config, say: Callable[[str], None]) -> None:
        self.profile = _ObservedProfile(config, InOrder(self._show))
        self._say = say
        self._moved = threading.Condition()
        self._began = time.monotonic()
        self._awaited: dict[str, tuple[int, bool]] = {}

    def put(self, name: str, data: bytes) -> None:
        self._await(self.profile.bucket.put(name, data), deleted=False)

    def delete(self, name: str) -> None:
        removed = self.profile.bucket.delete(name)
        if removed is not None:
            self._await(removed, deleted=True)

    @contextmanager
    def act(self) -> Iterator[None]:
        """Leaving it waits until everything that was put or deleted inside is settled."""
        self._began = time.monotonic()
        self._awaited.clear()
        yield
        with self._moved:
            if not self._moved.wait_for(self._is_settled, timeout=_PATIENCE):
                raise TransientError(f"The documents did not settle within {_PATIENCE:.0f} s. Run `ragbase doctor`.")

    def record(self, name: str) -> Document:
        record = self.profile.documents.get(document_id(self.profile.bucket.name, name))
        if record is None:
            raise KeyError(name)
        return record

    def search(self, query: str) -> list[SearchResult]:
        return search(Question(query), self.profile)

    def _await(self, object: StoredObject, *, deleted: bool) -> None:
        """A deletion and the write before it have the same generation: only the tombstone differs."""
        self._awaited[document_id(object.bucket, object.name)] = (object.generation, deleted)

    def _is_settled(self) -> bool:
        records = self.profile.documents.get_many(list(self._awaited))
        reached = {id: (record.generation, record.tombstone) for id, record in records.items() if not record.needs_work}
        return reached == self._awaited

    def _show(self, before: Document | None, after: Document) -> None:
        """Called by the router's and the lanes' threads."""
        with self._moved:
            seconds = time.monotonic() - self._began
            self._say(f"  {seconds:5.2f} s  {state(after):<10}  {after.name:<32}  {_detail(before, after)}")
            self._moved.notify_all()


def _detail(before: Document | None, after: Document) -> str:
    lane = f"{after.lane} lane" if after.lane else "no lane"
    if after.tombstone:
        return "router: search no longer shows it"
    if after.status is Status.PENDING:
        return f"router: to the {lane}"
    if after.status is Status.PROCESSING:
        return f"{lane}: attempt {after.attempts}"
    if after.active is None:
        return after.failure.reason if after.failure else ""
    embedded = after.usage.embedded_texts - (before.usage.embedded_texts if before else 0)
    return f"{lane}: {embedded} of {after.active.chunk_count} chunks embedded"
