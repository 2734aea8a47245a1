"""Remove from the vector store what search does not show and nobody is working on."""

from __future__ import annotations

from collections.abc import Callable, Collection

from ragbase.domain.document import Document
from ragbase.ports import VectorStore


def remove_stale_chunks(record: Document, generation: int, vectors: VectorStore) -> None:
    """Remove the chunks that `generation` and older ones may have left. `record` is as it was a moment ago.

    Only what nobody can want again is removed, so it does no harm if the record has changed in the meantime: a record
    moves to newer generations only. Chunks of the record's own generation stay, even if it is FAILED: search does
    not show them, and a retry finds in them what is already paid for. A second call removes what a crash left.
    """
    if record.tombstone:
        vectors.delete_older(record.id, than=record.generation + 1)
    elif record.generation != generation:
        if not record.shows(generation):
            vectors.delete(record.id, generation=generation)
    elif not record.needs_work:
        vectors.delete_older(record.id, than=generation)


def remove_surplus_chunks(
    document_id: str, generation: int, made: Collection[str], vectors: VectorStore, before_remove: Callable[[], None]
) -> None:
    """Remove the chunks of `generation` whose ids are not in `made`: an attempt with other settings has left them, and
    search would show them with the others. Those in `made` are all there before any is removed."""
    if vectors.held([document_id]).get(document_id, {}).get(generation, 0) > len(made):
        surplus = [one.chunk.id for one in vectors.read(document_id, generation) if one.chunk.id not in made]
        before_remove()
        vectors.delete_chunks(surplus)
