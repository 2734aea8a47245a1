"""Bugs in how records change: transitions, leases, retries, tombstones, dead letters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from ragbase.domain import transitions
from ragbase.domain.document import Document, Failure, IndexedGeneration, Lease, Status, Transition
from ragbase.domain.errors import ErrorCode
from ragbase.domain.object_event import ObjectEvent
from ragbase.domain.transitions import undeliverable
from ragbase.pipeline import process as process_module
from ragbase.pipeline import route as route_module
from ragbase.upkeep import retry as retry_module
from ragbase.upkeep.dead_letters import keep as dead_letter_module
from scripts.simulation.planted_bug import Patch, bug


def _then(right: Callable[..., Transition], change: Callable[[Document | None, Document], Document]) -> Any:
    """The right transition, and then `change` on what it changed. `change` gets the record before and after it."""

    def wrong(*arguments: Any, **named: Any) -> Transition:
        transition = right(*arguments, **named)

        def changed(record: Document | None) -> Document | None:
            after = transition(record)
            return after if after is None or after is record else change(record, after)

        return changed

    return wrong


@bug("no-generation-check", "an event of an older generation is taken as a new one")
def _no_generation_check() -> Sequence[Patch]:
    right = transitions.finalised

    def wrong(event: ObjectEvent, **named: Any) -> Transition:
        transition = right(event, **named)

        def changed(record: Document | None) -> Document | None:
            if record is not None and not record.tombstone and record.generation > event.generation:
                return transition(replace(record, generation=event.generation - 1, active=None))
            return transition(record)

        return changed

    return [(route_module, "finalised", wrong)]


@bug("late-event-revives-deleted", "a late event brings a deleted generation back to life")
def _late_event_revives() -> Sequence[Patch]:
    right = transitions.finalised

    def wrong(event: ObjectEvent, **named: Any) -> Transition:
        transition = right(event, **named)

        def changed(record: Document | None) -> Document | None:
            if record is not None and record.tombstone and record.generation == event.generation:
                return transition(None)
            return transition(record)

        return changed

    return [(route_module, "finalised", wrong)]


@bug("delete-without-tombstone", "a deletion hides the text, but leaves no tombstone")
def _no_tombstone() -> Sequence[Patch]:
    failure = Failure(ErrorCode.INTERNAL_ERROR, "deleted")

    def alive(before: Document | None, after: Document) -> Document:
        return replace(after, tombstone=False, status=Status.FAILED, failure=failure)

    return [(route_module, "deleted", _then(transitions.deleted, alive))]


@bug("deleted-still-shown", "search still shows a deleted document")
def _deleted_still_shown() -> Sequence[Patch]:
    def shown(before: Document | None, after: Document) -> Document:
        return replace(after, active=before.active if before else None)

    return [(route_module, "deleted", _then(transitions.deleted, shown))]


@bug("overwrite-taken-as-delete", "the end of an overwritten generation is taken as a deletion of the document")
def _overwrite_taken_as_delete() -> Sequence[Patch]:
    return [(route_module, "_overwritten", lambda event, bucket: False)]


@bug("failed-keeps-old-active", "after a failed overwrite, search still shows what the bucket no longer holds")
def _failed_keeps_active() -> Sequence[Patch]:
    def shown(before: Document | None, after: Document) -> Document:
        return replace(after, active=before.active if before else None)

    return [(process_module, "failed", _then(transitions.failed, shown))]


@bug("lease-never-expires", "the lease of a dead worker never runs out")
def _lease_never_expires() -> Sequence[Patch]:
    def wrong(record: Document, lease: Lease, now: object) -> bool:
        return record.lease is not None and not record.lease.same_claim(lease)

    return [(transitions, "leased_by_another", wrong), (process_module, "leased_by_another", wrong)]


@bug("lease-ignored", "a worker claims a document that another worker is working on")
def _lease_ignored() -> Sequence[Patch]:
    return [(transitions, "leased_by_another", lambda record, lease, now: False)]


@bug("flip-without-lease-check", "a worker flips although it has lost its lease")
def _flip_without_lease() -> Sequence[Patch]:
    right = transitions.completed

    def wrong(active: IndexedGeneration, lease: Lease, **named: Any) -> Transition:
        def changed(record: Document | None) -> Document | None:
            if record is None or not record.wants(active.generation):
                return record
            return right(active, lease, **named)(replace(record, lease=lease))

        return changed

    return [(process_module, "completed", wrong)]


@bug("flip-without-generation-check", "a worker flips a generation that is no longer wanted")
def _flip_without_generation() -> Sequence[Patch]:
    right = transitions.completed

    def wrong(active: IndexedGeneration, lease: Lease, **named: Any) -> Transition:
        def changed(record: Document | None) -> Document | None:
            if record is None or record.tombstone:
                return record
            return right(replace(active, generation=record.generation), lease, **named)(replace(record, lease=lease))

        return changed

    return [(process_module, "completed", wrong)]


@bug("attempts-not-counted", "the record does not count an attempt")
def _attempts_not_counted() -> Sequence[Patch]:
    def uncounted(before: Document | None, after: Document) -> Document:
        return replace(after, attempts=before.attempts if before else 0)

    return [(process_module, "claimed", _then(transitions.claimed, uncounted))]


@bug("release-resets-attempts", "after a transient failure, the document has all its retries again")
def _release_resets_attempts() -> Sequence[Patch]:
    return [(process_module, "released", _then(transitions.released, lambda before, after: replace(after, attempts=0)))]


@bug("usage-counted-twice", "the record counts the cost of a batch twice")
def _usage_twice() -> Sequence[Patch]:
    def twice(before: Document | None, after: Document) -> Document:
        return replace(after, usage=after.usage + after.usage)

    return [(process_module, "renewed", _then(transitions.renewed, twice))]


@bug("dead-letter-overwrites-completed", "a late dead letter makes a COMPLETED document FAILED")
def _dead_letter_overwrites() -> Sequence[Patch]:
    right = undeliverable

    def wrong(generation: int, failure: Failure, **named: Any) -> Transition:
        def changed(record: Document | None) -> Document | None:
            if record is not None and record.status is Status.COMPLETED and record.wants(generation):
                return replace(record, status=Status.FAILED, failure=failure, active=None)
            return right(generation, failure, **named)(record)

        return changed

    return [(dead_letter_module, "undeliverable", wrong)]


@bug("dead-letter-during-work", "a dead letter makes a document FAILED while a worker is working on it")
def _dead_letter_during_work() -> Sequence[Patch]:
    return [(dead_letter_module, "undeliverable", transitions.failed)]


@bug("outage-counts", "an attempt counts although a service was away")
def _outage_counts() -> Sequence[Patch]:
    def counted(before: Document | None, after: Document) -> Document:
        return replace(after, attempts=before.attempts if before else 0)

    return [(process_module, "waiting", _then(transitions.waiting, counted))]


@bug("fault-counts-not", "an attempt does not count although the document caused its failure")
def _fault_counts_not() -> Sequence[Patch]:
    def uncounted(before: Document | None, after: Document) -> Document:
        return replace(after, attempts=after.attempts - 1)

    return [(process_module, "released", _then(transitions.released, uncounted))]


@bug("wait-ends-anothers-lease", "a worker that finds a service away gives back the lease of another worker")
def _wait_ends_lease() -> Sequence[Patch]:
    right = transitions.waiting

    def wrong(generation: int, lease: Lease | None, failure: Failure, **named: Any) -> Transition:
        def changed(record: Document | None) -> Document | None:
            return right(generation, record.lease if record else None, failure, **named)(record)

        return changed

    return [(process_module, "waiting", wrong)]


@bug("queue-fails-waiting-document", "a document that waits for a service is FAILED when the queue gives up its job")
def _queue_fails_waiting() -> Sequence[Patch]:
    def wrong(generation: int, failure: Failure, *, now: datetime, **_: Any) -> Transition:
        def changed(record: Document | None) -> Document | None:
            if record is not None and transitions.is_leased(record, now):
                return record
            return transitions.failed(generation, failure, now=now)(record)

        return changed

    return [(dead_letter_module, "undeliverable", wrong)]


@bug("retry-keeps-attempts", "a retried document has no attempt left")
def _retry_keeps_attempts() -> Sequence[Patch]:
    def kept(before: Document | None, after: Document) -> Document:
        return replace(after, attempts=before.attempts if before else 0)

    return [(retry_module, "retried", _then(transitions.retried, kept))]
