"""The same bytes under another name cost nothing: their chunks, vectors and word boxes are copied."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from ragbase.domain.identity import chunk_id
from ragbase.domain.labels import labels_of
from ragbase.domain.names import names_of
from ragbase.pipeline.remove_stale_chunks import remove_surplus_chunks
from ragbase.text.named_terms import with_names

if TYPE_CHECKING:
    from ragbase.domain.chunk import EmbeddedChunk
    from ragbase.domain.document import Document, IndexedGeneration
    from ragbase.ports import DocumentStore, OpenIndex, WordBoxes


def copy_duplicate(
    record: Document,
    fingerprint: str,
    *,
    index: OpenIndex,
    documents: DocumentStore,
    boxes: WordBoxes,
    before_write: Callable[[], None] = lambda: None,
) -> IndexedGeneration | None:
    """Write the record's generation as a copy of another document with equal bytes and fingerprint; None if this
    index has no such document. In an index that is split by tenant, it is one of the same tenant: nothing that a tenant
    could see depends on what another one has.

    The copy belongs to the record alone: deleting either document never harms the other.
    """
    tenant = index.index.tenant_of(record.name) if index.index.is_split else None
    duplicate = documents.find_active(record.md5, fingerprint, tenant=tenant) if record.md5 else None
    if duplicate is None or duplicate.active is None:
        return None
    original = duplicate.active
    if original.text_length < record.config.min_text_length or original.index_name != index.index.name:
        return None
    vectors = index.vectors_of(record.name)
    chunks = vectors.read(duplicate.id, original.generation)
    if len(chunks) != original.chunk_count or any(one.chunk.id != _id(one, duplicate, original) for one in chunks):
        return None  # somebody is replacing or deleting it right now, maybe with other settings
    if (duplicate.id, original.generation) != (record.id, record.wanted):
        copies = [_copy(chunk, record, original, index.index.language) for chunk in chunks]
        before_write()
        vectors.write(copies)
        made = {copy.chunk.id for copy in copies}
        remove_surplus_chunks(record.id, record.wanted, made, vectors, before_write)
        if vectors.held([record.id]).get(record.id, {}).get(record.wanted) != len(copies):
            return None  # a search does not find them all: the generation is made from the bytes
        placed = boxes.read(duplicate.id, original.generation, original.reader)
        if placed is not None:
            before_write()
            boxes.put(record.id, record.wanted, original.reader, placed)
    return replace(
        original,
        generation=record.wanted,
        given=record.given_text,
        page_count=record.given_text.page_count if record.given_text is not None else original.page_count,
        duplicate_of=duplicate.id if duplicate.id != record.id else original.duplicate_of,
    )


def _id(one: EmbeddedChunk, record: Document, made: IndexedGeneration) -> str:
    return chunk_id(record.id, made.generation, one.chunk.ordinal, made.fingerprint)


def _copy(one: EmbeddedChunk, record: Document, original: IndexedGeneration, language: str) -> EmbeddedChunk:
    made, said = replace(original, generation=record.wanted), original.metadata.at(record.source)
    chunk = replace(one.chunk, id=_id(one, record, made), document_id=record.id, generation=record.wanted)
    terms = with_names(one.terms, names_of(record.name, said), language)
    return replace(one, chunk=chunk, terms=terms, labels=labels_of(record.name, original.format, said))
