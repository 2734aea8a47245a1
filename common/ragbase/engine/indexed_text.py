"""What search shows of one document: its passages, and the text in which the offsets of its citations count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ragbase.domain.chunk import joined_text
from ragbase.domain.errors import TextGone

if TYPE_CHECKING:
    from ragbase.domain.chunk import Chunk
    from ragbase.domain.document import Document, IndexedGeneration
    from ragbase.ports import OpenIndex, VectorStore

_PAGE = 500
"""Chunks read at a time: about half a megabyte."""


def indexed_passages(record: Document, index: OpenIndex, *, first: int, limit: int) -> Sequence[Chunk]:
    """The passages of the generation that search shows, from place `first` on, in their order; at most `limit`.

    Raises TextGone if search shows nothing of the document, or another generation by now.
    """
    shown, vectors = _shown(record, index)
    return _passages(record, shown, vectors, first, limit)


def indexed_text(record: Document, index: OpenIndex) -> Iterator[str]:
    """The text of the generation that search shows, piece by piece: a chunk is what stands in it from `char_start` to
    `char_end`.

    It is put together from the chunks (domain/chunk.py). Raises TextGone as `indexed_passages`.
    """
    shown, vectors = _shown(record, index)
    place = 0
    for first in range(0, shown.chunk_count, _PAGE):
        page = _passages(record, shown, vectors, first, _PAGE)
        yield from joined_text(page, start=place)
        place = max([place, *(chunk.char_end for chunk in page)])
    yield "\n" * (shown.text_length - place)


def indexed_generation(record: Document, index: OpenIndex) -> IndexedGeneration:
    """The generation that search shows. Raises TextGone if it shows nothing of the document."""
    shown = record.indexed_in(index.index.name)
    if shown is None:
        raise TextGone(f"{record.source}: search shows nothing of it. `ragbase status` says why.")
    return shown


def _shown(record: Document, index: OpenIndex) -> tuple[IndexedGeneration, VectorStore]:
    return indexed_generation(record, index), index.vectors_of(record.name)


def _passages(
    record: Document, shown: IndexedGeneration, vectors: VectorStore, first: int, limit: int
) -> Sequence[Chunk]:
    chunks = vectors.chunks(record.id, shown.generation, first=first, limit=limit)
    if len(chunks) < min(limit, shown.chunk_count - first):
        raise TextGone(f"{record.source}: it was just replaced, deleted or reindexed. Try again in a moment.")
    return chunks
