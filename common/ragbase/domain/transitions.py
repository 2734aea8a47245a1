"""Every way in which the record of a document may change. Those by the holder of a claim (`claimed` to `completed`) are
in claim_transitions.py, those of its parts in part_transitions.py, and those by an extractor elsewhere, `given` among
them, in extractor_transitions.py.

Only *transitions* change a record: pure functions from the record as it is (None if there is none) to the record as
it should be. A store applies them by compare-and-set and may call one several times, so a transition reads nothing but
its arguments. A transition that has nothing to change returns the record that it was given.

    (none) ──finalised──▶ PENDING ──claimed──▶ PROCESSING ──completed──▶ COMPLETED
                             ▲                     │  │
     released, retried,      ├─────────────────────┘  └──failed──▶ FAILED (a repair: COMPLETED, as before)
     waiting, handed_back    ├──reopened── COMPLETED
                             └──given──── PENDING, PROCESSING, COMPLETED, FAILED
    any ──deleted──▶ tombstone ──finalised──▶ PENDING

Search shows `active` and nothing else. Its generation changes in three places: `completed` flips it to the new one;
`failed` and `deleted` remove it, since search must not find text that the bucket no longer holds. So `failed` removes
no generation that the bucket does hold: a *repair* makes the active generation again, and if it fails, search shows
what it showed before. A reindex notes in `rebuilt` that the next index holds the same generation, and `promoted` makes
that the active one.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ragbase.domain.document import Document, IndexedGeneration, Status, Transition, Usage
from ragbase.domain.identity import document_id
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.passed import BETWEEN_DEAD_LETTERS

if TYPE_CHECKING:
    from ragbase.domain.lane import Lane
    from ragbase.domain.object_event import ObjectEvent
    from ragbase.domain.work import Failure


def is_as_seen(record: Document | None, seen: Document | None) -> bool:
    """Whether the record has taken over nothing from the bucket since it was `seen`. None is no record."""
    if record is None or seen is None:
        return record is seen
    return record.revision == seen.revision


def finalised(
    event: ObjectEvent,
    *,
    seen: Document | None,
    format: str | None,
    lane: Lane | None,
    config: ProcessingConfig,
    source: str,
    now: datetime,
) -> Transition:
    """The bucket holds this generation: it is wanted, unless the record has changed since it was `seen`, which was
    before the bucket was asked. `event` announces the generation."""

    def transition(record: Document | None) -> Document | None:
        if not is_as_seen(record, seen) or (record is not None and record.is_of(event.generation)):
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
            rebuilt=record.rebuilt if record is not None else None,
            flipped_at=record.flipped_at if record is not None else None,
            usage=record.usage if record is not None else Usage(),
            revision=next_revision(record),
        )

    return transition


def deleted(event: ObjectEvent, *, seen: Document | None, now: datetime) -> Transition:
    """The bucket holds no generation: leave a tombstone, unless the record has changed since it was `seen`, which was
    before the bucket was asked. `event` names a generation that is gone.

    A tombstone gets the next revision, too, unless it already says that this very generation is gone. Otherwise a
    router that has asked the bucket earlier, and saw this generation live, could still bring it back.
    """

    def transition(record: Document | None) -> Document | None:
        if not is_as_seen(record, seen):
            return record
        if record is not None and record.tombstone and record.generation == event.generation:
            return record
        return replace(
            record or _unseen(event, now),
            status=Status.COMPLETED,
            attempts=0,
            lease=None,
            failure=None,
            active=None,
            rebuilt=None,
            reading=None,
            handed_out=None,
            waiting_since=None,
            tombstone=True,
            revision=next_revision(record),
            updated_at=now,
        )

    return transition


def next_revision(record: Document | None) -> int:
    """That of a record which takes over something new."""
    return record.revision + 1 if record is not None else 1


def _unseen(event: ObjectEvent, now: datetime) -> Document:
    """The record of a document whose first event is its deletion."""
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


def failed(generation: int, failure: Failure, *, now: datetime, index_name: str | None = None) -> Transition:
    """Stop trying to process a generation that is still wanted. Older text goes, too: the bucket no longer has it.

    If search shows a text of the same file, a repair has failed, or a given text that was to replace it: the record is
    COMPLETED again, as it was before, and notes the failure. `index_name` names the index in which it failed, if the
    caller knows it. What that index does not hold cannot stay as it was.
    """

    def transition(record: Document | None) -> Document | None:
        if record is None or not record.wants(generation) or not record.needs_work:
            return record
        closed = replace(record, lease=None, waiting_since=None, reading=None, handed_out=None, updated_at=now)
        ended = replace(closed, status=Status.FAILED, failure=failure)
        if record.shows_its_file and (index_name is None or record.indexed_in(index_name) is not None):
            return replace(ended, status=Status.COMPLETED)
        return replace(ended, active=None, rebuilt=None)

    return transition


def undeliverable(generation: int, failure: Failure, *, longest_wait: timedelta, now: datetime) -> Transition:
    """The queue no longer delivers the message of a generation that is still wanted.

    The document is FAILED if it has no attempt left, or has waited for too long, with the failure of the last attempt
    if there was one. Otherwise it is not to blame, and waits for another message. Nothing happens while a worker holds
    the lease: it may still succeed.
    """

    def transition(record: Document | None) -> Document | None:
        if record is None or not record.wants(generation) or not record.needs_work or record.is_leased(now):
            return record
        if record.handed_out is not None:
            return record  # it has no use for a message
        last = record.failure or failure
        if record.is_at_its_end(longest_wait, now):
            return failed(generation, last, now=now)(record)
        seen = record.seen(now, BETWEEN_DEAD_LETTERS)
        return replace(seen, failure=last, waiting_since=seen.waiting_since or now)

    return transition


def replaced(generation: int, failure: Failure, *, now: datetime) -> Transition:
    """The bucket no longer holds this generation, and the event of the next one is undeliverable: nothing will bring it
    to an end, so it is FAILED. Nothing happens while a worker holds the lease."""

    def transition(record: Document | None) -> Document | None:
        if record is None or record.is_leased(now):
            return record
        return failed(generation, record.failure or failure, now=now)(record)

    return transition


def unpublishable(generation: int, failure: Failure, *, now: datetime) -> Transition:
    """The publisher refuses the document's job, whenever it comes. Nothing happens while a worker holds the lease: it
    may still succeed."""

    def transition(record: Document | None) -> Document | None:
        if record is None or record.is_leased(now):
            return record
        return failed(generation, failure, now=now)(record)

    return transition


def published_again(generation: int, *, now: datetime) -> Transition:
    """Another job was published, because the queue had given one up."""

    def transition(record: Document | None) -> Document | None:
        if record is None or not record.wants(generation):
            return record
        return replace(record, published_again_at=now)

    return transition


def retried(*, now: datetime) -> Transition:
    """Somebody asks for another round of attempts at a document whose last round has failed. A document that the router
    refused has no lane to go to: it has to be uploaded again."""

    def transition(record: Document | None) -> Document | None:
        if record is None or not record.has_failed or record.lane is None:
            return record
        return replace(record, status=Status.PENDING, attempts=0, failure=None, updated_at=now)

    return transition


def reopened(generation: int, *, now: datetime) -> Transition:
    """Search does not show this generation as it should: process it again, and go on showing it in the meantime. If
    another text was given for its file later, and has failed, that is tried again instead; if its content is the
    reason, this generation is what the index should hold from now on."""

    def transition(record: Document | None) -> Document | None:
        active = record.active if record is not None else None
        if record is None or active is None or active.generation != generation:
            return record
        if record.tombstone or not record.shows_its_file or record.needs_work:
            return record
        may_pass = record.failure is not None and record.failure.may_pass
        text = record.given_text if may_pass else active.given
        return replace(record, status=Status.PENDING, attempts=0, failure=None, given_text=text, updated_at=now)

    return transition


def republished(generation: int, *, now: datetime) -> Transition:
    """The job of a generation that needs work may be lost, and is published again: note when."""

    def transition(record: Document | None) -> Document | None:
        if record is None or not record.wants(generation) or not record.needs_work:
            return record
        return record.seen(now)

    return transition


def rebuilt(made: IndexedGeneration, *, format: str, lane: Lane, usage: Usage, now: datetime) -> Transition:
    """The index that a reindex builds holds a generation, too: note it, and the format that it was read in, while
    search still shows that generation. A note of what the index held before it was dropped and made again is replaced.
    """

    def transition(record: Document | None) -> Document | None:
        if record is None:
            return None
        noted = record.indexed_in(made.index_name)
        wanted = record.shows(made.generation) and (noted is None or noted is record.rebuilt) and noted != made
        if not wanted and usage == Usage():
            return record
        paid = replace(record.seen(now), usage=record.usage + usage)
        if not wanted:
            return paid
        is_wanted = record.wants(made.generation) and made.given is None
        return replace(
            paid,
            rebuilt=made,
            format=format if is_wanted else record.format,
            lane=lane if is_wanted else record.lane,
        )

    return transition


def promoted(index_name: str, *, now: datetime) -> Transition:
    """Search now asks this index: what was noted as `rebuilt` becomes `active`, with the same generation."""

    def transition(record: Document | None) -> Document | None:
        made = record.indexed_in(index_name) if record is not None else None
        if record is None or made is None or (made is record.active and record.rebuilt is None):
            return record
        return replace(record.seen(now), active=made, rebuilt=None)

    return transition
