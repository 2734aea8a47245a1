"""What a worker that is known to be dead held is free again at once, without waiting for its leases to run out."""

from __future__ import annotations

from ragbase.domain.transitions import abandoned
from ragbase.ports import Clock, DocumentStore


def recover(worker: str, *, documents: DocumentStore, clock: Clock) -> int:
    """Open the documents that the dead worker had claimed to others; return how many there were."""
    held = documents.leased_to(worker)
    for record in held:
        documents.update(record.id, abandoned(worker, now=clock.now()))
    return len(held)
