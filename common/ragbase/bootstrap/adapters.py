"""What a profile chooses: an adapter for each port, and what is made with them alone."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from ragbase.bootstrap.once import once
from ragbase.config import Config

if TYPE_CHECKING:
    from ragbase.adapters.embedded.folder_watcher import FolderWatcher
    from ragbase.bootstrap.live_indexes import LiveIndexes
    from ragbase.chunking.chunker import Chunker
    from ragbase.domain.index import Index
    from ragbase.extraction.extractor import Extractor
    from ragbase.ports import (
        Bucket,
        Checkpoints,
        Clock,
        DeadLetters,
        DocumentStore,
        Embedder,
        Indexes,
        Publisher,
        VectorStore,
    )
    from ragbase.retrieval.live_index import LiveIndex
    from ragbase.retrieval.search_live import OpenIndex


class Adapters(ABC):
    """The ports of one process, chosen by the configuration's profile. Each is opened when it is first asked for."""

    runs_lanes = True
    """Whether `subscriptions` do the work in this process; elsewhere functions do it."""

    flip_grace = 10.0
    """Seconds after which every process knows of a flip to another index, and has answered the queries before it: one
    until a cached alias is asked for again, and five for a query."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.building = threading.RLock()
        self.closed = False
        self.fills_index = False
        """Whether this process writes the index, and may begin one. Set before the index is first used."""
        self.opened = ExitStack()
        self._has_begun = False

    @property
    @abstractmethod
    def bucket(self) -> Bucket: ...

    @property
    @abstractmethod
    def documents(self) -> DocumentStore: ...

    @property
    @abstractmethod
    def dead_letters(self) -> DeadLetters: ...

    @property
    @abstractmethod
    def checkpoints(self) -> Checkpoints: ...

    @property
    @abstractmethod
    def publisher(self) -> Publisher: ...

    @property
    @abstractmethod
    def indexes(self) -> Indexes: ...

    @property
    @abstractmethod
    def embedder(self) -> Embedder:
        """The one that the settings name; an index may have been made with another."""

    def embedder_for(self, index: Index) -> Embedder:
        """The one that the index was made with, where it is not that of the settings. Raises ConfigurationError."""
        from ragbase.bootstrap.embedders import embedder_for

        return embedder_for(index, self.config, self.opened)

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

    def check_index(self) -> None:  # noqa: B027 - not every profile has something to ask
        """Find out now, and not with the first request, whether the settings fit the index and what embeds for it.

        It leaves no thread and no connection behind that a fork would break. Raises ConfigurationError.
        """

    def close(self) -> None:
        """Let go of what is held. The profile is not used any more. May be called twice."""
        self.closed = True
        self.opened.close()

    def document_ids(self, identifier: str) -> list[str]:
        """What somebody may mean: a document's id, its name in the bucket, or the path that it was ingested from."""
        from ragbase.domain.identity import document_id
        from ragbase.sources.folder import object_name

        names = (identifier, object_name(Path(identifier), self.bucket_folder))
        return list(dict.fromkeys((identifier, *(document_id(self.bucket.name, name) for name in names))))

    @once
    def clock(self) -> Clock:
        from ragbase.adapters.system_clock import SystemClock

        return SystemClock()

    @once
    def live(self) -> LiveIndexes:
        from ragbase.bootstrap.live_indexes import LiveIndexes

        return LiveIndexes(
            self.indexes, embedder=self.embedder, language=self.config.language, embedder_for=self.embedder_for
        )

    def begun(self) -> OpenIndex:
        """The live index; where there is none, or an empty one, it is made as the settings say."""
        live = self.live.now() if self._has_begun else None
        if live is None:
            live = self.live.open(self.indexes.begin(self.wanted_index))
            self._has_begun = True
        return live

    @once
    def wanted_index(self) -> Index:
        """The one that the settings make."""
        from ragbase.domain.index import index_of
        from ragbase.pipeline.index_text import fingerprint_of

        model, language = self.embedder.model, self.config.language
        return index_of(
            f"{self.extractor.fingerprint}|{fingerprint_of(self.chunker, model, language)}",
            model=model,
            dimension=self.embedder.dimension,
            language=language,
        )

    @property
    def vectors(self) -> VectorStore:
        """The chunks of the live index."""
        return self.begun().vectors

    @property
    def index(self) -> LiveIndex:
        from ragbase.retrieval.live_index import LiveIndex

        return LiveIndex(self.vectors, self.documents)

    @once
    def extractor(self) -> Extractor:
        from ragbase.extraction.extractor import ExtractionLimits, Extractor

        return Extractor(
            ExtractionLimits(
                pdf_memory_bytes=self.config.pdf_memory * 1024 * 1024, pdf_timeout_seconds=self.config.pdf_timeout
            )
        )

    @once
    def chunker(self) -> Chunker:
        from ragbase.chunking.chunker import Chunker

        return Chunker(self.config.chunk_size, self.config.chunk_overlap)
