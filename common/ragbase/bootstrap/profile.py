"""What every profile has: the ports, and the use cases on them."""

from __future__ import annotations

import itertools
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from ragbase.bootstrap.once import once
from ragbase.config import Config
from ragbase.domain.job import Job
from ragbase.domain.object_event import ObjectEvent
from ragbase.domain.routing import Lane

if TYPE_CHECKING:
    from ragbase.adapters.embedded.folder_watcher import FolderWatcher
    from ragbase.domain.document import Document
    from ragbase.extraction.extractor import Extractor
    from ragbase.pipeline.index_text import Indexer
    from ragbase.pipeline.process import Worker
    from ragbase.ports import Bucket, Clock, DocumentStore, Embedder, Publisher, VectorStore
    from ragbase.retrieval.live_index import LiveIndex
    from ragbase.retrieval.search import SearchResult


class Profile(ABC):
    """The use cases of one process, with their ports taken from the configuration's profile."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.building = threading.RLock()
        self.closed = False
        self._claims = itertools.count()

    @property
    @abstractmethod
    def bucket(self) -> Bucket: ...

    @property
    @abstractmethod
    def documents(self) -> DocumentStore: ...

    @property
    @abstractmethod
    def publisher(self) -> Publisher: ...

    @property
    @abstractmethod
    def vectors(self) -> VectorStore: ...

    @property
    @abstractmethod
    def embedder(self) -> Embedder: ...

    @property
    def bucket_folder(self) -> Path | None:
        """Where the bucket's objects lie as files, if they do."""
        return None

    @property
    @abstractmethod
    def worker(self) -> str:
        """This process among all that process documents."""

    @abstractmethod
    def subscriptions(self, settled: Callable[[str], None]) -> AbstractContextManager[object]:
        """The router and the lanes at work, while the context is entered, if it is this process that runs them.

        `settled` is called with a document's id after each job of this process.
        """

    @abstractmethod
    def watcher(self) -> FolderWatcher:
        """What turns changes of the bucket's folder into upload events. Raises ConfigurationError without a folder."""

    def close(self) -> None:
        """Let go of what is held. The profile is not used any more. May be called twice."""
        self.closed = True

    @once
    def clock(self) -> Clock:
        from ragbase.adapters.system_clock import SystemClock

        return SystemClock()

    @once
    def index(self) -> LiveIndex:
        from ragbase.retrieval.live_index import LiveIndex

        return LiveIndex(self.vectors, self.documents)

    def route(self, event: ObjectEvent) -> None:
        from ragbase.pipeline.route import route

        route(event, bucket=self.bucket, documents=self.documents, publisher=self.publisher, clock=self.clock)

    def process(self, job: Job, lane: Lane) -> None:
        from ragbase.pipeline.process import process

        process(job, self.fast_worker if lane is Lane.FAST else self.heavy_worker)

    def dead_letter(self, job: Job, reason: str) -> None:
        from ragbase.pipeline.dead_letter import dead_letter

        dead_letter(job, reason, documents=self.documents, clock=self.clock)

    def search(self, query: str, *, top_k: int, threshold: float) -> list[SearchResult]:
        from ragbase.retrieval.search import search

        return search(
            query,
            index=self.index,
            embedder=self.embedder,
            top_k=top_k,
            threshold=threshold,
            language=self.config.language,
        )

    def retry(self, document_id: str) -> Document:
        """Raises DocumentNotFound."""
        from ragbase.pipeline.retry import retry

        return retry(document_id, documents=self.documents, publisher=self.publisher, clock=self.clock)

    def fingerprint(self, document: Document) -> str | None:
        """What the document's chunks would be made by today; None for a format that nothing reads."""
        return self.fast_worker.fingerprint(document.format) if document.format else None

    @once
    def fast_worker(self) -> Worker:
        return self._worker(Lane.FAST, timedelta(minutes=2))

    @once
    def heavy_worker(self) -> Worker:
        return self._worker(Lane.HEAVY, timedelta(minutes=2, seconds=self.config.pdf_timeout))

    def _worker(self, lane: Lane, lease: timedelta) -> Worker:
        from ragbase.pipeline.process import Worker

        return Worker(
            name=self.worker,
            lane=lane,
            lease=lease,
            bucket=self.bucket,
            documents=self.documents,
            vectors=self.vectors,
            publisher=self.publisher,
            extractor=self._extractor,
            indexer=self._indexer,
            clock=self.clock,
            claims=self._claims,
        )

    @once
    def _extractor(self) -> Extractor:
        from ragbase.extraction.extractor import ExtractionLimits, Extractor

        return Extractor(
            ExtractionLimits(
                pdf_memory_bytes=self.config.pdf_memory * 1024 * 1024, pdf_timeout_seconds=self.config.pdf_timeout
            )
        )

    @once
    def _indexer(self) -> Indexer:
        from ragbase.chunking.chunker import Chunker
        from ragbase.pipeline.index_text import Indexer

        return Indexer(
            chunker=Chunker(self.config.chunk_size, self.config.chunk_overlap),
            embedder=self.embedder,
            vectors=self.vectors,
            language=self.config.language,
        )
