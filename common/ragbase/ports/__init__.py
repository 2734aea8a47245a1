"""What the use cases need from the world: one Protocol for each port. The code in adapters/ implements them.

Each port has one contract suite in tests/contract, which all its adapters pass. Unless a method says otherwise, an
adapter raises Unavailable if its service does not answer or fails, whatever it was asked, and TransientError for any
other temporary error.
"""

from __future__ import annotations

from ragbase.ports.bucket import Bucket, SignedRequest, StoredObject
from ragbase.ports.checkpoints import Checkpoints
from ragbase.ports.chunker import Chunker
from ragbase.ports.clock import Clock
from ragbase.ports.dead_letters import DeadLetters
from ragbase.ports.deadline import deadline, seconds_left, work_until
from ragbase.ports.document_store import DocumentStore, ListingPlace
from ragbase.ports.embedder import Embedder, Embeddings, QueryEmbedder
from ragbase.ports.extractor import Extractor
from ragbase.ports.generator import Billed, Claim, DraftSentence, Generator
from ragbase.ports.given_texts import GivenTexts, StoredText
from ragbase.ports.indexes import Indexes, Partitions
from ragbase.ports.open_index import OpenIndex, OpenPartitions
from ragbase.ports.part_texts import PartTexts
from ragbase.ports.ports import Ports
from ragbase.ports.publisher import Publisher, Topic
from ragbase.ports.reranker import Reranked, Reranker
from ragbase.ports.source import DocumentSource, SourceEntry
from ragbase.ports.subscriptions import Handlers
from ragbase.ports.vector_store import Candidates, HeldChunk, Hit, VectorStore
from ragbase.ports.watcher import Watcher

__all__ = [
    "Billed",
    "Bucket",
    "Candidates",
    "Checkpoints",
    "Chunker",
    "Claim",
    "Clock",
    "DeadLetters",
    "DocumentSource",
    "DocumentStore",
    "DraftSentence",
    "Embedder",
    "Embeddings",
    "Extractor",
    "Generator",
    "GivenTexts",
    "Handlers",
    "HeldChunk",
    "Hit",
    "Indexes",
    "ListingPlace",
    "OpenIndex",
    "OpenPartitions",
    "PartTexts",
    "Partitions",
    "Ports",
    "Publisher",
    "QueryEmbedder",
    "Reranked",
    "Reranker",
    "SignedRequest",
    "SourceEntry",
    "StoredObject",
    "StoredText",
    "Topic",
    "VectorStore",
    "Watcher",
    "deadline",
    "seconds_left",
    "work_until",
]
