"""Transitions that end a round of attempts without success (see transitions.py)."""

from __future__ import annotations

from datetime import datetime

from ragbase.domain.document import Document, Failure, Transition
from ragbase.domain.transitions import failed


def exhausted(generation: int, failure: Failure, *, now: datetime) -> Transition:
    """The last retry has failed: give up. Not so where somebody has asked for another round of attempts meanwhile."""

    def transition(record: Document | None) -> Document | None:
        is_held = record is not None and record.lease is not None and record.lease.until > now
        may_end = record is not None and record.is_exhausted and not is_held
        return failed(generation, failure, now=now)(record) if may_end else record

    return transition


def given_up(generation: int, failure: Failure, *, now: datetime) -> Transition:
    """The queue has given up on a generation that is still wanted: FAILED, by the failure of its last attempt if there
    was one. Not while a worker holds the lease: its work is not in vain."""

    def transition(record: Document | None) -> Document | None:
        if record is not None and record.lease is not None and record.lease.until > now:
            return record
        return failed(generation, record.failure if record and record.failure else failure, now=now)(record)

    return transition
