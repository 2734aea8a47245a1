"""Bugs in the use cases: what they do, in which order, and what they answer to the queue."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ragbase.domain.document import Document
from ragbase.domain.errors import Busy, TransientError
from ragbase.domain.identity import document_id
from ragbase.domain.job import Job
from ragbase.domain.object_event import ObjectEvent
from ragbase.formats.table import format_of
from ragbase.pipeline import claim as claim_module
from ragbase.pipeline import make_chunks as make_module
from ragbase.pipeline import make_document as document_module
from ragbase.pipeline import process as process_module
from ragbase.pipeline import remove_stale_chunks as remove_module
from ragbase.pipeline import route as route_module
from ragbase.pipeline.claim import Claim
from ragbase.pipeline.copy_duplicate import copy_duplicate
from ragbase.pipeline.make_chunks import Made, Maker
from ragbase.pipeline.make_document import MakeDocument
from ragbase.pipeline.remove_stale_chunks import remove_stale_chunks
from ragbase.ports import Topic
from ragbase.retrieval import active_chunks as active_chunks_module
from ragbase.retrieval.active_chunks import ActiveChunks
from ragbase.testing.bucket import MemoryBucket
from ragbase.testing.dead_letters import MemoryDeadLetters
from ragbase.testing.vector_store import MemoryVectorStore
from ragbase.upkeep import retry as retry_module
from ragbase.upkeep.dead_letters import keep as keep_module
from tests.simulated_world.message_queue import MessageQueue, Task
from tests.simulated_world.planted_bug import Patch, bug
from tests.simulated_world.wrapped_partitions import WrappedPartitions

_EVERY = 10
"""One in this many calls goes wrong."""


class Replaced:
    """A port, or all ports, with some attributes replaced."""

    def __init__(self, port: Any, **methods: Any) -> None:
        self.__dict__.update(methods)
        self._port = port

    def __getattr__(self, name: str) -> Any:
        return getattr(self._port, name)


def _silent(ports: Any) -> Any:
    """The ports, with a publisher that does nothing."""
    return Replaced(ports, publisher=Replaced(ports.publisher, publish=lambda *_, **__: None))


def with_vectors(maker: Maker, **methods: Any) -> Maker:
    """The maker, with other methods of its vector store."""
    return replace(maker, index=_index_with_vectors(maker.index, **methods))


def _index_with_vectors(index: Any, **methods: Any) -> Any:
    return replace(index, partitions=WrappedPartitions(index.partitions, lambda store: Replaced(store, **methods)))


@bug("flip-before-write", "a generation becomes active before its chunks are written")
def _flip_before_write() -> Sequence[Patch]:
    kept: list[tuple[Any, Any]] = []
    right_make, right_flip = Maker.make, MakeDocument._flip

    def make(self: Maker, *arguments: Any, **named: Any) -> Made:
        vectors = self.index.vectors_of(named["name"])
        later = with_vectors(self, write=lambda chunks: kept.append((vectors, chunks)))
        return right_make(later, *arguments, **named)

    def flip(self: Any, *arguments: Any) -> None:
        right_flip(self, *arguments)
        for vectors, chunks in kept:
            vectors.write(chunks)
        kept.clear()

    return [(Maker, "make", make), (MakeDocument, "_flip", flip)]


@bug("ack-before-work", "a job is acknowledged before its work is done", found_by=2)
def _ack_before_work() -> Sequence[Patch]:
    def wrong(self: MessageQueue, task: Task) -> None:
        try:
            self.handle(task)
        except BaseException as error:
            if type(error).__name__ == "Violation":
                raise

    return [(MessageQueue, "_work", wrong)]


@bug("transient-acknowledged", "a job is acknowledged after a transient failure", found_by=2)
def _transient_acknowledged() -> Sequence[Patch]:
    right = process_module.process

    def wrong(job: Job, worker: Any) -> None:
        try:
            right(job, worker)
        except Busy:
            raise
        except TransientError:
            return

    return [(process_module, "process", wrong)]


@bug("busy-acknowledged", "a job is acknowledged because another worker seems to be working on it", found_by=6)
def _busy_acknowledged() -> Sequence[Patch]:
    right = process_module.process

    def wrong(job: Job, worker: Any) -> None:
        try:
            right(job, worker)
        except Busy:
            return

    return [(process_module, "process", wrong)]


@bug("publish-before-record", "the router publishes the job before it writes the record", found_by=19)
def _publish_before_record() -> Sequence[Patch]:
    right = route_module.route

    def wrong(event: ObjectEvent, ports: Any) -> Document | None:
        format = format_of(event.name)
        job = Job(
            document_id=document_id(event.bucket, event.name),
            bucket=event.bucket,
            name=event.name,
            generation=event.generation,
            format=format.name if format else None,
        )
        ports.publisher.publish(Topic.FAST, job)
        return right(event, _silent(ports))

    return [(route_module, "route", wrong)]


@bug(
    "publish-only-once",
    "for a repeated event, the router publishes no job, although the first one may be lost",
    found_by=2,
)
def _publish_only_once() -> Sequence[Patch]:
    right = route_module.route

    def wrong(event: ObjectEvent, ports: Any) -> Document | None:
        known = ports.documents.get(document_id(event.bucket, event.name))
        if known is not None and known.generation == event.generation and not known.tombstone:
            ports = _silent(ports)
        return right(event, ports)

    return [(route_module, "route", wrong)]


@bug("chunk-ids-random", "each attempt gives its chunks new ids", found_by=6)
def _chunk_ids_random() -> Sequence[Patch]:
    numbers = itertools.count()
    return [(make_module, "chunk_id", lambda *_: f"{next(numbers):036}")]


@bug("offsets-shifted", "a citation points to the wrong place in the text")
def _offsets_shifted() -> Sequence[Patch]:
    right = make_module.chunk_of

    def wrong(*arguments: Any) -> Any:
        chunk = right(*arguments)
        return replace(chunk, char_start=chunk.char_start + 1)

    return [(make_module, "chunk_of", wrong)]


@bug("stale-chunks-kept", "the chunks of the generation before stay after the flip")
def _stale_chunks_kept() -> Sequence[Patch]:
    return [(claim_module, "remove_stale_chunks", lambda *_, **__: True)]


@bug(
    "replaced-chunks-removed-at-once",
    "chunks are removed while a search that has chosen them may still read them",
    found_by=224,
)
def _replaced_removed_at_once() -> Sequence[Patch]:
    return [(remove_module, "may_be_read", lambda *_: False)]


@bug("stale-by-number", "chunks are taken as stale because their generation has a lower number")
def _stale_by_number() -> Sequence[Patch]:
    def wrong(record: Document, generation: int, documents: Any, vectors: Any, **_: Any) -> bool:
        for held in vectors.held([record.id]).get(record.id, {}):
            if held < generation:
                vectors.delete(record.id, generation=held)
        return True

    return [(claim_module, "remove_stale_chunks", wrong)]


@bug(
    "stale-by-old-record",
    "chunks are taken as stale because a record that was read before them does not need them",
    found_by=64,
)
def _stale_by_old_record() -> Sequence[Patch]:
    right = remove_stale_chunks

    def wrong(record: Document, generation: int, documents: Any, vectors: Any, **named: Any) -> bool:
        return right(record, generation, Replaced(documents, get=lambda _: record), vectors, **named)

    return [(claim_module, "remove_stale_chunks", wrong)]


@bug("superseded-work-left", "a worker that has lost its lease leaves its chunks behind")
def _superseded_left() -> Sequence[Patch]:
    return [(Claim, "_step_back", lambda self: None)]


@bug("stalled-worker-writes", "a worker that has stalled beyond its lease goes on writing", found_by=1)
def _stalled_worker_writes() -> Sequence[Patch]:
    return [(Claim, "keep", lambda self: None)]


@bug("time-limit-ignored", "an attempt goes on after its time", found_by=26)
def _time_limit_ignored() -> Sequence[Patch]:
    return [(Claim, "_is_out_of_time", lambda self, now: False)]


@bug("undeliverable-dropped", "what the queue has given up is neither done in another way nor kept", found_by=2)
def _undeliverable_dropped() -> Sequence[Patch]:
    return [(keep_module, "_published_another", lambda *_: True)]


@bug("cleanup-deletes-wanted-chunks", "the cleanup after a failure removes chunks that a retry is writing", found_by=5)
def _cleanup_deletes_wanted() -> Sequence[Patch]:
    right = remove_stale_chunks

    def wrong(record: Document, generation: int, documents: Any, vectors: Any, **named: Any) -> bool:
        removed = right(record, generation, documents, vectors, **named)
        if record.wants(generation) and not record.needs_work and not record.active:
            vectors.delete(record.id, generation=generation)
        return removed

    return [(claim_module, "remove_stale_chunks", wrong)]


@bug("duplicate-shares-chunks", "a duplicate gets no chunks of its own", found_by=6)
def _duplicate_shares_chunks() -> Sequence[Patch]:
    right = copy_duplicate

    def wrong(*arguments: Any, index: Any, **named: Any) -> Any:
        without_write = _index_with_vectors(index, write=lambda chunks: None)
        return right(*arguments, index=without_write, **named)

    return [(document_module, "copy_duplicate", wrong)]


@bug("duplicate-of-another-format", "chunks are copied although the same bytes were read as another format", found_by=1)
def _duplicate_of_another_format() -> Sequence[Patch]:
    right = copy_duplicate

    def wrong(*arguments: Any, documents: Any, **named: Any) -> Any:
        def find_active(md5: str, fingerprint: str, *, tenant: str | None = None) -> Any:
            records = documents.page(limit=100)
            return next((record for record in records if record.active and record.active.md5 == md5), None)

        return right(*arguments, documents=Replaced(documents, find_active=find_active), **named)

    return [(document_module, "copy_duplicate", wrong)]


@bug("duplicate-not-looked-for", "the same bytes are embedded again under another name", found_by=6)
def _duplicate_not_looked_for() -> Sequence[Patch]:
    return [(document_module, "copy_duplicate", lambda *_, **__: None)]


@bug("partial-batch-acknowledged", "the vector store drops a chunk of a batch without an error", found_by=82)
def _partial_batch() -> Sequence[Patch]:
    right = MemoryVectorStore.write
    calls = itertools.count(1)

    def wrong(self: MemoryVectorStore, chunks: Sequence[Any]) -> None:
        right(self, chunks if next(calls) % _EVERY else chunks[:-1])

    return [(MemoryVectorStore, "write", wrong)]


@bug("newest-bytes-read", "a worker reads the newest bytes instead of those of its job's generation", found_by=59)
def _newest_bytes_read() -> Sequence[Patch]:
    right = MemoryBucket.read

    def wrong(self: MemoryBucket, name: str, generation: int) -> bytes:
        live = self.stat(name)
        return right(self, name, live.generation if live else generation)

    return [(MemoryBucket, "read", wrong)]


@bug("search-without-record-check", "search shows everything that the vector store holds", found_by=6)
def _no_record_check() -> Sequence[Patch]:
    return [(active_chunks_module, "_is_live", lambda hit, documents: hit.chunk.document_id in documents)]


@bug("search-once-only", "search does not look again after a flip", found_by=160)
def _search_once() -> Sequence[Patch]:
    return [(active_chunks_module, "_ROUNDS", 1)]


@bug(
    "flip-seen-by-number",
    "search looks again after a flip only if the new generation has a higher number",
    found_by=160,
)
def _flip_seen_by_number() -> Sequence[Patch]:
    right = active_chunks_module._outdated

    def wrong(hits: Sequence[Any], documents: Any) -> dict[str, int]:
        active = right(hits, documents)
        return right([hit for hit in hits if hit.chunk.generation < active.get(hit.chunk.document_id, 0)], documents)

    return [(active_chunks_module, "_outdated", wrong)]


@bug("records-before-hits", "search reads the records before it reads the hits", found_by=38)
def _records_before_hits() -> Sequence[Patch]:
    right = ActiveChunks._search

    def wrong(self: ActiveChunks, *arguments: Any, **options: Any) -> Any:
        documents: Any = self._documents  # the simulated world's store, which can list its records
        known = documents.get_many([record.id for record in documents.page(limit=100)])
        early = ActiveChunks(self._vectors, Replaced(documents, get_many=lambda ids: known))
        return right(early, *arguments, **options)

    return [(ActiveChunks, "_search", wrong)]


@bug("dead-letter-not-kept", "an undeliverable message is not kept as a dead letter", found_by=2)
def _dead_letter_not_kept() -> Sequence[Patch]:
    return [(MemoryDeadLetters, "keep", lambda self, dead_letter: None)]


@bug("retry-publishes-nothing", "a retried document waits for a job that nobody sends", found_by=24)
def _retry_publishes_nothing() -> Sequence[Patch]:
    right = retry_module.retry
    return [(retry_module, "retry", lambda document_id, ports: right(document_id, _silent(ports)))]
