"""A world whose live index can be another with every job and every query, as it is while a reindex is at work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np

from ragbase.adapters.memory.indexes import MemoryIndexes
from ragbase.chunking.chunker import Chunker
from ragbase.domain.index import Index, index_of
from ragbase.domain.job import Job
from ragbase.domain.object_event import ObjectEvent
from ragbase.domain.routing import Lane
from ragbase.extraction.extractor import Extractor
from ragbase.pipeline.index_text import Indexer, fingerprint_of
from ragbase.pipeline.process import process
from ragbase.pipeline.reindexing import Reindexing
from ragbase.ports import VectorStore
from ragbase.retrieval.search import SearchResult
from ragbase.retrieval.search_live import OpenIndex, search_live
from tests.simulation.world import CountingEmbedder, Faults, World


class OtherEmbedder(CountingEmbedder):
    model = "other"

    def embed_query(self, text: str) -> np.ndarray[Any, np.dtype[np.float32]]:
        return super().embed_query(text)[::-1]


class Meddling(Faults):
    """Others do something before a call, if `meanwhile` says so; what they do there is not counted."""

    def __init__(self, meanwhile: Callable[[int], None] = lambda _: None) -> None:
        super().__init__()
        self.meanwhile = meanwhile

    def call(self, name: str, method: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        self.meanwhile(len(self.calls))
        return super().call(name, method, *arguments, **named)


class ReindexWorld(World):
    """`size` and `model` are the settings of chunker and embedder. `faults` are the reindex's alone."""

    def __init__(self, faults: Faults | None = None) -> None:
        super().__init__()
        self.faults = faults or Faults()
        self.indexes = MemoryIndexes()
        self.embedders = {"counting": self.embedder, "other": OtherEmbedder()}
        self.size, self.model = 200, "counting"
        self.indexes.begin(self.wanted)

    @property
    def wanted(self) -> Index:
        made = f"{Extractor().fingerprint}|{fingerprint_of(Chunker(self.size, 40), self.model, 'english')}"
        return index_of(made, model=self.model, dimension=8, language="english")

    def live(self) -> OpenIndex:
        index = self.indexes.live()
        assert index is not None
        return OpenIndex(index, self.indexes.open(index), self.embedders[index.model])

    def handle(self, message: ObjectEvent | Job, lane: Lane | None = Lane.FAST) -> None:
        if isinstance(message, ObjectEvent):
            super().handle(message, lane)
            return
        live = self.live()
        worker = self.workers[lane or Lane.FAST]
        process(
            message,
            replace(
                worker,
                index=live.index,
                indexes=self.indexes,
                vectors=live.vectors,
                indexer=self._indexer(live.index, live.vectors, live.embedder),
            ),
        )

    def reindexing(self) -> Reindexing:
        """What a reindex works with; while it waits, the lanes work and the time passes."""
        wrap = self.faults.wrap

        def indexer_of(index: Index, vectors: VectorStore) -> Indexer:
            return self._indexer(index, vectors, wrap("embedder", self.embedders[index.model]))

        def sleep(seconds: float) -> None:
            self.run()
            self.clock.advance(timedelta(seconds=seconds))

        return Reindexing(
            bucket=wrap("bucket", self.bucket),
            documents=wrap("documents", self.documents),
            indexes=_Indexes(self.indexes, self.faults),
            publisher=wrap("publisher", self.publisher),
            extractor=Extractor(),
            clock=self.clock,
            wanted=self.wanted,
            indexer_of=indexer_of,
            sleep=sleep,
            grace=10,
        )

    def ask(self, query: str) -> list[SearchResult]:
        return search_live(query, live=self.live, documents=self.documents, top_k=50, threshold=0.0)

    def contents(self) -> dict[str, object]:
        """What search may show of each document, and what else is held: all of it."""
        live = self.live()
        contents: dict[str, object] = {"indexes": list(self.indexes.all()), "live": live.index}
        shown: set[str] = set()
        for record in self.documents.page(limit=1000).documents:
            active = record.active
            chunks = live.vectors.read(record.id, active.generation) if active else []
            shown |= {one.chunk.id for one in chunks}
            contents[record.name] = (
                record.status,
                record.failure.code if record.failure else None,
                record.beside,
                active and (active.index, active.fingerprint, active.chunk_count == len(chunks)),
                [(one.chunk.text, one.chunk.char_start, one.vector.tolist(), one.terms) for one in chunks],
            )
        contents["beyond"] = [chunk for chunk in live.vectors.scan(limit=10_000) if chunk.id not in shown]
        return contents

    def _indexer(self, index: Index, vectors: VectorStore, embedder: Any) -> Indexer:
        return Indexer(chunker=Chunker(self.size, 40), embedder=embedder, vectors=vectors, language=index.language)


class _Indexes:
    """Whose calls, and those of the stores that it opens, can fail."""

    def __init__(self, indexes: MemoryIndexes, faults: Faults) -> None:
        self._indexes, self._faults = indexes, faults

    def __getattr__(self, name: str) -> Any:
        called = getattr(self._faults.wrap("indexes", self._indexes), name)
        if name != "open":
            return called
        return lambda index: self._faults.wrap("vectors", called(index))
