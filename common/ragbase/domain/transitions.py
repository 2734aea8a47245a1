"""Every way in which the record of a document may change.

A record is changed by *transitions* alone: pure functions from the record as it is (None where there is none) to the
record as it should be. A store applies them by compare-and-set and may call one several times, so a transition reads
nothing but its arguments. A transition that has nothing to change returns the record it was given.

    (none) ──finalised──▶ PENDING ──claimed──▶ PROCESSING ──completed──▶ COMPLETED
                             ▲                     │  │
                             ├──released, retried──┘  └──failed──▶ FAILED
                             └──reopened── COMPLETED
    any ──deleted──▶ tombstone ──finalised (newer generation)──▶ PENDING

What search shows is `active` alone. Its generation changes in three places: `completed` flips it to the new one;
`failed` and `deleted` take it away, since text that the bucket no longer holds must not be found. A reindex notes the
same generation `beside`, made anew in another index, and `promoted` puts that in its place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from ragbase.domain.document import Active, Document, Failure, Lease, Status, Transition, Usage
from ragbase.domain.identity import document_id
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.object_event import ObjectEvent
from ragbase.domain.routing import Format, Lane


def finalised(
    event: ObjectEvent,
    *,
    format: Format | None,
    lane: Lane | None,
    config: ProcessingConfig,
    source: str,
    now: datetime,
) -> Transition:
    """A generation was written: want it, unless a generation at or above it was seen before, live or deleted."""

    def transition(record: Document | None) -> Document | None:
        if record is not None and record.generation >= event.generation:
            return record
        alive = record is not None and not record.tombstone
        return Document(
            id=document_id(event.bucket, event.name),
            bucket=event.bucket,
            name=event.name,
            generation=event.generation,
            status=Status.PENDING,
            size=event.size,
            md5=event.md5,
            content_type=event.content_type,
            format=format,
            lane=lane,
            source=source,
            config=config,
            created_at=record.created_at if record is not None and alive else now,
            updated_at=now,
            active=record.active if record is not None else None,
            beside=record.beside if record is not None else None,
            usage=record.usage if record is not None else Usage(),
        )

    return transition


def deleted(event: ObjectEvent, *, now: datetime) -> Transition:
    """A generation was deleted: leave a tombstone that holds it, unless a newer generation was seen."""

    def transition(record: Document | None) -> Document | None:
        if record is not None and (
            record.generation > event.generation or (record.tombstone and record.generation == event.generation)
        ):
            return record
        base = record or _unseen(event, now)
        return replace(
            base,
            generation=event.generation,
            status=Status.COMPLETED,
            attempts=0,
            lease=None,
            failure=None,
            active=None,
            beside=None,
            tombstone=True,
            updated_at=now,
        )

    return transition


def _unseen(event: ObjectEvent, now: datetime) -> Document:
    """The record of a document whose deletion is the first that is heard of it."""
    return Document(
        id=document_id(event.bucket, event.name),
        bucket=event.bucket,
        name=event.name,
        generation=event.generation,
        status=Status.COMPLETED,
        size=event.size,
        md5=event.md5,
        content_type=event.content_type,
        format=None,
        lane=None,
        source=event.name,
        config=ProcessingConfig(),
        created_at=now,
        updated_at=now,
    )


def claimed(generation: int, lease: Lease, lane: Lane, *, now: datetime, suspect: bool = False) -> Transition:
    """Take the lease for one attempt at `generation`, where it is wanted in this lane, open, and nobody is at it.

    A document that a worker left in the middle of an attempt is taken only as a `suspect`.
    """

    def transition(record: Document | None) -> Document | None:
        if record is None or not record.wants(generation) or record.lane is not lane:
            return record
        if not record.is_open or record.is_exhausted or leased_by_another(record, lease, now):
            return record
        if left_by_another(record, lease, now) and not suspect:
            return record
        return replace(record, status=Status.PROCESSING, lease=lease, attempts=record.attempts + 1, updated_at=now)

    return transition


def leased_by_another(record: Document, lease: Lease, now: datetime) -> bool:
    return record.lease is not None and not record.lease.same_claim(lease) and record.lease.until > now


def left_by_another(record: Document, lease: Lease, now: datetime) -> bool:
    """Whether a worker had a claim on it and neither finished nor gave it back: it may have died of this document."""
    return record.lease is not None and not record.lease.same_claim(lease) and record.lease.until <= now


def _while_holding(generation: int, lease: Lease, change: Callable[[Document], Document]) -> Transition:
    """Apply `change` only while this claim still has the lease on a generation that is still wanted."""

    def transition(record: Document | None) -> Document | None:
        if record is None or not record.wants(generation) or not lease.same_claim(record.lease):
            return record
        return change(record)

    return transition


def renewed(generation: int, lease: Lease, *, usage: Usage, now: datetime) -> Transition:
    """Extend the lease while working, and note what was paid since the last time."""
    return _while_holding(
        generation, lease, lambda record: replace(record, lease=lease, usage=record.usage + usage, updated_at=now)
    )


def released(generation: int, lease: Lease, failure: Failure | None, *, now: datetime) -> Transition:
    """Give the lease back after a passing failure: the attempt counts, and the queue will deliver again."""
    return _while_holding(
        generation,
        lease,
        lambda record: replace(record, status=Status.PENDING, lease=None, failure=failure, updated_at=now),
    )


def rerouted(generation: int, lease: Lease, format: Format, lane: Lane, *, now: datetime) -> Transition:
    """The content is of another format than the name promised: hand it to that format's lane as a fresh attempt."""
    return _while_holding(
        generation,
        lease,
        lambda record: replace(
            record, status=Status.PENDING, lease=None, format=format, lane=lane, attempts=0, updated_at=now
        ),
    )


def completed(active: Active, lease: Lease, *, usage: Usage, now: datetime) -> Transition:
    """The flip: search shows this generation from here on, and no other."""
    return _while_holding(
        active.generation,
        lease,
        lambda record: replace(
            record,
            status=Status.COMPLETED,
            lease=None,
            failure=None,
            active=active,
            beside=_still_beside(record, active),
            usage=record.usage + usage,
            updated_at=now,
        ),
    )


def _still_beside(record: Document, active: Active) -> Active | None:
    """What another index holds of the generation that becomes active, and not of the one before it."""
    beside = record.beside
    return beside if beside and beside.generation == active.generation and beside.index != active.index else None


def failed(generation: int, failure: Failure, *, now: datetime) -> Transition:
    """Give up on a generation that is still wanted. An older one's text goes with it: the bucket has it no more."""

    def transition(record: Document | None) -> Document | None:
        if record is None or not record.wants(generation) or not record.is_open:
            return record
        return replace(
            record, status=Status.FAILED, lease=None, failure=failure, active=None, beside=None, updated_at=now
        )

    return transition


def retried(*, now: datetime) -> Transition:
    """A person asks for another round of attempts at a FAILED document. What the router refused has no lane to go to:
    it takes another upload."""

    def transition(record: Document | None) -> Document | None:
        if record is None or record.tombstone or record.status is not Status.FAILED or record.lane is None:
            return record
        return replace(record, status=Status.PENDING, attempts=0, failure=None, updated_at=now)

    return transition


def reopened(generation: int, *, now: datetime) -> Transition:
    """What search shows of the generation is not what it should be: make it anew, and go on showing it meanwhile."""

    def transition(record: Document | None) -> Document | None:
        if record is None or not record.wants(generation) or not record.shows(generation) or record.is_open:
            return record
        return replace(record, status=Status.PENDING, attempts=0, updated_at=now)

    return transition


def asked_again(generation: int, *, now: datetime) -> Transition:
    """The job of an open generation may be lost, and is published once more: note when."""

    def transition(record: Document | None) -> Document | None:
        if record is None or not record.wants(generation) or not record.is_open:
            return record
        return replace(record, updated_at=now)

    return transition


def abandoned(worker: str, *, now: datetime) -> Transition:
    """The worker that holds the lease is known to be dead: the lease ends now, and its attempt counts."""

    def transition(record: Document | None) -> Document | None:
        if record is None or record.lease is None or record.lease.worker != worker or record.lease.until <= now:
            return record
        return replace(record, lease=replace(record.lease, until=now), updated_at=now)

    return transition


def built_beside(made: Active, *, usage: Usage, now: datetime) -> Transition:
    """An index that is being built holds a generation, too: note it while search still shows that generation."""

    def transition(record: Document | None) -> Document | None:
        if record is None:
            return None
        wanted = record.shows(made.generation) and record.made_in(made.index) is None
        if not wanted and usage == Usage():
            return record
        beside = made if wanted else record.beside
        return replace(record, beside=beside, usage=record.usage + usage, updated_at=now)

    return transition


def promoted(index: str, *, now: datetime) -> Transition:
    """Search asks the index of this name now: what was noted beside becomes what is active, at the same generation."""

    def transition(record: Document | None) -> Document | None:
        made = record.made_in(index) if record is not None else None
        if record is None or made is None or (made is record.active and record.beside is None):
            return record
        return replace(record, active=made, beside=None, updated_at=now)

    return transition
