"""A world whose current index can be another with every job and every query, as it is while a reindex is working."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any, cast

import numpy as np

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.domain.errors import Busy
from ragbase.domain.index import Index, index_of
from ragbase.domain.job import Job
from ragbase.domain.lane import Lane
from ragbase.domain.object_event import ObjectEvent
from ragbase.domain.tenant import Tenancy
from ragbase.formats.extractor import FormatExtractor
from ragbase.pipeline.fingerprint import index_fingerprint
from ragbase.pipeline.hold import is_held
from ragbase.pipeline.make_chunks import Maker
from ragbase.pipeline.process import process
from ragbase.ports import DocumentStore, Indexes, OpenIndex
from ragbase.retrieval.search import search
from ragbase.retrieval.search_result import SearchResult
from ragbase.testing.indexes import MemoryIndexes
from ragbase.upkeep.reindex.plan import ReindexPlan
from tests.simulation.world import CountingEmbedder, Faults, World

Message = tuple[ObjectEvent | Job, Lane | None]


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


class Uploading(Faults):
    """Others upload while a reindex works: `upload` is called with the number of each pass that begins."""

    def __init__(self, upload: Callable[[int], None] = lambda _: None) -> None:
        super().__init__()
        self.upload = upload
        self.passes = 0

    def call(self, name: str, method: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        if name == "documents.count":  # the first call of each pass
            self.passes += 1
            self.upload(self.passes)
        return super().call(name, method, *arguments, **named)


class ReindexWorld(World):
    """`size` and `model` are the settings of chunker and embedder. `tenancy` and `has_graph` are some, too. `faults`
    are those of the reindex alone. The chunks are in memory, or in the indexes that are given."""

    def __init__(
        self,
        faults: Faults | None = None,
        *,
        tenancy: Tenancy = Tenancy.NONE,
        documents: DocumentStore | None = None,
        indexes: Indexes | None = None,
    ) -> None:
        super().__init__(documents=documents)
        self.faults = faults or Faults()
        self.tenancy = tenancy
        self.indexes = cast("MemoryIndexes", indexes or MemoryIndexes())
        self.embedders = {"counting": self.embedder, "other": OtherEmbedder()}
        self.size, self.model, self.has_graph = 200, "counting", False
        self.indexes.ensure(self.wanted)
        self._held: list[Message] = []

    @property
    def wanted(self) -> Index:
        made = (
            f"{FormatExtractor().versions}|{index_fingerprint(MarkdownChunker(self.size, 40), self.model, 'english')}"
        )
        return index_of(
            made,
            model=self.model,
            dimension=8,
            language="english",
            tenancy=self.tenancy,
            has_graph=self.has_graph,
        )

    def current(self) -> OpenIndex:
        index = self.indexes.current()
        assert index is not None
        return OpenIndex(index, self.indexes, self.embedders[index.model])

    def handle(self, message: ObjectEvent | Job, lane: Lane | None = Lane.FAST) -> None:
        if isinstance(message, ObjectEvent):
            super().handle(message, lane)
            return
        worker = self.workers[lane or Lane.FAST]
        process(message, replace(worker, ports=self.ports(), maker=lambda: self._maker(self.current())))

    def run(self, *, deliveries: int = 1) -> None:
        """As World. While flips are held, a job waits for the next run."""
        self._held, held = [], self._held
        for message in held:
            self._deliver(*message)
        super().run(deliveries=deliveries)

    def _deliver(self, message: ObjectEvent | Job, lane: Lane | None) -> None:
        if is_held(self.checkpoints, self.clock):
            try:
                self.handle(message, lane)
            except Busy:
                self._held.append((message, lane))
        else:
            super()._deliver(message, lane)

    def plan(self) -> ReindexPlan:
        """What a reindex works with; while it waits, the lanes work and the time passes."""
        wrap = self.faults.wrap

        indexes: Any = _Indexes(self.indexes, self.faults)

        def maker_for(index: Index) -> Maker:
            return self._maker(OpenIndex(index, indexes, wrap("embedder", self.embedders[index.model])))

        def sleep(seconds: float) -> None:
            self.run()
            self.clock.advance(timedelta(seconds=seconds))

        return ReindexPlan(
            ports=self.ports(
                bucket=wrap("bucket", self.bucket),
                documents=wrap("documents", self.documents),
                indexes=indexes,
                publisher=wrap("publisher", self.publisher),
            ),
            wanted=self.wanted,
            maker_for=maker_for,
            sleep=sleep,
            grace=10,
        )

    def ask(self, query: str, tenant: str | None = None) -> list[SearchResult]:
        return search(query, current=self.current, documents=self.documents, top_k=50, threshold=0.0, tenant=tenant)

    def contents(self) -> dict[str, object]:
        """What search may show of each document, and what else is held: all of it."""
        current = self.current()
        contents: dict[str, object] = {"indexes": list(self.indexes.all()), "current": current.index}
        shown: set[str] = set()
        for record in self.documents.page(limit=1000):
            active = record.active
            chunks = current.vectors_of(record.name).read(record.id, active.generation) if active else []
            shown |= {one.chunk.id for one in chunks}
            contents[record.name] = (
                record.status,
                record.failure.code if record.failure else None,
                record.rebuilt,
                active and (active.index_name, active.fingerprint, active.chunk_count == len(chunks)),
                [(one.chunk.text, one.chunk.char_start, one.vector.tolist(), one.terms) for one in chunks],
            )
        contents["beyond"] = [
            chunk
            for tenant in current.tenants()
            for chunk in current.vectors(tenant).scan(limit=10_000)
            if chunk.id not in shown
        ]
        return contents

    def _maker(self, index: OpenIndex) -> Maker:
        return Maker(extractor=FormatExtractor(), chunker=MarkdownChunker(self.size, 40), index=index)


class _Indexes:
    """Indexes whose calls can fail, and also those of the stores that they open."""

    def __init__(self, indexes: Indexes, faults: Faults) -> None:
        self._indexes, self._faults = indexes, faults

    def __getattr__(self, name: str) -> Any:
        called = getattr(self._faults.wrap("indexes", self._indexes), name)
        if name != "open":
            return called
        return lambda *arguments, **named: self._faults.wrap("vectors", called(*arguments, **named))
