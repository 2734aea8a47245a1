"""Bugs in how records change: transitions, leases, retries, tombstones, dead letters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from ragbase.domain import claim_transitions, extractor_transitions, transitions
from ragbase.domain.document import Document, IndexedGeneration, Status, Transition
from ragbase.domain.errors import ErrorCode
from ragbase.domain.lease import Lease
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.domain.transitions import undeliverable
from ragbase.domain.work import Failure, Work
from ragbase.pipeline import claim as claim_module
from ragbase.pipeline import make_document as document_module
from ragbase.pipeline import process as process_module
from ragbase.pipeline import route as route_module
from ragbase.upkeep import retry as retry_module
from ragbase.upkeep.dead_letters import keep as dead_letter_module
from tests.simulated_world.planted_bug import Patch, bug


def _then(right: Callable[..., Transition], change: Callable[[Document | None, Document], Document]) -> Any:
    """The right transition, and then `change` on what it changed. `change` gets the record before and after it."""

    def wrong(*arguments: Any, **named: Any) -> Transition:
        transition = right(*arguments, **named)

        def changed(record: Document | None) -> Document | None:
            after = transition(record)
            return after if after is None or after is record else change(record, after)

        return changed

    return wrong


def _of_documents(right: Callable[..., Transition], change: Callable[[Document | None, Document], Document]) -> Any:
    """As `_then`, but right for the parts of documents."""
    wrong = _then(right, change)
    return lambda *arguments, **named: (right if named.get("part") else wrong)(*arguments, **named)


def _without_asking(kind: EventKind) -> Sequence[Patch]:
    """The router takes the word of the events of this kind."""
    right = route_module._ask
    return [(route_module, "_ask", lambda event, bucket: event if event.kind is kind else right(event, bucket))]


@bug("upload-not-checked", "the event of an upload that is gone already is taken as a new one")
def _upload_not_checked() -> Sequence[Patch]:
    return _without_asking(EventKind.FINALISED)


@bug("overwrite-taken-as-delete", "the end of an overwritten generation is taken as a deletion of the document")
def _overwrite_taken_as_delete() -> Sequence[Patch]:
    return _without_asking(EventKind.DELETED)


@bug(
    "generations-ordered-by-number",
    "an upload is ignored if its generation has a lower number than the record's",
    found_by=1,
)
def _ordered_by_number() -> Sequence[Patch]:
    right = transitions.finalised

    def wrong(event: ObjectEvent, **named: Any) -> Transition:
        def changed(record: Document | None) -> Document | None:
            is_lower = record is not None and event.generation < record.generation
            return record if is_lower else right(event, **named)(record)

        return changed

    return [(route_module, "finalised", wrong)]


@bug("no-compare-and-set", "the router writes what the bucket said, although the record has changed in between")
def _no_compare_and_set() -> Sequence[Patch]:
    return [(place, "is_as_seen", lambda record, seen: True) for place in (transitions, route_module)]


@bug("bucket-asked-first", "the router asks the bucket first, and then reads the record")
def _bucket_asked_first() -> Sequence[Patch]:
    def wrong(id: str, event: ObjectEvent, ports: Any) -> tuple[Document, bool]:
        latest = route_module._ask(event, ports.bucket)
        seen = ports.documents.get(id)
        transition = route_module._transition(latest, seen, ports.defaults, ports.clock.now())
        change = ports.documents.update(id, transition)
        return change.after, change.after is not change.before

    return [(route_module, "_follow", wrong)]


@bug("revision-not-counted", "the revision stays the same when the record takes over another generation")
def _revision_not_counted() -> Sequence[Patch]:
    modules = (transitions, extractor_transitions)
    return [(module, "next_revision", lambda record: record.revision if record else 1) for module in modules]


@bug("late-event-revives-deleted", "a late event brings a deleted generation back to life", found_by=7)
def _late_event_revives() -> Sequence[Patch]:
    right = route_module._is_plain

    def wrong(event: ObjectEvent, record: Document | None) -> bool:
        is_upload = event.kind is EventKind.FINALISED
        return right(event, record) or (is_upload and record is not None and record.tombstone)

    return [(route_module, "_is_plain", wrong)]


@bug("delete-without-tombstone", "a deletion hides the text, but leaves no tombstone")
def _no_tombstone() -> Sequence[Patch]:
    failure = Failure(ErrorCode.INTERNAL_ERROR, "deleted")

    def alive(before: Document | None, after: Document) -> Document:
        return replace(after, tombstone=False, status=Status.FAILED, failure=failure)

    return [(route_module, "deleted", _then(transitions.deleted, alive))]


@bug("deleted-still-shown", "search still shows a deleted document", found_by=1)
def _deleted_still_shown() -> Sequence[Patch]:
    def shown(before: Document | None, after: Document) -> Document:
        return replace(after, active=before.active if before else None)

    return [(route_module, "deleted", _then(transitions.deleted, shown))]


@bug(
    "failed-keeps-old-active",
    "after a failed overwrite, search still shows what the bucket no longer holds",
    found_by=27,
)
def _failed_keeps_active() -> Sequence[Patch]:
    def shown(before: Document | None, after: Document) -> Document:
        return replace(after, active=before.active if before else None)

    return [(claim_module, "failed_by_claim", _then(claim_transitions.failed_by_claim, shown))]


@bug("lease-never-expires", "the lease of a dead worker never runs out", found_by=19)
def _lease_never_expires() -> Sequence[Patch]:
    return [(Work, "is_leased", lambda self, now: self.lease is not None)]


@bug("lease-ignored", "a worker claims a document that another worker is working on")
def _lease_ignored() -> Sequence[Patch]:
    return [(claim_transitions, "_may_claim", lambda work, now, interrupted: not work.out_of_retries)]


def _with_lease(record: Document, lease: Lease, transition: Transition) -> Document | None:
    """What the transition makes of the record as if the claim held its lease."""
    held = replace(record, lease=lease)
    after = transition(held)
    return record if after is held else after


@bug("flip-without-lease-check", "a worker flips although it has lost its lease", found_by=40)
def _flip_without_lease() -> Sequence[Patch]:
    right = claim_transitions.completed

    def wrong(active: IndexedGeneration, lease: Lease, **named: Any) -> Transition:
        def changed(record: Document | None) -> Document | None:
            if record is None or not record.wants(active.generation):
                return record
            return _with_lease(record, lease, right(active, lease, **named))

        return changed

    return [(document_module, "completed", wrong)]


@bug("flip-without-generation-check", "a worker flips a generation that is no longer wanted")
def _flip_without_generation() -> Sequence[Patch]:
    right = claim_transitions.completed

    def wrong(active: IndexedGeneration, lease: Lease, **named: Any) -> Transition:
        def changed(record: Document | None) -> Document | None:
            if record is None or record.tombstone:
                return record
            return _with_lease(record, lease, right(replace(active, generation=record.generation), lease, **named))

        return changed

    return [(document_module, "completed", wrong)]


@bug("attempts-not-counted", "the record does not count an attempt", found_by=1)
def _attempts_not_counted() -> Sequence[Patch]:
    def uncounted(before: Document | None, after: Document) -> Document:
        return replace(after, attempts=before.attempts if before else 0)

    return [(document_module, "claimed", _then(claim_transitions.claimed, uncounted))]


@bug("release-resets-attempts", "after a transient failure, the document has all its retries again", found_by=6)
def _release_resets_attempts() -> Sequence[Patch]:
    def reset(before: Document | None, after: Document) -> Document:
        return replace(after, attempts=0)

    return [(claim_module, "released", _of_documents(claim_transitions.released, reset))]


@bug("usage-counted-twice", "the record counts the cost of a batch twice")
def _usage_twice() -> Sequence[Patch]:
    def twice(before: Document | None, after: Document) -> Document:
        return replace(after, usage=after.usage + after.usage)

    return [(claim_module, "renewed", _then(claim_transitions.renewed, twice))]


@bug("dead-letter-overwrites-completed", "a late dead letter makes a COMPLETED document FAILED", found_by=2)
def _dead_letter_overwrites() -> Sequence[Patch]:
    right = undeliverable

    def wrong(generation: int, failure: Failure, **named: Any) -> Transition:
        def changed(record: Document | None) -> Document | None:
            if record is not None and record.status is Status.COMPLETED and record.wants(generation):
                return replace(record, status=Status.FAILED, failure=failure, active=None)
            return right(generation, failure, **named)(record)

        return changed

    return [(dead_letter_module, "undeliverable", wrong)]


@bug("dead-letter-during-work", "a dead letter makes a document FAILED while a worker is working on it", found_by=2)
def _dead_letter_during_work() -> Sequence[Patch]:
    right = undeliverable

    def wrong(generation: int, failure: Failure, **named: Any) -> Transition:
        def changed(record: Document | None) -> Document | None:
            free = replace(record, lease=None) if record is not None else None
            after = right(generation, failure, **named)(free)
            return record if after is free else after

        return changed

    return [(dead_letter_module, "undeliverable", wrong)]


@bug("outage-counts", "an attempt counts although a service was away", found_by=1)
def _outage_counts() -> Sequence[Patch]:
    def counted(before: Document | None, after: Document) -> Document:
        return replace(after, attempts=before.attempts if before else 0)

    wrong = _of_documents(claim_transitions.waiting, counted)
    return [(module, "waiting", wrong) for module in (process_module, claim_module)]


@bug("fault-counts-not", "an attempt does not count although the document caused its failure", found_by=6)
def _fault_counts_not() -> Sequence[Patch]:
    def uncounted(before: Document | None, after: Document) -> Document:
        return replace(after, attempts=after.attempts - 1)

    return [(claim_module, "released", _of_documents(claim_transitions.released, uncounted))]


@bug("wait-ends-anothers-lease", "a worker that finds a service away gives back the lease of another worker")
def _wait_ends_lease() -> Sequence[Patch]:
    right = claim_transitions.waiting

    def wrong(generation: int, lease: Lease | None, failure: Failure, **named: Any) -> Transition:
        def changed(record: Document | None) -> Document | None:
            return right(generation, record.lease if record else None, failure, **named)(record)

        return changed

    return [(module, "waiting", wrong) for module in (process_module, claim_module)]


@bug(
    "queue-fails-waiting-document",
    "a document that waits for a service is FAILED when the queue gives up its job",
    found_by=2,
)
def _queue_fails_waiting() -> Sequence[Patch]:
    def wrong(generation: int, failure: Failure, *, now: datetime, **_: Any) -> Transition:
        def changed(record: Document | None) -> Document | None:
            if record is not None and record.is_leased(now):
                return record
            return transitions.failed(generation, failure, now=now)(record)

        return changed

    return [(dead_letter_module, "undeliverable", wrong)]


@bug("retry-keeps-attempts", "a retried document has no attempt left", found_by=6)
def _retry_keeps_attempts() -> Sequence[Patch]:
    def kept(before: Document | None, after: Document) -> Document:
        return replace(after, attempts=before.attempts if before else 0)

    return [(retry_module, "retried", _then(transitions.retried, kept))]
