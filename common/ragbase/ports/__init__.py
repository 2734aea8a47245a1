"""What the use cases need from the world: one Protocol for each port. The code in adapters/ implements them.

Each port has one contract suite in tests/contract, which all its adapters pass. Unless a method says otherwise, an
adapter raises Unavailable if its service does not answer or fails, whatever it was asked, and TransientError for any
other temporary error.

A name loads its module when it is first imported from here: a cold start pays for no other. Types alone need none: the
code imports them `if TYPE_CHECKING`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ragbase.ports.deadline import deadline, seconds_left, work_until  # `deadline` is also the name of its module

if TYPE_CHECKING:
    from ragbase.ports.audit_log import AuditLog, EntryPlace
    from ragbase.ports.bucket import Bucket, SignedRequest, StoredObject
    from ragbase.ports.changes import ChangedIds, Changes
    from ragbase.ports.chat_model import ChatModel, CutOff
    from ragbase.ports.checkpoints import Checkpoints
    from ragbase.ports.chunker import Chunker
    from ragbase.ports.clock import Clock
    from ragbase.ports.dead_letters import DeadLetterPlace, DeadLetters
    from ragbase.ports.document_store import DocumentStore, ListingPlace
    from ragbase.ports.embedder import Embedder, Embeddings, QueryEmbedder, TextRefused
    from ragbase.ports.extractor import Extractor
    from ragbase.ports.generator import Billed, DraftCitation, DraftSentence, Generator
    from ragbase.ports.given_texts import GivenTexts, StoredText
    from ragbase.ports.indexes import Indexes, Partitions
    from ragbase.ports.open_index import OpenIndex, OpenPartitions
    from ragbase.ports.part_texts import PartTexts
    from ragbase.ports.ports import Ports
    from ragbase.ports.publisher import Publisher, Topic
    from ragbase.ports.reranker import Reranked, Reranker
    from ragbase.ports.source import DocumentSource, SourceEntry
    from ragbase.ports.subscriptions import Handlers
    from ragbase.ports.unfinished_files import UnfinishedFiles
    from ragbase.ports.upload_key import UploadKey
    from ragbase.ports.vector_store import Candidates, HeldChunk, Hit, VectorStore
    from ragbase.ports.watcher import Watcher
    from ragbase.ports.word_boxes import WordBoxes

__all__ = [
    "AuditLog",
    "Billed",
    "Bucket",
    "Candidates",
    "ChangedIds",
    "Changes",
    "ChatModel",
    "Checkpoints",
    "Chunker",
    "Clock",
    "CutOff",
    "DeadLetterPlace",
    "DeadLetters",
    "DocumentSource",
    "DocumentStore",
    "DraftCitation",
    "DraftSentence",
    "Embedder",
    "Embeddings",
    "EntryPlace",
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
    "TextRefused",
    "Topic",
    "UnfinishedFiles",
    "UploadKey",
    "VectorStore",
    "Watcher",
    "WordBoxes",
    "deadline",
    "seconds_left",
    "work_until",
]

_MODULES = {
    "AuditLog": "ragbase.ports.audit_log",
    "Billed": "ragbase.ports.generator",
    "Bucket": "ragbase.ports.bucket",
    "Candidates": "ragbase.ports.vector_store",
    "ChangedIds": "ragbase.ports.changes",
    "Changes": "ragbase.ports.changes",
    "ChatModel": "ragbase.ports.chat_model",
    "Checkpoints": "ragbase.ports.checkpoints",
    "Chunker": "ragbase.ports.chunker",
    "Clock": "ragbase.ports.clock",
    "CutOff": "ragbase.ports.chat_model",
    "DeadLetterPlace": "ragbase.ports.dead_letters",
    "DeadLetters": "ragbase.ports.dead_letters",
    "DocumentSource": "ragbase.ports.source",
    "DocumentStore": "ragbase.ports.document_store",
    "DraftCitation": "ragbase.ports.generator",
    "DraftSentence": "ragbase.ports.generator",
    "Embedder": "ragbase.ports.embedder",
    "Embeddings": "ragbase.ports.embedder",
    "EntryPlace": "ragbase.ports.audit_log",
    "Extractor": "ragbase.ports.extractor",
    "Generator": "ragbase.ports.generator",
    "GivenTexts": "ragbase.ports.given_texts",
    "Handlers": "ragbase.ports.subscriptions",
    "HeldChunk": "ragbase.ports.vector_store",
    "Hit": "ragbase.ports.vector_store",
    "Indexes": "ragbase.ports.indexes",
    "ListingPlace": "ragbase.ports.document_store",
    "OpenIndex": "ragbase.ports.open_index",
    "OpenPartitions": "ragbase.ports.open_index",
    "PartTexts": "ragbase.ports.part_texts",
    "Partitions": "ragbase.ports.indexes",
    "Ports": "ragbase.ports.ports",
    "Publisher": "ragbase.ports.publisher",
    "QueryEmbedder": "ragbase.ports.embedder",
    "Reranked": "ragbase.ports.reranker",
    "Reranker": "ragbase.ports.reranker",
    "SignedRequest": "ragbase.ports.bucket",
    "SourceEntry": "ragbase.ports.source",
    "StoredObject": "ragbase.ports.bucket",
    "StoredText": "ragbase.ports.given_texts",
    "TextRefused": "ragbase.ports.embedder",
    "Topic": "ragbase.ports.publisher",
    "UnfinishedFiles": "ragbase.ports.unfinished_files",
    "UploadKey": "ragbase.ports.upload_key",
    "VectorStore": "ragbase.ports.vector_store",
    "Watcher": "ragbase.ports.watcher",
    "WordBoxes": "ragbase.ports.word_boxes",
}

if not TYPE_CHECKING:  # type checkers would take any name for one of ours

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_MODULES[name]), name)
        return value
