"""Evidence without a store."""

from __future__ import annotations

from datetime import UTC, datetime

from ragbase.domain.chunk import Chunk
from ragbase.domain.document import Document, IndexedGeneration, Status
from ragbase.domain.evidence import EvidencePassage
from ragbase.domain.identity import chunk_id, document_id, text_hash
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.lane import Lane

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def passage(number: int, text: str, *, name: str = "guide.md", header: str = "") -> EvidencePassage:
    """A passage that is the whole text of a document."""
    chunks = (chunk(name, text, header=header),)
    return EvidencePassage(id=str(number), document=document(name), chunks=chunks, score=0.9)


def chunk(name: str, text: str, *, generation: int = 1, ordinal: int = 0, start: int = 0, header: str = "") -> Chunk:
    id = document_id("bucket", name)
    return Chunk(
        id=chunk_id(id, generation, ordinal, "settings"),
        document_id=id,
        generation=generation,
        ordinal=ordinal,
        text=text,
        char_start=start,
        char_end=start + len(text),
        header_path=tuple(header.split(" > ")) if header else (),
        page=None,
        text_hash=text_hash(text),
    )


def document(name: str, generation: int | None = 1) -> Document:
    active = None
    if generation is not None:
        active = IndexedGeneration(generation=generation, chunk_count=1, md5="", fingerprint="md|", text_length=1)
    return Document(
        id=document_id("bucket", name),
        bucket="bucket",
        name=name,
        generation=generation or 99,
        status=Status.COMPLETED,
        size=1,
        md5="",
        content_type="text/markdown",
        format="md",
        lane=Lane.FAST,
        source=name,
        config=ProcessingConfig(),
        created_at=NOW,
        updated_at=NOW,
        active=active,
        tombstone=generation is None,
    )
