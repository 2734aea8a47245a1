"""Bugs in the use cases: what is done, in which order, and what is told to the queue."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ragbase.adapters.memory.bucket import MemoryBucket
from ragbase.adapters.memory.dead_letters import MemoryDeadLetters
from ragbase.adapters.memory.vector_store import MemoryVectorStore
from ragbase.domain.document import Document
from ragbase.domain.errors import Busy, TransientError
from ragbase.domain.identity import document_id
from ragbase.domain.job import Job
from ragbase.domain.object_event import ObjectEvent
from ragbase.domain.routing import format_of
from ragbase.pipeline import index_text as index_text_module
from ragbase.pipeline import process as process_module
from ragbase.pipeline import retry as retry_module
from ragbase.pipeline import route as route_module
from ragbase.pipeline.index_text import Indexer
from ragbase.pipeline.reuse_twin import reuse_twin
from ragbase.pipeline.withdraw import withdraw
from ragbase.ports import Topic
from ragbase.retrieval import live_index as live_index_module
from ragbase.retrieval.live_index import LiveIndex
from ragbase.testing.message_queue import MessageQueue, Task
from ragbase.testing.planting import Patch, bug

_EVERY = 10
"""Of so many calls one goes wrong."""


class _Instead:
    """A port of which some methods are others."""

    def __init__(self, port: Any, **methods: Any) -> None:
        self.__dict__.update(methods)
        self._port = port

    def __getattr__(self, name: str) -> Any:
        return getattr(self._port, name)


def _writing_with(**methods: Any) -> Any:
    """Indexer.write, with other methods of the vector store."""
    right = Indexer.write

    def wrong(self: Indexer, *arguments: Any, **named: Any) -> Iterator[Any]:
        return right(replace(self, vectors=_Instead(self.vectors, **methods)), *arguments, **named)

    return wrong


@bug("flip-before-write", "a generation becomes active before its chunks are written")
def _flip_before_write() -> Sequence[Patch]:
    kept: list[tuple[Any, Any]] = []
    right_write, right_flip = Indexer.write, process_module._Attempt._flip

    def write(self: Indexer, *arguments: Any, **named: Any) -> Iterator[Any]:
        later = _Instead(self.vectors, write=lambda chunks: kept.append((self.vectors, chunks)))
        return right_write(replace(self, vectors=later), *arguments, **named)

    def flip(self: Any, *arguments: Any) -> None:
        right_flip(self, *arguments)
        for vectors, chunks in kept:
            vectors.write(chunks)
        kept.clear()

    return [(Indexer, "write", write), (process_module._Attempt, "_flip", flip)]


@bug("ack-before-work", "a job is acknowledged before its work is done")
def _ack_before_work() -> Sequence[Patch]:
    def wrong(self: MessageQueue, task: Task) -> None:
        try:
            self.handle(task)
        except BaseException as error:
            if type(error).__name__ == "Violation":
                raise

    return [(MessageQueue, "_work", wrong)]


@bug("transient-acknowledged", "a job that failed in passing is acknowledged")
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


@bug("busy-acknowledged", "a job is acknowledged because another worker seems to be at it")
def _busy_acknowledged() -> Sequence[Patch]:
    right = process_module.process

    def wrong(job: Job, worker: Any) -> None:
        try:
            right(job, worker)
        except Busy:
            return

    return [(process_module, "process", wrong)]


@bug("publish-before-record", "the router publishes the job before there is a record that wants it")
def _publish_before_record() -> Sequence[Patch]:
    right = route_module.route

    def wrong(event: ObjectEvent, *, publisher: Any, **ports: Any) -> Document | None:
        job = Job(
            document_id=document_id(event.bucket, event.name),
            bucket=event.bucket,
            name=event.name,
            generation=event.generation,
            format=format_of(event.name),
        )
        publisher.publish(Topic.FAST, job)
        return right(event, publisher=_Instead(publisher, publish=lambda *_, **__: None), **ports)

    return [(route_module, "route", wrong)]


@bug("publish-only-once", "an event that is delivered again publishes no job, though the first may have been lost")
def _publish_only_once() -> Sequence[Patch]:
    right = route_module.route

    def wrong(event: ObjectEvent, *, publisher: Any, documents: Any, **ports: Any) -> Document | None:
        known = documents.get(document_id(event.bucket, event.name))
        if known is not None and known.generation == event.generation and not known.tombstone:
            publisher = _Instead(publisher, publish=lambda *_, **__: None)
        return right(event, publisher=publisher, documents=documents, **ports)

    return [(route_module, "route", wrong)]


@bug("chunk-ids-random", "each attempt gives its chunks other ids")
def _chunk_ids_random() -> Sequence[Patch]:
    numbers = itertools.count()
    return [(index_text_module, "chunk_id", lambda *_: f"{next(numbers):036}")]


@bug("offsets-shifted", "a citation points beside its text")
def _offsets_shifted() -> Sequence[Patch]:
    right = index_text_module._chunk

    def wrong(*arguments: Any) -> Any:
        chunk = right(*arguments)
        return replace(chunk, char_start=chunk.char_start + 1)

    return [(index_text_module, "_chunk", wrong)]


@bug("stale-chunks-kept", "the chunks of older generations stay after the flip")
def _stale_chunks_kept() -> Sequence[Patch]:
    return [(process_module, "withdraw", lambda record, generation, vectors: None)]


@bug("superseded-work-left", "a worker that has lost its lease leaves its chunks behind")
def _superseded_left() -> Sequence[Patch]:
    return [(process_module._Attempt, "_step_back", lambda self: None)]


@bug("withdraw-deletes-live-generation", "the sweep after a failure takes what a retry is writing meanwhile")
def _withdraw_deletes_live() -> Sequence[Patch]:
    right = withdraw

    def wrong(record: Document, generation: int, vectors: Any) -> None:
        if not record.tombstone and record.generation == generation and not record.is_open and not record.active:
            vectors.delete_older(record.id, than=generation + 1)
        else:
            right(record, generation, vectors)

    return [(process_module, "withdraw", wrong)]


@bug("twin-shares-chunks", "a document with equal bytes is given no chunks of its own")
def _twin_shares_chunks() -> Sequence[Patch]:
    right = reuse_twin

    def wrong(*arguments: Any, vectors: Any, **named: Any) -> Any:
        return right(*arguments, vectors=_Instead(vectors, write=lambda chunks: None), **named)

    return [(process_module, "reuse_twin", wrong)]


@bug("twin-made-otherwise", "the chunks of equal bytes are copied, though they were read as another format")
def _twin_made_otherwise() -> Sequence[Patch]:
    right = reuse_twin

    def wrong(*arguments: Any, documents: Any, **named: Any) -> Any:
        def find_active(md5: str, fingerprint: str) -> Any:
            records = documents.page(limit=100).documents
            return next((record for record in records if record.active and record.active.md5 == md5), None)

        return right(*arguments, documents=_Instead(documents, find_active=find_active), **named)

    return [(process_module, "reuse_twin", wrong)]


@bug("twin-not-looked-for", "equal bytes are embedded again under another name")
def _twin_not_looked_for() -> Sequence[Patch]:
    return [(process_module, "reuse_twin", lambda *_, **__: None)]


@bug("embeddings-not-reused", "a retry or an edit pays for every text again")
def _embeddings_not_reused() -> Sequence[Patch]:
    return [(Indexer, "write", _writing_with(embeddings=lambda document_id: {}))]


@bug("partial-batch-acknowledged", "the vector store drops a chunk of a batch and says nothing")
def _partial_batch() -> Sequence[Patch]:
    right = MemoryVectorStore.write
    calls = itertools.count(1)

    def wrong(self: MemoryVectorStore, chunks: Sequence[Any]) -> None:
        right(self, chunks if next(calls) % _EVERY else chunks[:-1])

    return [(MemoryVectorStore, "write", wrong)]


@bug("newest-bytes-read", "a worker reads the newest bytes, whichever generation its job is about")
def _newest_bytes_read() -> Sequence[Patch]:
    right = MemoryBucket.read

    def wrong(self: MemoryBucket, name: str, generation: int) -> bytes:
        live = self.stat(name)
        return right(self, name, live.generation if live else generation)

    return [(MemoryBucket, "read", wrong)]


@bug("search-without-record-check", "search shows whatever the vector store holds")
def _no_record_check() -> Sequence[Patch]:
    return [(live_index_module, "_is_live", lambda hit, documents: hit.chunk.document_id in documents)]


@bug("search-once-only", "search does not look again after a flip")
def _search_once() -> Sequence[Patch]:
    return [(live_index_module, "_ROUNDS", 1)]


@bug("records-before-hits", "search reads the records before the hits that they are to decide about")
def _records_before_hits() -> Sequence[Patch]:
    right = LiveIndex._search

    def wrong(self: LiveIndex, *arguments: Any) -> Any:
        documents = self._documents
        known = documents.get_many([record.id for record in documents.page(limit=100).documents])
        early = LiveIndex(self._vectors, _Instead(documents, get_many=lambda ids: known))
        return right(early, *arguments)

    return [(LiveIndex, "_search", wrong)]


@bug("letter-not-kept", "a message that was given up is forgotten")
def _letter_not_kept() -> Sequence[Patch]:
    return [(MemoryDeadLetters, "keep", lambda self, letter: None)]


@bug("retry-publishes-nothing", "a retried document waits for a job that nobody sends")
def _retry_publishes_nothing() -> Sequence[Patch]:
    right = retry_module.retry

    def wrong(document_id: str, *, publisher: Any, **ports: Any) -> Document:
        return right(document_id, publisher=_Instead(publisher, publish=lambda *_, **__: None), **ports)

    return [(retry_module, "retry", wrong)]
