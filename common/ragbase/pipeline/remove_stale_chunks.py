"""Remove from the vector store what search does not show and nobody is working on."""

from __future__ import annotations

from collections.abc import Callable, Collection

from ragbase.domain.document import Document
from ragbase.ports import DocumentStore, VectorStore


def remove_stale_chunks(record: Document, generation: int, documents: DocumentStore, vectors: VectorStore) -> None:
    """Remove the chunks that `generation` and others may have left. `record` is as it was a moment ago, when there was
    a job for the generation.

    The chunks are looked up first, and the record is read after that. A record wants a generation before its first
    chunk is written, and never again once it has left it (pipeline/route.py). So a generation that has chunks, and that
    the record then does not need, is needed by nobody any more, and it does no harm if the record changes once more.

    While the document needs work, the chunks of other generations stay: they may hold texts that the new generation has
    too, which are then not embedded again. A second call removes what a crash left.
    """
    held = {} if record.needs_work else vectors.held([record.id]).get(record.id, {})
    if all(map(record.needs, {generation, *held})):
        return
    latest = documents.get(record.id)
    if latest is None:
        return
    for one in sorted({generation} if latest.needs_work else {generation, *held}):
        if not latest.needs(one):
            vectors.delete(record.id, generation=one)


def remove_surplus_chunks(
    document_id: str, generation: int, made: Collection[str], vectors: VectorStore, before_remove: Callable[[], None]
) -> None:
    """Remove the chunks of `generation` whose ids are not in `made`: an attempt with other settings has left them, and
    search would show them with the others. Those in `made` are all there before any is removed."""
    if vectors.held([document_id]).get(document_id, {}).get(generation, 0) > len(made):
        surplus = [one.chunk.id for one in vectors.read(document_id, generation) if one.chunk.id not in made]
        before_remove()
        vectors.delete_chunks(surplus)
