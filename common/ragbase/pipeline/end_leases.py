"""A worker is known to be dead: its documents are free at once, without waiting for its leases to run out."""

from __future__ import annotations

from ragbase.domain.transitions import lease_ended
from ragbase.ports import Ports


def end_leases(worker: str, ports: Ports) -> int:
    """End the leases of the dead worker and return how many there were."""
    leased = ports.documents.leased_to(worker)
    for record in leased:
        ports.documents.update(record.id, lease_ended(worker, now=ports.clock.now()))
    return len(leased)
