"""The peer that ragbase is compared with: LangChain's index() and InMemoryVectorStore, with our chunks and embedder."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.indexing import InMemoryRecordManager, RecordManager, index
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from ragbase.domain.chunk import Passage, embedding_text
from ragbase.ports import Embedder


class PeerEmbeddings(Embeddings):
    """Our embedder with LangChain's interface."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        size = self._embedder.max_batch
        return [
            vector.tolist()
            for start in range(0, len(texts), size)
            for vector in self._embedder.embed_documents(texts[start : start + size]).vectors
        ]

    def embed_query(self, text: str) -> list[float]:
        vector: list[float] = self._embedder.embed_query(text).tolist()
        return vector


class Peer:
    """An index in memory. It saves nothing, has no atomic changes and no status: the work cannot cost less."""

    def __init__(self, embedder: Embedder) -> None:
        self.store = InMemoryVectorStore(PeerEmbeddings(embedder))
        self._records = InMemoryRecordManager(namespace="bench")
        self._records.create_schema()

    def ingest(self, documents: Sequence[tuple[str, Sequence[Passage]]]) -> None:
        """Index the passages of all documents in one call, which is the fastest way for LangChain."""
        index_documents(documents, self._records, self.store)

    def query(self, text: str, limit: int) -> int:
        return len(self.store.similarity_search_with_score(text, k=limit))


def index_documents(
    documents: Sequence[tuple[str, Sequence[Passage]]], records: RecordManager, store: VectorStore
) -> None:
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
