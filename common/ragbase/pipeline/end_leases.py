"""A worker is known to be dead: its documents are free at once, without waiting for its leases to run out."""

from __future__ import annotations

from ragbase.domain.part_transitions import part_leases_ended
from ragbase.domain.transitions import lease_ended
from ragbase.ports import Ports


def end_leases(worker: str, ports: Ports) -> int:
    """End the leases of the dead worker and return how many documents it had in work."""
    leased = ports.documents.leased_to(worker)
    for record in leased:
        now = ports.clock.now()
        ports.documents.update(record.id, lease_ended(worker, now=now))
        if record.reading is not None:
            ports.documents.update(record.id, part_leases_ended(worker, now=now))
    return len(leased)
