"""Bring the bucket, the record and the vector store of a document in step again, by ordinary steps of the pipeline.

A step does no harm if it comes twice, late or without need. So whatever else happens to the document at the same time,
and wherever the repair is interrupted, the result is one that the pipeline itself could have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ragbase.domain.document import Document
from ragbase.domain.object_event import EventKind
from ragbase.domain.transitions import reopened, republished
from ragbase.pipeline.not_answered import end_overdue
from ragbase.pipeline.publish_job import ask_lanes
from ragbase.pipeline.remove_stale_chunks import remove_stale_chunks
from ragbase.pipeline.route import follow_bucket, route
from ragbase.ports import Clock, DocumentStore, GivenTexts, Ports, VectorStore, WordBoxes
from ragbase.upkeep.reconcile.compare import ActiveLabels, Difference, Remedy, Sight


def repair(id: str, difference: Difference, sight: Sight, ports: Ports, vectors: VectorStore) -> None:
    """Apply the remedy, or let the lanes do it."""
    generation = difference.generation
    steps: dict[Remedy, Callable[[], object]] = {
        Remedy.ROUTE: lambda: _route(sight, ports),
        Remedy.ROUTE_DELETION: lambda: _route_deletion(sight, ports, vectors),
        Remedy.REPROCESS: lambda: _reprocess(id, generation, sight, ports, vectors),
        Remedy.PUBLISH: lambda: ask_lanes(id, republished(generation, now=ports.clock.now()), ports),
        Remedy.END: lambda: _end(sight, ports),
        Remedy.REMOVE_CHUNKS: lambda: vectors.delete(id, generation=generation),
    }
    steps[difference.remedy]()


def _route(sight: Sight, ports: Ports) -> None:
    """As if the object had been announced again. If it has been deleted since, that does no harm: the router asks the
    bucket, or the event of the deletion is still to come."""
    if sight.stored is not None:
        route(sight.stored.event(EventKind.FINALISED), ports)


def _end(sight: Sight, ports: Ports) -> None:
    if sight.record is not None:
        end_overdue(sight.record, ports)


def _route_deletion(sight: Sight, ports: Ports, vectors: VectorStore) -> None:
    """As if the deletion had been announced again. The router asks the bucket, so it sees what was uploaded since."""
    record = sight.record
    if record is None:
        return
    after = follow_bucket(record, None, ports)
    remove_stale_chunks(
        after,
        record.wanted,
        ports.documents,
        vectors,
        texts=ports.texts,
        boxes=ports.word_boxes,
        now=ports.clock.now(),
    )


def _reprocess(id: str, generation: int, sight: Sight, ports: Ports, vectors: VectorStore) -> None:
    """The chunks that are there stay, so that search still shows them and only the rest is embedded. The lane removes
    those that are too many, after it has written the others."""
    chunks = vectors.read(id, generation)
    if len(chunks) > sight.held.get(generation, 0):
        vectors.restore(chunks)  # they are there, but a search does not find them all
    ask_lanes(id, reopened(generation, now=ports.clock.now()), ports)


def write_labels(
    record: Document,
    wanted: ActiveLabels,
    vectors: VectorStore,
    *,
    documents: DocumentStore,
    texts: GivenTexts,
    boxes: WordBoxes,
    clock: Clock,
) -> int:
    """Write the active chunks that carry other labels, or none, once more, and return how many they were. Their ids
    and vectors stay, so that nothing is embedded and search finds them all the time.

    `record` was read a moment ago. If the document has moved on when they are written, they may have been hidden or
    removed in between. Then what has come back goes again.
    """
    chunks = [one for one in vectors.read(record.id, wanted.generation) if one.labels != wanted.labels]
    vectors.write([replace(one, labels=wanted.labels) for one in chunks])
    after = documents.get(record.id)
    if after is not None and after != record:
        now = clock.now()
        remove_stale_chunks(after, wanted.generation, documents, vectors, texts=texts, boxes=boxes, now=now)
    return len(chunks)
