"""What the use cases need from the world. One Protocol a port; adapters/ holds what implements them.

Every port has one contract suite in tests/contract that all its adapters pass. Unless a method says otherwise, an
adapter whose service does not answer, or answers with a passing fault, raises TransientError.
"""

from __future__ import annotations

from ragbase.ports.bucket import Bucket, StoredObject
from ragbase.ports.checkpoints import Checkpoints
from ragbase.ports.clock import Clock
from ragbase.ports.dead_letters import DeadLetters
from ragbase.ports.document_store import DocumentPage, DocumentStore
from ragbase.ports.embedder import Embedder, Embeddings
from ragbase.ports.extractor import Extractor
from ragbase.ports.indexes import Indexes
from ragbase.ports.publisher import Handler, Publisher, Topic
from ragbase.ports.vector_store import Candidates, HeldChunk, Hit, VectorStore

__all__ = [
    "Bucket",
    "Candidates",
    "Checkpoints",
    "Clock",
    "DeadLetters",
    "DocumentPage",
    "DocumentStore",
    "Embedder",
    "Embeddings",
    "Extractor",
    "Handler",
    "HeldChunk",
    "Hit",
    "Indexes",
    "Publisher",
    "StoredObject",
    "Topic",
    "VectorStore",
]
