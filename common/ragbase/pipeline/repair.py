"""Bring the bucket, the record and the vector store of a document together again, by ordinary steps of the pipeline.

Each step is one that does no harm when it comes twice, late, or for nothing: whatever happens to the document at the
same time, and wherever this is interrupted, the outcome is one of the pipeline's own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ragbase.domain.document import Document, Transition
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.domain.transitions import asked_again, reopened
from ragbase.pipeline.compare import Difference, Remedy, Sight
from ragbase.pipeline.route import route, topic_of
from ragbase.pipeline.withdraw import withdraw
from ragbase.ports import Bucket, Clock, DocumentStore, Publisher, VectorStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Stores:
    """The three that have to agree, and what repairs them. `vectors` are the chunks of the live index, `index` is its
    name."""

    bucket: Bucket
    documents: DocumentStore
    vectors: VectorStore
    index: str
    publisher: Publisher
    clock: Clock


def repair(id: str, difference: Difference, sight: Sight, stores: Stores) -> bool:
    """Do what the difference asks for, or have the lanes do it; False where only whoever has the file can."""
    steps: dict[Remedy, Callable[[], None]] = {
        Remedy.ROUTE: lambda: _route(sight, stores),
        Remedy.ROUTE_DELETION: lambda: _route_deletion(sight, stores),
        Remedy.REPROCESS: lambda: _reprocess(id, difference.generation, sight, stores),
        Remedy.REPROCESS_ALL: lambda: _reprocess_all(id, difference.generation, stores),
        Remedy.PUBLISH: lambda: _publish(id, asked_again(difference.generation, now=stores.clock.now()), stores),
        Remedy.REMOVE_CHUNKS: lambda: stores.vectors.delete(id, generation=difference.generation),
    }
    step = steps.get(difference.remedy)
    if step is None:
        return False
    step()
    return True


def _route(sight: Sight, stores: Stores) -> None:
    """As if the object had been announced again. Should it be gone by now, the record learns of that as ever: a
    deletion outlasts the events of what it has deleted."""
    if sight.stored is not None:
        _announce(sight.stored.event(EventKind.FINALISED), stores)


def _route_deletion(sight: Sight, stores: Stores) -> None:
    """As if the deletion had been announced again. The record was read before the bucket, so the generation that it
    named is gone for good, whatever has been uploaded since."""
    record = sight.record
    if record is None:
        return
    gone = ObjectEvent(
        kind=EventKind.DELETED, bucket=record.bucket, name=record.name, generation=record.generation, size=record.size
    )
    after = _announce(gone, stores)
    if after is not None:
        withdraw(after, record.generation, stores.vectors)


def _announce(event: ObjectEvent, stores: Stores) -> Document | None:
    return route(
        event, bucket=stores.bucket, documents=stores.documents, publisher=stores.publisher, clock=stores.clock
    )


def _reprocess(id: str, generation: int, sight: Sight, stores: Stores) -> None:
    """What is there stays, so that search goes on with it and only the rest is embedded."""
    chunks = stores.vectors.read(id, generation)
    if len(chunks) > sight.held.get(generation, 0):
        # They are there, but a search cannot find them all: the store has lost entries of its own index. It takes no
        # notice of a chunk that it is given again as it was, so they are taken out first.
        stores.vectors.delete(id, generation=generation)
        stores.vectors.write(chunks)
    _publish(id, reopened(generation, now=stores.clock.now()), stores)


def _reprocess_all(id: str, generation: int, stores: Stores) -> None:
    stores.vectors.delete(id, generation=generation)
    _publish(id, reopened(generation, now=stores.clock.now()), stores)


def _publish(id: str, transition: Transition, stores: Stores) -> None:
    """Change the record, then publish the job that it asks for. After a crash in between it is stuck, and found so."""
    record = stores.documents.update(id, transition).after
    if record is not None and record.is_open:
        stores.publisher.publish(topic_of(record), record.job)
