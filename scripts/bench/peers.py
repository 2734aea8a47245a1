"""What ragbase is compared with, with our chunks and embedder: LangChain's index() and InMemoryVectorStore, and what
keeps what it indexes on disk, as ragbase does: LangChain's index() with SQLRecordManager and Chroma. The packages that
only the latter needs (requirements/peers.txt) are in a folder of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.indexing import InMemoryRecordManager, RecordManager, index
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from ragbase.domain.chunk import Passage, embedding_text
from ragbase.ports import Embedder
from ragbase.ports.embedder import in_calls

Documents = Sequence[tuple[str, Sequence[Passage]]]
"""The passages of each document, by its name."""


class PeerEmbeddings(Embeddings):
    """Our embedder with LangChain's interface."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        calls = in_calls(texts, self._embedder)
        return [vector.tolist() for call in calls for vector in self._embedder.embed_documents(call).vectors]

    def embed_query(self, text: str) -> list[float]:
        vector: list[float] = self._embedder.embed_query(text).tolist()
        return vector


class Peer:
    """An index in memory. It saves nothing, has no atomic changes and no status: the work cannot cost less."""

    def __init__(self, embedder: Embedder) -> None:
        self.store = InMemoryVectorStore(PeerEmbeddings(embedder))
        self._records = InMemoryRecordManager(namespace="bench")
        self._records.create_schema()

    def ingest(self, documents: Documents) -> None:
        """Index the passages of all documents in one call, which is the fastest way for LangChain."""
        index_documents(documents, self._records, self.store)

    def query(self, text: str, limit: int = 5) -> int:
        return len(self.store.similarity_search_with_score(text, k=limit))


def index_documents(documents: Documents, records: RecordManager, store: VectorStore) -> None:
    """Index the passages of documents in one call of LangChain's index()."""
    chunks = [
        Document(page_content=embedding_text(passage), metadata={"source": name, "start": passage.char_start})
        for name, passages in documents
        for passage in passages
    ]
    index(
        chunks,
        records,
        store,
        cleanup="incremental",
        source_id_key="source",
        key_encoder="blake2b",
        batch_size=1000,
    )


def langchain_in_one_call(documents: Documents, embedder: Embedder, folder: Path) -> None:
    _langchain([documents], embedder, folder)


def langchain_in_a_call_each(documents: Documents, embedder: Embedder, folder: Path) -> None:
    _langchain([[document] for document in documents], embedder, folder)


PEERS: dict[str, Callable[[Documents, Embedder, Path], None]] = {
    "langchain_in_one_call": langchain_in_one_call,
    "langchain_in_a_call_each": langchain_in_a_call_each,
}
"""How to index all documents in an empty folder. "A call each": a document is on disk before the next one starts."""


def _langchain(calls: Sequence[Documents], embedder: Embedder, folder: Path) -> None:
    from chromadb import Settings
    from langchain_chroma import Chroma
    from langchain_classic.indexes import SQLRecordManager

    records = SQLRecordManager("bench", db_url=f"sqlite:///{folder / 'records.db'}")
    records.create_schema()
    store = Chroma(
        "bench",
        PeerEmbeddings(embedder),
        persist_directory=str(folder / "chroma"),
        client_settings=Settings(anonymized_telemetry=False, is_persistent=True),
    )
    for documents in calls:
        index_documents(documents, records, store)
