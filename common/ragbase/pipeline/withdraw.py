"""Take out of the vector store what no search shows and nobody is working on."""

from __future__ import annotations

from ragbase.domain.document import Document, Status
from ragbase.ports import VectorStore


def withdraw(record: Document, generation: int, vectors: VectorStore) -> None:
    """Remove the chunks that `generation` and its predecessors may have left, given the record as it is now.

    Chunks of a generation that is still wanted and open stay: another worker may be writing them. Called again it
    removes what a crash left the first time.
    """
    if record.tombstone:
        vectors.delete_older(record.id, than=record.generation + 1)
    elif record.generation != generation:
        if not record.shows(generation):
            vectors.delete(record.id, generation=generation)
    elif record.status is Status.COMPLETED:
        vectors.delete_older(record.id, than=generation)
    elif record.status is Status.FAILED:
        vectors.delete_older(record.id, than=generation + 1)
