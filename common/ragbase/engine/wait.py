"""Wait until documents are settled, whichever process works on them."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Generic, TypeVar

from ragbase.domain.document import Document
from ragbase.engine.standstill import Standstill
from ragbase.ports import Bucket, DocumentStore

Item = TypeVar("Item")

_LOOK_AGAIN = 1.0
"""Seconds after which records are read again without a message: another process may have done the work."""


_PAGE = 500
"""Documents that are looked at together."""

_FEW = 8
_MOMENT = 0.03
"""Seconds for which items are gathered while more than a few are expected: each look at them interrupts the threads
that do the work."""

PATIENCE = timedelta(seconds=30)
"""How long a command waits for a document that waits for a service. The document goes on waiting."""


class Mailbox(Generic[Item]):
    """Messages from the threads of this process to the thread that waits."""

    def __init__(self) -> None:
        self._items: queue.SimpleQueue[Item] = queue.SimpleQueue()

    def put(self, item: Item) -> None:
        self._items.put(item)

    def get(self, seconds: float = _LOOK_AGAIN) -> Item | None:
        """The next item; None if none comes within that time."""
        try:
            return self._items.get(timeout=seconds)
        except queue.Empty:
            return None

    def get_many(self, expected: int) -> list[Item]:
        """The next item and those that have come with it, up to a page; none if none comes soon. `expected` is how many
        the caller still waits for."""
        first = self.get()
        items = [] if first is None else [first]
        if items and expected > _FEW:
            time.sleep(_MOMENT)
        while items and len(items) < _PAGE:
            try:
                items.append(self._items.get_nowait())
            except queue.Empty:
                break
        return items


def is_settled(record: Document) -> bool:
    return not record.needs_work


def is_held_up(record: Document) -> bool:
    """Whether it has waited for a service, or an extractor elsewhere, for longer than a command waits for it. If that
    began later than now, the clock was put right."""
    wait = record.handed_out
    since = record.waiting_since if wait is None else wait.since
    return since is not None and abs(datetime.now(UTC) - since) >= PATIENCE


def is_in_step(record: Document, bucket: Bucket) -> bool:
    """Whether the record says what the bucket holds now. Where that is no longer what was uploaded, somebody has
    replaced it."""
    live = bucket.stat(record.name)
    return record.is_of(live.generation) if live is not None else record.tombstone


def is_replaced(record: Document, generation: int, bucket: Bucket) -> bool:
    """Whether neither the record nor the bucket is at this generation any more: somebody has uploaded another one."""
    if record.is_of(generation):
        return False
    live = bucket.stat(record.name)
    return live is not None and live.generation != generation


def outcome_of(record: Document) -> str | None:
    """Why a document for which nobody waits any longer is not as it should be; None if it is."""
    problem = problem_of(record)
    if problem is None and record.needs_work:
        return (
            f"{record.source}: not processed yet; it is replaced again and again while it is in work. `ragbase serve` "
            "or the next command goes on."
        )
    return problem


def problem_of(record: Document) -> str | None:
    """Why the last round of attempts did not end well: it has failed, or it is held up. None for any other document."""
    failure = record.failure
    if record.handed_out is not None and is_held_up(record):
        until = f"{record.handed_out.until:%H:%M} UTC"
        return f"{record.source}: not read yet; an extractor elsewhere has time until {until}"
    if failure is None or not (record.has_failed or is_held_up(record)):
        return None
    if record.needs_work:
        return f"{record.source}: not processed yet; `ragbase serve` or the next command tries again: {failure.reason}"
    return f"{record.source}: {failure.code.value}: {failure.reason}"


Which = Callable[[Sequence[Document]], Iterable[Document]]
"""Those of these documents for which nobody waits any longer."""


class DocumentWaiter:
    """The documents that somebody waits for. Give `settled` to `lanes`, which calls it after each job. Nobody waits for
    a pipeline that stands still (standstill.py): then `rest` and `until` raise Unavailable."""

    def __init__(self, documents: DocumentStore, standstill: Standstill) -> None:
        self._documents = documents
        self._standstill = standstill
        self._mailbox = Mailbox[str]()
        self._awaited: dict[str, Which] = {}

    def settled(self, document_id: str) -> None:
        self._mailbox.put(document_id)

    def expect(self, document_id: str, when: Callable[[Document], bool] = is_settled) -> None:
        """Wait for the document until `when` is true of its record."""
        self.expect_all([document_id], lambda records: filter(when, records))

    def expect_all(self, document_ids: Iterable[str], which: Which) -> None:
        """Wait for each of these documents until it is among those that `which` gives of their records."""
        self._awaited.update(dict.fromkeys(document_ids, which))

    def within(self, seconds: float) -> Iterator[Document]:
        """The documents that settle in the next seconds, as far as this process knows. It always takes that long."""
        end = time.monotonic() + seconds
        while True:
            id = self._mailbox.get(max(0.0, end - time.monotonic()))
            if id is not None:
                yield from self._look({id} & self._awaited.keys())
            elif time.monotonic() >= end:
                return

    def rest(self) -> Iterator[Document]:
        """All others, each as soon as it has settled or is held up."""
        yield from self.until(0)

    def until(self, most: int) -> Iterator[Document]:
        """The next that settle or are held up, until at most so many are awaited."""
        while len(self._awaited) > most:
            ids = self._mailbox.get_many(len(self._awaited))
            if not ids:
                self._standstill.check(len(self._awaited))
            yield from self._look(set(ids) & self._awaited.keys() if ids else self._awaited.keys())

    def _look(self, ids: Collection[str]) -> Iterator[Document]:
        records_of: dict[Which, list[Document]] = {}
        for record in self._documents.get_many(list(ids)).values() if ids else ():
            records_of.setdefault(self._awaited[record.id], []).append(record)
        for which, records in records_of.items():
            settled = {record.id for record in which(records)}
            for record in records:
                if record.id in settled or is_held_up(record):
                    del self._awaited[record.id]
                    yield record
