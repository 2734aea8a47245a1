"""The ways in which the parts of a long document may change its record (see transitions.py).

    (no reading) ──planned──▶ free ──part_claimed──▶ leased ──part_read──▶ read
                               ▲                       │                    │
                               ├── part_released, part_waiting              │
                               └── part_lost: its text is not there ────────┘

The document itself is PROCESSING meanwhile, and nobody holds its lease. What ends its work (it is completed, has
failed, is deleted, or got a given text) ends its reading, too: see transitions.py. So a worker that reads a part finds
out at its next change that nobody needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ragbase.domain.document import Document, Failure, Status, Transition
from ragbase.domain.reading import DocumentPart, Reading
from ragbase.domain.transitions import failed, is_leased

if TYPE_CHECKING:
    from ragbase.domain.lease import Lease


def planned(generation: int, reading: Reading, lease: Lease, *, now: datetime) -> Transition:
    """Leave the document to its parts, and give its own lease back without counting the attempt. `reading` is the plan
    if there is none yet. One of another reader is replaced as soon as nobody reads its parts: while a deployment goes
    on, old and new workers work side by side."""

    def transition(record: Document | None) -> Document | None:
        if record is None or not record.wants(generation) or not lease.same_claim(record.lease):
            return record
        known = record.reading
        is_kept = known is not None and (known.reader == reading.reader or known.is_in_work(now))
        return replace(
            record,
            status=Status.PROCESSING,
            lease=None,
            attempts=record.attempts - 1,
            reading=known if is_kept else reading,
            updated_at=now,
        )

    return transition


def part_claimed(
    generation: int, number: int, lease: Lease, reader: str, *, now: datetime, interrupted: bool = False
) -> Transition:
    """Take the lease of a part for one attempt, if it is still to be read and nobody else holds its lease. One that a
    worker left in the middle of an attempt is taken only with `interrupted`."""

    def change(record: Document, reading: Reading, part: DocumentPart) -> Document:
        is_mine = reading.reader == reader and not part.is_read and not part.out_of_retries
        if not is_mine or part.is_leased(now) or (part.lease is not None and not interrupted):
            return record
        claimed = replace(part, lease=lease, attempts=part.attempts + 1)
        return _with(replace(record, status=Status.PROCESSING), reading, number, claimed, now)

    return _of_part(generation, number, change)


def part_renewed(generation: int, number: int, lease: Lease, *, now: datetime) -> Transition:
    """Extend the lease of a part. It never gets shorter."""

    def change(record: Document, reading: Reading, part: DocumentPart) -> Document:
        if part.lease is not None and part.lease.until >= lease.until:
            return record
        return _with(record, reading, number, replace(part, lease=lease), now)

    return _while_reading(generation, number, lease, change)


def part_read(generation: int, number: int, lease: Lease, *, now: datetime) -> Transition:
    """The text of the part is stored."""

    def change(record: Document, reading: Reading, part: DocumentPart) -> Document:
        done = replace(part, is_read=True, lease=None)
        return _with(replace(record, waiting_since=None), reading, number, done, now)

    return _while_reading(generation, number, lease, change)


def part_released(generation: int, number: int, lease: Lease, failure: Failure, *, now: datetime) -> Transition:
    """Give the lease of a part back after a temporary failure. The attempt counts, and the queue delivers again."""

    def change(record: Document, reading: Reading, part: DocumentPart) -> Document:
        free = replace(part, lease=None)
        return _with(replace(record, waiting_since=None, failure=failure), reading, number, free, now)

    return _while_reading(generation, number, lease, change)


def part_waiting(generation: int, number: int, lease: Lease, failure: Failure, *, now: datetime) -> Transition:
    """No part can be read now: note why and since when, and give the lease back. The attempt does not count."""

    def change(record: Document, reading: Reading, part: DocumentPart) -> Document:
        waiting = replace(record, failure=failure, waiting_since=record.waiting_since or now)
        return _with(waiting, reading, number, replace(part, lease=None, attempts=part.attempts - 1), now)

    return _while_reading(generation, number, lease, change)


def part_failed(
    generation: int, number: int, lease: Lease, failure: Failure, *, now: datetime, index_name: str | None = None
) -> Transition:
    """The pages of the part can never be read: the document has failed, as `failed` says. The other parts are left."""

    def change(record: Document, reading: Reading, part: DocumentPart) -> Document:
        return failed(generation, failure, now=now, index_name=index_name)(record) or record

    return _while_reading(generation, number, lease, change)


def part_given_up(
    generation: int,
    number: int,
    failure: Failure,
    *,
    longest_wait: timedelta,
    now: datetime,
    index_name: str | None = None,
) -> Transition:
    """As `part_failed`, after the last retry of the part, or after the longest wait. Nothing happens while a worker
    holds the lease of the part or of the document, nor if the document got another round of attempts in between."""

    def change(record: Document, reading: Reading, part: DocumentPart) -> Document:
        at_its_end = part.out_of_retries or record.waits_too_long(longest_wait, now)
        if part.is_read or part.is_leased(now) or is_leased(record, now) or not at_its_end:
            return record
        return failed(generation, failure, now=now, index_name=index_name)(record) or record

    return _of_part(generation, number, change)


def parts_lost(generation: int, lease: Lease, numbers: Collection[int], *, now: datetime) -> Transition:
    """The texts of these parts are gone: read them again. `lease` is that of the document, whose work found it."""

    def transition(record: Document | None) -> Document | None:
        if record is None or record.reading is None or not record.is_reading(generation):
            return record
        if not lease.same_claim(record.lease):
            return record
        reading = record.reading
        for number in numbers:
            part = reading.part(number)
            if part is not None:
                reading = reading.with_part(number, replace(part, is_read=False))
        return replace(record, reading=reading, updated_at=now)

    return transition


def part_leases_ended(worker: str, *, now: datetime) -> Transition:
    """The worker is known to be dead: its leases of parts end now, and their attempts count."""

    def transition(record: Document | None) -> Document | None:
        if record is None or record.reading is None:
            return record
        reading = record.reading
        for number, part in enumerate(reading.parts, start=1):
            if part.lease is not None and part.lease.worker == worker and part.lease.runs(now):
                reading = reading.with_part(number, replace(part, lease=replace(part.lease, until=now)))
        return replace(record, reading=reading, updated_at=now) if reading is not record.reading else record

    return transition


_Change = Callable[[Document, Reading, DocumentPart], Document]


def _of_part(generation: int, number: int, change: _Change) -> Transition:
    """Apply `change` to a part that is still to be read, or has been read, of a generation that needs work."""

    def transition(record: Document | None) -> Document | None:
        if record is None or record.reading is None or not record.is_reading(generation):
            return record
        part = record.reading.part(number)
        return change(record, record.reading, part) if part is not None else record

    return transition


def _while_reading(generation: int, number: int, lease: Lease, change: _Change) -> Transition:
    """Apply `change` only while this claim still holds the lease of the part. Each claim has a number of its own, so it
    holds no part of a plan that was made after it."""

    def while_mine(record: Document, reading: Reading, part: DocumentPart) -> Document:
        return change(record, reading, part) if lease.same_claim(part.lease) else record

    return _of_part(generation, number, while_mine)


def _with(record: Document, reading: Reading, number: int, part: DocumentPart, now: datetime) -> Document:
    return replace(record, reading=reading.with_part(number, part), updated_at=now)
