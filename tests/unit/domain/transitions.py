"""Events and transitions of one document, `a.md`, by their generation."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from ragbase.domain.claim_transitions import claimed, completed
from ragbase.domain.document import Document, IndexedGeneration, Transition, Usage
from ragbase.domain.errors import ErrorCode
from ragbase.domain.given_text import GivenText
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.lane import Lane
from ragbase.domain.lease import Lease
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.domain.transitions import deleted, finalised
from ragbase.domain.work import Failure

NOW = datetime(2025, 1, 1, tzinfo=UTC)
LATER = NOW + timedelta(seconds=1)
UNTIL = NOW + timedelta(minutes=5)
LEASE = Lease("worker", 1, UNTIL)
OTHER = Lease("other", 1, UNTIL)
FAILURE = Failure(ErrorCode.CORRUPT_FILE, "It cannot be read.")
PAID = Usage(embedded_texts=2, billed_tokens=30)


def event(generation: int, kind: EventKind = EventKind.FINALISED) -> ObjectEvent:
    return ObjectEvent(
        kind=kind, bucket="bucket", name="a.md", generation=generation, size=generation, md5=f"md5 of {generation}"
    )


def arrive(generation: int, now: datetime = NOW) -> Transition:
    """The bucket holds the generation, and nothing has changed the record since the bucket was asked."""
    return lambda record: arrived(generation, record, now)(record)


def arrived(generation: int, seen: Document | None, now: datetime = NOW) -> Transition:
    """The same, for somebody who asked the bucket after the record was as it is in `seen`."""
    return finalised(
        event(generation),
        seen=seen,
        format="md",
        lane=Lane.FAST,
        config=ProcessingConfig(),
        source="a.md",
        now=now,
    )


def remove(generation: int, now: datetime = NOW) -> Transition:
    """The bucket holds nothing, and nothing has changed the record since the bucket was asked."""
    return lambda record: removed(generation, record, now)(record)


def removed(generation: int, seen: Document | None, now: datetime = NOW) -> Transition:
    return deleted(event(generation, EventKind.DELETED), seen=seen, now=now)


def claim(generation: int, lease: Lease = LEASE, now: datetime = NOW, *, interrupted: bool = True) -> Transition:
    return claimed(generation, lease, Lane.FAST, now=now, interrupted=interrupted)


def shown(generation: int) -> IndexedGeneration:
    return IndexedGeneration(
        generation=generation, chunk_count=1, md5=f"md5 of {generation}", fingerprint="made-by", text_length=9
    )


def in_index(index: str, generation: int = 1, given: GivenText | None = None) -> IndexedGeneration:
    """`given` is the given text that the generation was made of, if any."""
    return replace(shown(generation), index_name=index, given=given)


def flip(generation: int, lease: Lease = LEASE) -> Transition:
    return completed(shown(generation), lease, usage=PAID, now=LATER)


def after(*transitions: Transition) -> Document:
    record: Document | None = None
    for transition in transitions:
        record = transition(record)
    assert record is not None
    return record
