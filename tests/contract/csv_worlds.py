"""The CSV service over each vector store and each keeper of checkpoints, and what its tests look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragbase.adapters.hashing.embedder import HashingEmbedder
from ragbase.chunking.chunker import MarkdownChunker
from ragbase.csv_service import (
    CsvDocumentLoader,
    CsvProperties,
    RagService,
    RowStore,
    VectorStoreInitializer,
    VectorStoreProperties,
)
from ragbase.csv_service.cut_parts import text_ids
from ragbase.csv_service.loaded_rows import LoadedRows
from ragbase.domain.errors import Unavailable
from ragbase.ports import Checkpoints, Embeddings, Indexes
from ragbase.testing.clock import VirtualClock
from tests.contract.adapters import CHECKPOINTS
from tests.contract.indexes import INDEXES

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector

WORLDS: Mapping[str, tuple[str, str]] = {
    "memory": ("memory", "memory"),
    "sqlite": ("sqlite", "sqlite"),
    "weaviate": ("weaviate", "memory"),
    "qdrant": ("qdrant", "memory"),
    "firestore": ("memory", "firestore"),
}
"""The adapters for Indexes and for Checkpoints, by the name of a world."""


class CountingEmbedder:
    """Embeds as HashingEmbedder, keeps what it was asked for, and fails after `budget` texts."""

    def __init__(self, dimension: int = 64) -> None:
        self._hashing = HashingEmbedder(dimension)
        self.model, self.dimension, self.max_batch = self._hashing.model, dimension, 50
        self.texts: list[str] = []
        self.largest_batch = 0
        self.budget = 1_000_000

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        if len(texts) > self.budget:
            raise Unavailable("The embedding service is away.")
        self.budget -= len(texts)
        self.largest_batch = max(self.largest_batch, len(texts))
        self.texts += texts
        return self._hashing.embed_documents(texts)

    def embed_query(self, text: str) -> Vector:
        return self._hashing.embed_query(text)

    def taken(self) -> list[str]:
        """The texts since the last call."""
        texts, self.texts = self.texts, []
        return texts


@dataclass
class CsvWorld:
    """One CSV file, and the processes that load and search it."""

    file: Path
    indexes: Callable[[], Indexes]
    checkpoints: Checkpoints
    embedder: CountingEmbedder = field(default_factory=CountingEmbedder)
    clock: VirtualClock = field(default_factory=VirtualClock)
    settings: dict[str, Any] = field(default_factory=dict)
    search_settings: VectorStoreProperties = field(default_factory=VectorStoreProperties)
    _processes: int = 0

    def process(
        self,
        loader: type[CsvDocumentLoader] = CsvDocumentLoader,
        service: type[RagService] = RagService,
        initializer: type[VectorStoreInitializer] = VectorStoreInitializer,
        **parts: Any,
    ) -> CsvProcess:
        """A new process. `parts` replace parts of its row store."""
        self._processes += 1
        store = RowStore(
            **{
                "checkpoints": self.checkpoints,
                "indexes": self.indexes(),
                "embedder": self.embedder,
                "embedder_for": lambda index: HashingEmbedder(index.dimension),
                "chunker": MarkdownChunker(),
                "language": "english",
                "clock": self.clock,
                "owner": f"process {self._processes}",
                "wait": lambda seconds: self.clock.advance(timedelta(seconds=seconds)),
                **parts,
            }
        )
        made = loader(CsvProperties(path=str(self.file), **self.settings), store)
        return CsvProcess(store, made, service(store, self.search_settings), initializer(made, store))

    def write(self, *rows: str, header: str = "question,answer") -> None:
        self.file.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")

    @property
    def shown(self) -> list[tuple[int, str]]:
        """The numbers and texts of all rows that search may show, in order."""
        loaded = LoadedRows(self.checkpoints)
        version = loaded.version()
        if version is None:
            return []
        vectors = self.indexes().open(version.index)
        found, number = [], 0
        for part in version.parts:
            keys = loaded.keys(part.id)
            assert keys is not None and len(keys) == 16 * part.span
            for start in range(0, len(keys), 16):
                number += 1
                for id in text_ids(keys[start : start + 16]):
                    passages = vectors.read(id, 0)
                    assert passages, f"row {number} has no text"
                    found.append((number, "".join(one.chunk.text for one in passages)))
        return found

    @property
    def held(self) -> int:
        """How many passages the vector store holds, shown or not, in all indexes."""
        indexes = self.indexes()
        return sum(len(indexes.open(index).scan(limit=9_999)) for index in indexes.all())


@dataclass(frozen=True)
class CsvProcess:
    store: RowStore
    loader: CsvDocumentLoader
    service: RagService
    initializer: VectorStoreInitializer

    def start(self) -> CsvProcess:
        self.initializer.initialize()
        return self

    def rows(self, query: str) -> list[int]:
        return [document.metadata["row"] for document in self.service.search(query)]


@contextmanager
def csv_world(name: str, folder: Path) -> Iterator[CsvWorld]:
    indexes, checkpoints = WORLDS[name]
    with ExitStack() as opened:
        yield CsvWorld(
            folder / "knowledge.csv",
            opened.enter_context(INDEXES[indexes]()),
            opened.enter_context(CHECKPOINTS[checkpoints]()),
        )
