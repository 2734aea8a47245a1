"""What a reindex works with, and what it tells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from ragbase.domain.document import Document, Usage
from ragbase.domain.index import Index, index_of
from ragbase.pipeline.index_text import Indexer
from ragbase.pipeline.rebuild import Rebuilder
from ragbase.ports import Bucket, Clock, DocumentStore, Extractor, Indexes, Publisher, VectorStore

PAGE = 100
"""Records that are looked at together: as many documents are in memory at a time, at most."""


class Phase(StrEnum):
    """What a reindex is at: before the flip it builds, after it the records follow."""

    BUILDING = "building"
    SWITCHING = "switching over"


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` documents are in step with the index of this phase; `waiting` are in work in the lanes."""

    phase: Phase
    done: int
    total: int
    waiting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reindexed:
    """`index` is the live one, and `made` tells that it is new. `refused` documents cannot be made as the settings say,
    and FAIL with their reasons. `kept` names indexes that others are building."""

    index: Index | None
    made: bool = False
    documents: int = 0
    chunks: int = 0
    refused: int = 0
    usage: Usage = field(default_factory=Usage)
    dropped: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reindexing:
    """The ports of a reindex, and what the settings ask for.

    `wanted` is the index that the settings make, `indexer_of` gives what writes an index. `grace` is in seconds, longer
    than it takes until every process knows of a flip and has answered the queries before it. `each` may make its calls
    at the same time, as the map of an executor.
    """

    bucket: Bucket
    documents: DocumentStore
    indexes: Indexes
    publisher: Publisher
    extractor: Extractor
    clock: Clock
    wanted: Index
    indexer_of: Callable[[Index, VectorStore], Indexer]
    sleep: Callable[[float], None]
    grace: float
    each: Callable[[Callable[[Document], Any], Sequence[Document]], Iterable[Any]] = map

    def rebuilder(self, index: Index, vectors: VectorStore, source: Index | None) -> Rebuilder:
        """What makes documents for `index`, whose chunks are `vectors`, with the embeddings that `source` has."""
        reusable = source is not None and source.model == index.model
        return Rebuilder(
            bucket=self.bucket,
            documents=self.documents,
            extractor=self.extractor,
            clock=self.clock,
            index=index,
            indexer=self.indexer_of(index, vectors),
            source=self.indexes.open(source) if source is not None and reusable else None,
        )

    def records(self) -> Iterator[Sequence[Document]]:
        """All of them, a page at a time."""
        after = ""
        while True:
            page = self.documents.scan(self.bucket.name, after=after, limit=PAGE)
            yield page
            if len(page) < PAGE:
                return
            after = page[-1].name

    def is_due(self, live: Index) -> bool:
        """Whether anything in the live index was made otherwise than the settings say."""
        if not live.made_like(self.wanted):
            return True
        asked = self.rebuilder(live, self.indexes.open(live), None)
        return any(
            record.active.fingerprint != asked.fingerprint(record.format)
            for page in self.records()
            for record in page
            if record.active is not None and record.format is not None
        )

    def target(self, live: Index) -> Index:
        """The index to build beside the live one."""
        wanted = self.wanted
        if wanted.name != live.name:
            return wanted
        return index_of(
            wanted.name, model=wanted.model, dimension=wanted.dimension, language=wanted.language, beside=live.name
        )

    def half_built(self, *but: Index) -> list[Index]:
        """The indexes beside these for which documents have been made: somebody's reindex that was not finished."""
        others = [index for index in self.indexes.all() if index not in but]
        if not others:
            return []
        named = {record.beside.index for page in self.records() for record in page if record.beside is not None}
        return [index for index in others if index.name in named]
