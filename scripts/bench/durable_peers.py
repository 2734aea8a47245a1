"""Peers that keep what they index on disk, as ragbase does: LangChain's index() with SQLRecordManager, and LlamaIndex.

Both have Chroma as their vector store, and our chunks and embedder. The packages that only they need
(requirements/peers.txt, 360 MB) are in a folder of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ragbase.domain.chunk import Passage, embedding_text
from ragbase.ports import Embedder

Documents = Sequence[tuple[str, Sequence[Passage]]]
"""The passages of each document, by its name."""


def langchain_in_one_call(documents: Documents, embedder: Embedder, folder: Path) -> None:
    _langchain([documents], embedder, folder)


def langchain_in_a_call_each(documents: Documents, embedder: Embedder, folder: Path) -> None:
    _langchain([[document] for document in documents], embedder, folder)


def llamaindex_in_a_call_each(documents: Documents, embedder: Embedder, folder: Path) -> None:
    from chromadb import PersistentClient, Settings
    from llama_index.core import MockEmbedding, VectorStoreIndex
    from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
    from llama_index.vector_stores.chroma import ChromaVectorStore

    from scripts.bench.peer import PeerEmbeddings

    client = PersistentClient(str(folder / "chroma"), Settings(anonymized_telemetry=False))
    store = ChromaVectorStore(chroma_collection=client.create_collection("bench"))
    embeddings = PeerEmbeddings(embedder)
    # Nodes that have a vector are not embedded again.
    index = VectorStoreIndex.from_vector_store(store, embed_model=MockEmbedding(embedder.dimension))
    for name, passages in documents:
        texts = [embedding_text(passage) for passage in passages]
        source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id=name)}
        index.insert_nodes(
            [
                TextNode(text=text, embedding=vector, relationships=source)
                for text, vector in zip(texts, embeddings.embed_documents(texts), strict=True)
            ]
        )


PEERS: dict[str, Callable[[Documents, Embedder, Path], None]] = {
    "langchain_in_one_call": langchain_in_one_call,
    "langchain_in_a_call_each": langchain_in_a_call_each,
    "llamaindex_in_a_call_each": llamaindex_in_a_call_each,
}
"""How to index all documents in an empty folder. "A call each": a document is on disk before the next one starts."""


def _langchain(calls: Sequence[Documents], embedder: Embedder, folder: Path) -> None:
    from chromadb import Settings
    from langchain_chroma import Chroma
    from langchain_classic.indexes import SQLRecordManager

    from scripts.bench.peer import PeerEmbeddings, index_documents

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
