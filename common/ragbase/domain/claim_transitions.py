"""What a claim may change in a record (see transitions.py): that of a document, or with `part`, counted from 1, that of
a part of a long document.

    free ──claimed──▶ leased ──renewed──▶ leased
     ▲                  │
     ├──────────────────┴── released (the attempt counts), handed_back, waiting (it does not)
     └── leases_ended: the worker is dead; the next claim has to know that the work was interrupted

While parts are read, the document itself is PROCESSING, and nobody holds its lease.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ragbase.domain.document import Document, IndexedGeneration, Status, Transition, Usage
from ragbase.domain.transitions import failed

if TYPE_CHECKING:
    from ragbase.domain.lane import Lane
    from ragbase.domain.lease import Lease
    from ragbase.domain.work import Failure, Work


def claimed(generation: int, lease: Lease, lane: Lane, *, now: datetime, interrupted: bool = False) -> Transition:
    """Take the lease of the document for one attempt at `generation`, if it is work for this lane and nobody holds the
    lease. What a worker left in the middle of an attempt is taken only with `interrupted`."""
    return _claimed(
        generation,
        lease,
        lambda record: record.lane is lane and record.handed_out is None,
        now=now,
        interrupted=interrupted,
    )


def part_claimed(
    generation: int,
    part: int,
    lease: Lease,
    reader: Callable[[Document], str],
    *,
    now: datetime,
    interrupted: bool = False,
) -> Transition:
    """Take the lease of a part, if the plan is that of the document's `reader` here, and as `claimed`."""
    return _claimed(
        generation,
        lease,
        lambda record: record.reading is not None and record.reading.reader == reader(record),
        part=part,
        now=now,
        interrupted=interrupted,
    )


def _claimed(
    generation: int,
    lease: Lease,
    is_for_me: Callable[[Document], bool],
    *,
    part: int = 0,
    now: datetime,
    interrupted: bool,
) -> Transition:
    def transition(record: Document | None) -> Document | None:
        work = record.work(generation, part) if record is not None else None
        if record is None or work is None or not is_for_me(record) or not _may_claim(work, now, interrupted):
            return record
        return replace(record.with_work(work.claimed(lease), part, now), status=Status.PROCESSING)

    return transition


def _may_claim(work: Work, now: datetime, interrupted: bool) -> bool:
    return not work.out_of_retries and not work.is_leased(now) and (work.lease is None or interrupted)


Change = Callable[[Document, "Work"], Document]


def while_holding(generation: int, lease: Lease, change: Change, *, part: int = 0) -> Transition:
    """Apply `change` only while this claim still holds the lease, on what is still to be done. Each claim has a number
    of its own, so it holds no part of a plan that was made after it."""

    def transition(record: Document | None) -> Document | None:
        work = record.work(generation, part) if record is not None else None
        if record is None or work is None or not work.is_held_by(lease):
            return record
        return change(record, work)

    return transition


def renewed(generation: int, lease: Lease, *, now: datetime, usage: Usage, part: int = 0) -> Transition:
    """Extend the lease during the work, and note what was paid since the last time."""

    def change(record: Document, work: Work) -> Document:
        longer = work.renewed(lease)
        if longer is work and usage == Usage():
            return record
        return replace(record.with_work(longer, part, now), usage=record.usage + usage)

    return while_holding(generation, lease, change, part=part)


def released(generation: int, lease: Lease, failure: Failure, *, now: datetime, part: int = 0) -> Transition:
    """Give the lease back after a temporary failure. The attempt counts, and the queue delivers again."""
    return _given_back(generation, lease, lambda work: work.released(failure), part, now)


def handed_back(generation: int, lease: Lease, *, now: datetime, part: int = 0) -> Transition:
    """Give the lease back without counting the attempt: it ran out of time after it had got further, its index is
    being replaced, or the rate of a service is booked. The next one goes on with what is written."""
    return _given_back(generation, lease, lambda work: work.handed_back(), part, now)


def waiting(generation: int, lease: Lease | None, failure: Failure, *, now: datetime, part: int = 0) -> Transition:
    """Nothing can be processed now: note why and since when. If this claim holds the lease, it gives the lease back,
    and the attempt does not count."""

    def transition(record: Document | None) -> Document | None:
        work = record.work(generation, part) if record is not None else None
        if record is None or work is None or (record.handed_out is not None and not part):
            return record
        if work.lease is not None and not (lease is not None and work.is_held_by(lease)):
            return record
        return _free(record, work.waiting(failure, now), part, now)

    return transition


def rerouted(generation: int, lease: Lease, format: str, lane: Lane, *, now: datetime) -> Transition:
    """The content has another format than the name says: the lane of that format gets it, with all its attempts."""
    return while_holding(
        generation,
        lease,
        lambda record, work: replace(
            record,
            status=Status.PENDING,
            lease=None,
            waiting_since=None,
            format=format,
            lane=lane,
            attempts=0,
            reading=None,
            updated_at=now,
        ),
    )


def completed(active: IndexedGeneration, lease: Lease, *, usage: Usage, now: datetime) -> Transition:
    """The flip: from now on search shows this generation and no other."""
    return while_holding(
        active.generation,
        lease,
        lambda record, work: replace(
            record,
            status=Status.COMPLETED,
            lease=None,
            waiting_since=None,
            failure=None,
            reading=None,
            active=active,
            flipped_at=now if record.active is not None else record.flipped_at,
            rebuilt=_still_rebuilt(record, active),
            usage=record.usage + usage,
            updated_at=now,
        ),
    )


def _still_rebuilt(record: Document, active: IndexedGeneration) -> IndexedGeneration | None:
    """What the next index holds, if it is of the generation that becomes active and not of the one before."""
    rebuilt = record.rebuilt
    return (
        rebuilt
        if rebuilt and rebuilt.generation == active.generation and rebuilt.index_name != active.index_name
        else None
    )


def failed_by_claim(
    generation: int, lease: Lease, failure: Failure, *, now: datetime, index_name: str | None = None, part: int = 0
) -> Transition:
    """What can never be done: the document has failed, as `failed` says. With a part, the others are left."""

    def change(record: Document, work: Work) -> Document:
        return failed(generation, failure, now=now, index_name=index_name)(record) or record

    return while_holding(generation, lease, change, part=part)


def given_up(
    generation: int,
    failure: Failure,
    *,
    longest_wait: timedelta,
    now: datetime,
    index_name: str | None = None,
    part: int = 0,
) -> Transition:
    """As `failed`, after the last retry, or after the longest wait. Nothing happens while a worker holds the lease of
    the document or of this part, nor if somebody has asked for another round of attempts in between."""

    def transition(record: Document | None) -> Document | None:
        work = record.work(generation, part) if record is not None else None
        if record is None or work is None or work.is_leased(now) or record.is_leased(now):
            return record
        if not record.is_at_its_end(longest_wait, now):
            return record
        return failed(generation, failure, now=now, index_name=index_name)(record)

    return transition


def leases_ended(worker: str, *, now: datetime) -> Transition:
    """The worker is known to be dead: its leases of the document and of its parts end now, and their attempts count."""

    def transition(record: Document | None) -> Document | None:
        if record is None:
            return None
        parts = range(1, len(record.reading.parts) + 1) if record.reading is not None else ()
        after = record
        for part in (0, *parts):
            work = after.work(after.wanted, part)
            ended = work.lease_ended(worker, now) if work is not None else None
            if ended is not None and ended is not work:
                after = after.with_work(ended, part, now)
        return after

    return transition


def _given_back(generation: int, lease: Lease, change: Callable[[Work], Work], part: int, now: datetime) -> Transition:
    return while_holding(generation, lease, lambda record, work: _free(record, change(work), part, now), part=part)


def _free(record: Document, work: Work, part: int, now: datetime) -> Document:
    """Nobody has this work any more. A document whose parts are read goes on PROCESSING."""
    return replace(record.with_work(work, part, now), status=record.status if part else Status.PENDING)
