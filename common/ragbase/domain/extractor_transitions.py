"""What an extractor elsewhere changes in the record of a document (see transitions.py)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from ragbase.domain.claim_transitions import while_holding
from ragbase.domain.document import Document, Status, Transition
from ragbase.domain.lane import Lane
from ragbase.domain.transitions import failed, is_as_seen, next_revision

if TYPE_CHECKING:
    from ragbase.domain.given_text import GivenText, HandedOut
    from ragbase.domain.lease import Lease
    from ragbase.domain.work import Failure, Work


def given(text: GivenText, *, seen: Document, now: datetime, if_awaited: bool = False) -> Transition:
    """An extractor elsewhere has given a text for a file: it is wanted instead of what a lane reads or has read, unless
    the record has changed since it was `seen`. A lane that works on the file is superseded. With `if_awaited`, only a
    document that waits for its text takes it."""

    def transition(record: Document | None) -> Document | None:
        if record is None or not is_as_seen(record, seen) or not record.is_of(text.of):
            return record
        if if_awaited and not is_awaited(record, now):
            return record
        return replace(
            record,
            status=Status.PENDING,
            lane=record.lane or Lane.FAST,
            attempts=0,
            lease=None,
            waiting_since=None,
            published_again_at=None,
            failure=None,
            reading=None,
            handed_out=None,
            given_text=text,
            revision=next_revision(record),
            updated_at=now,
        )

    return transition


def failed_elsewhere(of: int, failure: Failure, *, now: datetime, if_awaited: bool = False) -> Transition:
    """An extractor elsewhere could not read this generation of a file: nobody tries any more. A document that is
    COMPLETED stays as it is, and so does one that got a text already. A lane that works on the file is superseded. With
    `if_awaited`, only a document that waits for its text changes."""

    def transition(record: Document | None) -> Document | None:
        if record is None or not record.is_of(of) or record.given_text is not None:
            return record
        if if_awaited and not is_awaited(record, now):
            return record
        if record.status is Status.FAILED and record.failure != failure:
            return replace(record, failure=failure, updated_at=now)
        return failed(record.wanted, failure, now=now)(record)

    return transition


def handed_out(generation: int, lease: Lease, wait: HandedOut) -> Transition:
    """Leave the file to an extractor elsewhere, and give the lease back without counting the attempt."""

    def change(record: Document, work: Work) -> Document:
        return replace(record.with_work(work.handed_back(), 0, wait.since), handed_out=wait)

    return while_holding(generation, lease, change)


def waits_from_now(*, now: datetime) -> Transition:
    """The clock was put back since the file was handed out: the extractor elsewhere has its whole time again."""

    def transition(record: Document | None) -> Document | None:
        if record is None or record.handed_out is None:
            return record
        wait = record.handed_out.as_of(now)
        return record if wait is record.handed_out else replace(record, handed_out=wait, updated_at=now)

    return transition


def not_answered(of: int, failure: Failure, *, now: datetime) -> Transition:
    """The time of the extractor elsewhere is over: as if it had reported this failure."""

    def transition(record: Document | None) -> Document | None:
        if record is None or record.handed_out is None or not record.handed_out.is_over(now):
            return record
        return failed_elsewhere(of, failure, now=now)(record)

    return transition


def is_awaited(record: Document, now: datetime) -> bool:
    """Whether the document waits for what an extractor elsewhere reads, and its time is not over."""
    return record.handed_out is not None and not record.handed_out.is_over(now)
