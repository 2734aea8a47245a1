"""Take out of the vector store what no search shows and nobody is working on."""

from __future__ import annotations

from ragbase.domain.document import Document
from ragbase.ports import VectorStore


def withdraw(record: Document, generation: int, vectors: VectorStore) -> None:
    """Remove the chunks that `generation` and its predecessors may have left, given the record as it was just now.

    Only what can never be wanted again is removed, so it does no harm when the record has moved on meanwhile: a record
    goes on to newer generations alone. Chunks of the record's own generation stay, also where it is FAILED: no search
    shows them, and somebody may ask for another round of attempts, which finds in them what is paid for. Called again
    it removes what a crash left the first time.
    """
    if record.tombstone:
        vectors.delete_older(record.id, than=record.generation + 1)
    elif record.generation != generation:
        if not record.shows(generation):
            vectors.delete(record.id, generation=generation)
    elif not record.is_open:
        vectors.delete_older(record.id, than=generation)
