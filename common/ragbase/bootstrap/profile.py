"""What every profile can do: the use cases, on the adapters that it chooses."""

from __future__ import annotations

import itertools
import time
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from ragbase.bootstrap.adapters import Adapters
from ragbase.config import Config
from ragbase.domain.job import Job
from ragbase.domain.object_event import ObjectEvent
from ragbase.domain.routing import Lane

if TYPE_CHECKING:
    from ragbase.domain.dead_letter import DeadLetter, Message
    from ragbase.domain.document import Document
    from ragbase.domain.index import Index
    from ragbase.pipeline.index_text import Indexer
    from ragbase.pipeline.process import Worker
    from ragbase.pipeline.reindexing import Reindexing
    from ragbase.pipeline.repair import Stores
    from ragbase.pipeline.replay import Replay
    from ragbase.ports import VectorStore
    from ragbase.retrieval.search import SearchResult
    from ragbase.retrieval.search_live import OpenIndex


class Profile(Adapters):
    """The use cases of one process, with their ports taken from the configuration's profile."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self._claims = itertools.count()
        self._workers: dict[Lane, Worker] = {}

    @property
    def stores(self) -> Stores:
        """What a comparison reads and repairs, the live index as it is now."""
        from ragbase.pipeline.repair import Stores

        live = self.begun()
        return Stores(
            bucket=self.bucket,
            documents=self.documents,
            vectors=live.vectors,
            index=live.index.name,
            publisher=self.publisher,
            clock=self.clock,
        )

    def route(self, event: ObjectEvent) -> None:
        from ragbase.pipeline.route import route

        route(event, bucket=self.bucket, documents=self.documents, publisher=self.publisher, clock=self.clock)

    def process(self, job: Job, lane: Lane) -> None:
        from ragbase.pipeline.process import process

        process(job, self.worker_in(lane))

    def dead_letter(self, message: Message, reason: str, *, deliveries: int) -> None:
        from ragbase.pipeline.dead_letter import dead_letter

        dead_letter(
            message,
            reason,
            deliveries=deliveries,
            documents=self.documents,
            letters=self.dead_letters,
            clock=self.clock,
        )

    @abstractmethod
    def collect_dead_letters(self) -> None:
        """Take in the dead letters that wait in this profile's queue, if nobody else does."""

    def find_letters(self, *, document_ids: Sequence[str] = (), reason: str = "") -> Iterator[DeadLetter]:
        from ragbase.pipeline.find_letters import find_letters

        return find_letters(self.dead_letters, document_ids=document_ids, reason=reason)

    def replay(self, letter: DeadLetter) -> Replay:
        from ragbase.pipeline.replay import replay

        return replay(
            letter,
            bucket=self.bucket,
            documents=self.documents,
            letters=self.dead_letters,
            publisher=self.publisher,
            clock=self.clock,
        )

    def search(self, query: str, *, top_k: int, threshold: float) -> list[SearchResult]:
        from ragbase.retrieval.search_live import search_live

        return search_live(query, live=self.live.now, documents=self.documents, top_k=top_k, threshold=threshold)

    def retry(self, document_id: str) -> Document:
        """Raises DocumentNotFound."""
        from ragbase.pipeline.retry import retry

        return retry(
            document_id,
            documents=self.documents,
            letters=self.dead_letters,
            publisher=self.publisher,
            clock=self.clock,
        )

    @contextmanager
    def reindexing(self) -> Iterator[Reindexing]:
        """What pipeline.reindex and reindex_cost work with, several documents at a time."""
        from concurrent.futures import ThreadPoolExecutor

        from ragbase.pipeline.reindexing import Reindexing
        from ragbase.retrieval.search_live import OpenIndex

        def indexer_of(index: Index, vectors: VectorStore) -> Indexer:
            mine = index.model == self.embedder.model
            return self.indexer_of(OpenIndex(index, vectors, self.embedder if mine else self.embedder_for(index)))

        threads = ThreadPoolExecutor(self.config.fast_workers, thread_name_prefix="reindex")
        try:
            yield Reindexing(
                bucket=self.bucket,
                documents=self.documents,
                indexes=self.indexes,
                publisher=self.publisher,
                extractor=self.extractor,
                clock=self.clock,
                wanted=self.wanted_index,
                indexer_of=indexer_of,
                sleep=time.sleep,
                grace=self.flip_grace,
                each=threads.map,
            )
        finally:
            threads.shutdown(cancel_futures=True)

    def fingerprint(self, document: Document) -> str | None:
        """What the document's chunks would be made by today; None for a format that nothing reads."""
        return self.worker_in(Lane.FAST).fingerprint(document.format) if document.format else None

    def worker_in(self, lane: Lane) -> Worker:
        """One for the live index, to be asked for again with each job."""
        live = self.begun()
        worker = self._workers.get(lane)
        if worker is None:
            with self.building:
                worker = self._workers.setdefault(lane, self._worker(lane, live))
        if worker.index != live.index:
            worker = replace(worker, index=live.index, vectors=live.vectors, indexer=self.indexer_of(live))
            self._workers[lane] = worker
        return worker

    def indexer_of(self, index: OpenIndex) -> Indexer:
        from ragbase.pipeline.index_text import Indexer

        return Indexer(
            chunker=self.chunker, embedder=index.embedder, vectors=index.vectors, language=index.index.language
        )

    def _worker(self, lane: Lane, live: OpenIndex) -> Worker:
        from ragbase.pipeline.process import Worker

        return Worker(
            name=self.worker,
            lane=lane,
            lease=timedelta(minutes=2, seconds=self.config.pdf_timeout if lane is Lane.HEAVY else 0),
            bucket=self.bucket,
            documents=self.documents,
            index=live.index,
            indexes=self.indexes,
            vectors=live.vectors,
            publisher=self.publisher,
            extractor=self.extractor,
            indexer=self.indexer_of(live),
            clock=self.clock,
            claims=self._claims,
        )
