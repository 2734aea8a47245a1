"""An index that can be searched and written."""

from __future__ import annotations

from dataclasses import dataclass

from ragbase.domain.index import Index
from ragbase.ports.embedder import Embedder
from ragbase.ports.vector_store import VectorStore


@dataclass(frozen=True, slots=True)
class OpenIndex:
    """An index with its chunks and the embedder that it was made with: vectors of different models cannot be
    compared."""

    index: Index
    vectors: VectorStore
    embedder: Embedder
