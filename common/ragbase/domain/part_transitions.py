"""How a long document is divided into parts, and what becomes of these in its record (see transitions.py).

    (no reading) ──planned──▶ free ──part_claimed──▶ leased ──part_read──▶ read
                               ▲                                            │
                               └──── parts_lost: their texts are not there ─┘

claim_transitions.py says how a part is claimed and given back. What ends the work on the document (it is completed,
has failed, is deleted, or got a given text) ends its reading, too: see transitions.py. So a worker that reads a part
finds out at its next change that nobody needs it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from ragbase.domain.claim_transitions import while_holding
from ragbase.domain.document import Document, Status, Transition

if TYPE_CHECKING:
    from ragbase.domain.lease import Lease
    from ragbase.domain.reading import Reading
    from ragbase.domain.work import Work


def planned(generation: int, reading: Reading, lease: Lease, *, now: datetime) -> Transition:
    """Leave the document to its parts, and give its own lease back without counting the attempt. `reading` is the plan
    if there is none yet. One of another reader is replaced as soon as nobody reads its parts: while a deployment goes
    on, old and new workers work side by side."""

    def change(record: Document, work: Work) -> Document:
        known = record.reading
        is_kept = known is not None and (known.reader == reading.reader or known.is_in_work(now))
        free = record.with_work(work.uncounted(), 0, now)
        return replace(free, status=Status.PROCESSING, reading=known if is_kept else reading)

    return while_holding(generation, lease, change)


def part_read(generation: int, part: int, lease: Lease, *, now: datetime) -> Transition:
    """The text of the part is stored."""

    def change(record: Document, work: Work) -> Document:
        free = record.with_work(replace(work, lease=None, waiting_since=None), part, now)
        return free.with_part(part, is_read=True)

    return while_holding(generation, lease, change, part=part)


def parts_lost(generation: int, lease: Lease, parts: Collection[int], *, now: datetime) -> Transition:
    """The texts of these parts are gone: read them again. `lease` is that of the document, whose work found it."""

    def change(record: Document, work: Work) -> Document:
        for part in parts:
            record = record.with_part(part, is_read=False)
        return record.seen(now)

    return while_holding(generation, lease, change)
