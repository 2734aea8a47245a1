"""The pipeline at work in a data folder, with every change of a record shown as it becomes durable."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ragbase.bootstrap import Profile
from ragbase.domain.document import Change, Document, Status
from ragbase.domain.errors import TransientError
from ragbase.domain.identity import document_id
from ragbase.interfaces.demo.observed_store import ObservedStore
from ragbase.ports import StoredObject
from ragbase.retrieval.search import SearchResult

_PATIENCE = 120.0
"""Seconds that the pipeline may take for one act of the demo; it needs one or two once the model is loaded."""


class Stage:
    """Objects go into the bucket and leave it; `settled` waits until the pipeline has brought the index in step."""

    def __init__(self, profile: Profile, say: Callable[[str], None]) -> None:
        self._profile = profile
        self._say = say
        self._moved = threading.Condition()
        self._began = time.monotonic()
        self._awaited: dict[str, tuple[int, bool]] = {}
        vars(profile)["documents"] = ObservedStore(profile.documents, self._show)  # before anything has used it

    def put(self, name: str, data: bytes) -> None:
        self._await(self._profile.bucket.put(name, data), deleted=False)

    def delete(self, name: str) -> None:
        removed = self._profile.bucket.delete(name)
        if removed is not None:
            self._await(removed, deleted=True)

    @contextmanager
    def act(self) -> Iterator[None]:
        """Everything put and deleted inside is settled when it is left."""
        self._began = time.monotonic()
        self._awaited.clear()
        yield
        with self._moved:
            if not self._moved.wait_for(self._is_settled, timeout=_PATIENCE):
                raise TransientError(f"The documents have not settled within {_PATIENCE:.0f} s. Try `ragbase doctor`.")

    def record(self, name: str) -> Document:
        record = self._profile.documents.get(document_id(self._profile.bucket.name, name))
        if record is None:
            raise KeyError(name)
        return record

    def search(self, query: str) -> list[SearchResult]:
        config = self._profile.config
        return self._profile.search(query, top_k=config.top_k, threshold=config.similarity_threshold)

    def _await(self, object: StoredObject, *, deleted: bool) -> None:
        """A deletion and the write before it have the same generation: the tombstone tells them apart."""
        self._awaited[document_id(object.bucket, object.name)] = (object.generation, deleted)

    def _is_settled(self) -> bool:
        records = self._profile.documents.get_many(list(self._awaited))
        reached = {id: (record.generation, record.tombstone) for id, record in records.items() if not record.is_open}
        return reached == self._awaited

    def _show(self, change: Change) -> None:
        """Called by the router's and the lanes' threads."""
        before, after = change.before, change.after
        if after is None or (before is not None and _position(before) == _position(after)):
            return
        with self._moved:
            seconds = time.monotonic() - self._began
            self._say(f"  {seconds:5.2f} s  {_state(after):<10}  {after.name:<32}  {_detail(before, after)}")
            self._moved.notify_all()


def _state(record: Document) -> str:
    return "DELETED" if record.tombstone else record.status.value


def _position(record: Document) -> tuple[str, int, int]:
    return (_state(record), record.generation, record.attempts)


def _detail(before: Document | None, after: Document) -> str:
    lane = f"{after.lane} lane" if after.lane else "no lane"
    if after.tombstone:
        return "router: search shows nothing of it any more"
    if after.status is Status.PENDING:
        return f"router: to the {lane}"
    if after.status is Status.PROCESSING:
        return f"{lane}: attempt {after.attempts}"
    if after.active is None:
        return after.failure.reason if after.failure else ""
    embedded = after.usage.embedded_texts - (before.usage.embedded_texts if before else 0)
    return f"{lane}: {embedded} of {after.active.chunk_count} chunks embedded"
