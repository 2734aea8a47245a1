"""The same bytes under another name cost nothing: their chunks and vectors are copied."""

from __future__ import annotations

from dataclasses import replace

from ragbase.domain.chunk import EmbeddedChunk
from ragbase.domain.document import Active, Document
from ragbase.domain.identity import chunk_id
from ragbase.ports import DocumentStore, VectorStore


def reuse_twin(
    record: Document, fingerprint: str, *, index: str, documents: DocumentStore, vectors: VectorStore
) -> Active | None:
    """Write the record's generation as a copy of a live document with equal bytes; None where there is no such one in
    the index of this name, of which `vectors` are the chunks.

    The copy is the record's own: deleting either never harms the other.
    """
    twin = documents.find_active(record.md5, fingerprint) if record.md5 else None
    if twin is None or twin.active is None or twin.active.text_length < record.config.min_text_length:
        return None
    if twin.active.index != index:
        return None
    originals = vectors.read(twin.id, twin.active.generation)
    if len(originals) != twin.active.chunk_count:
        return None  # it is being replaced or deleted while we look
    if (twin.id, twin.active.generation) != (record.id, record.generation):
        vectors.write([_copy(original, record) for original in originals])
    return replace(
        twin.active,
        generation=record.generation,
        duplicate_of=twin.id if twin.id != record.id else twin.active.duplicate_of,
    )


def _copy(original: EmbeddedChunk, record: Document) -> EmbeddedChunk:
    chunk = original.chunk
    return replace(
        original,
        chunk=replace(
            chunk,
            id=chunk_id(record.id, record.generation, chunk.part, chunk.ordinal),
            document_id=record.id,
            generation=record.generation,
        ),
    )
