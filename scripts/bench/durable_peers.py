"""Peers that keep what they index on disk, as ragbase does: LangChain's index() with SQLRecordManager, and LlamaIndex.

Both have Chroma as their vector store, and our chunks and embedder. The packages that only they need are in a folder of
their own.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from ragbase.domain.chunk import Passage, embedding_text
from ragbase.ports import Embedder
from scripts.local_cloud.process import cache_folder, exclusive

Documents = Sequence[tuple[str, Sequence[Passage]]]
"""The passages of each document, by its name."""

_REQUIREMENTS = Path(__file__).resolve().parents[2] / "requirements" / "peers.txt"


def packages() -> Path:
    """The folder of the packages that .venv lacks (360 MB). They are installed when it is first asked for."""
    folder = cache_folder(f"bench-peers-{hashlib.sha256(_REQUIREMENTS.read_bytes()).hexdigest()[:12]}")
    done = folder / "installed"
    with exclusive(folder):
        if not done.exists():
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            options = ["--require-hashes", "--no-deps", "--upgrade", "--target", str(folder)]
            subprocess.run([*pip, *options, "--requirement", str(_REQUIREMENTS)], check=True)
            done.touch()
    return folder


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
