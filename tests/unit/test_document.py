"""The record of a document: which transitions it takes and which it refuses."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from ragbase.domain.document import MAX_RETRIES, Document, Lease, Status, Transition
from ragbase.domain.identity import document_id
from ragbase.domain.job import Job, ProcessingConfig
from ragbase.domain.routing import Format, Lane
from ragbase.domain.transitions import (
    abandoned,
    claimed,
    failed,
    leased_by_another,
    released,
    renewed,
    rerouted,
    retried,
)
from tests.unit.transitions import (
    FAILURE,
    LATER,
    LEASE,
    NOW,
    OTHER,
    PAID,
    UNTIL,
    after,
    arrive,
    claim,
    flip,
    remove,
    shown,
)


def assert_refused(transition: Transition, record: Document) -> None:
    assert transition(record) is record


def test_a_new_object_is_a_pending_document() -> None:
    assert arrive(1)(None) == Document(
        id=document_id("bucket", "a.md"),
        bucket="bucket",
        name="a.md",
        generation=1,
        status=Status.PENDING,
        size=1,
        md5="md5 of 1",
        content_type="",
        format=Format.MD,
        lane=Lane.FAST,
        source="a.md",
        config=ProcessingConfig(),
        created_at=NOW,
        updated_at=NOW,
    )


def test_its_job_asks_for_the_generation_it_wants() -> None:
    record = after(arrive(1), arrive(2))
    assert record.job == Job(
        document_id=record.id, bucket="bucket", name="a.md", generation=2, format=Format.MD, config=record.config
    )


def test_a_newer_generation_starts_afresh_while_search_goes_on_showing_the_old_one() -> None:
    record = after(arrive(1), claim(1), flip(1), arrive(2, now=LATER))
    assert (record.status, record.generation, record.attempts, record.lease, record.failure) == (
        Status.PENDING,
        2,
        0,
        None,
        None,
    )
    assert record.shows(1)
    assert not record.shows(2)
    assert record.usage == PAID
    assert (record.created_at, record.updated_at) == (NOW, LATER)


@pytest.mark.parametrize("seen", [1, 2])
def test_an_event_at_or_below_the_newest_generation_is_ignored(seen: int) -> None:
    assert_refused(arrive(seen), after(arrive(2)))
    assert_refused(arrive(seen), after(arrive(2), claim(2), flip(2)))
    assert_refused(arrive(seen), after(arrive(2), remove(2)))


def test_a_deletion_leaves_a_tombstone_that_shows_nothing_and_wants_nothing() -> None:
    for record in (
        after(arrive(1), remove(1)),
        after(arrive(1), claim(1), remove(1)),
        after(arrive(1), claim(1), flip(1), remove(1)),
        after(arrive(1), failed(1, FAILURE, now=NOW), remove(1)),
        after(remove(1)),
    ):
        assert record.tombstone
        assert (record.generation, record.active, record.lease, record.failure) == (1, None, None, None)
        assert not record.is_open
        assert not record.wants(1)
        assert_refused(remove(1), record)
        assert_refused(claim(1), record)


def test_the_deletion_of_an_older_generation_is_ignored() -> None:
    assert_refused(remove(1), after(arrive(2)))
    assert_refused(remove(1), after(arrive(2), remove(2)))


def test_a_newer_generation_revives_a_deleted_document_as_a_new_one() -> None:
    record = after(arrive(1), claim(1), flip(1), remove(1), arrive(2, now=LATER))
    assert record.wants(2)
    assert (record.status, record.tombstone, record.active) == (Status.PENDING, False, None)
    assert record.created_at == LATER
    assert record.usage == PAID


def test_a_claim_starts_an_attempt() -> None:
    record = after(arrive(1), claim(1, now=LATER))
    assert (record.status, record.lease, record.attempts, record.updated_at) == (Status.PROCESSING, LEASE, 1, LATER)
    assert record.retry_count == 0


def test_only_one_claim_has_the_lease_until_it_runs_out() -> None:
    record = after(arrive(1), claim(1))
    assert_refused(claim(1, OTHER), record)
    assert_refused(claim(1, replace(LEASE, claim=2)), record)
    assert leased_by_another(record, OTHER, NOW)
    assert not leased_by_another(record, LEASE, NOW)
    assert not leased_by_another(record, OTHER, UNTIL)

    taken_over = claim(1, OTHER, now=UNTIL)(record)
    assert taken_over is not None
    assert (taken_over.lease, taken_over.attempts, taken_over.retry_count) == (OTHER, 2, 1)


@pytest.mark.parametrize("lease", [OTHER, replace(LEASE, claim=2)])
def test_who_has_lost_the_lease_changes_nothing(lease: Lease) -> None:
    record = after(arrive(1), claim(1, lease))
    for transition in (
        flip(1),
        released(1, LEASE, FAILURE, now=NOW),
        renewed(1, LEASE, usage=PAID, now=NOW),
        rerouted(1, LEASE, Format.PDF, Lane.HEAVY, now=NOW),
    ):
        assert_refused(transition, record)


def test_a_claim_is_refused_in_the_wrong_lane_for_a_stale_generation_and_once_there_is_nothing_to_do() -> None:
    assert_refused(claimed(1, LEASE, Lane.HEAVY, now=NOW), after(arrive(1)))
    assert_refused(claim(1), after(arrive(1), arrive(2)))
    assert_refused(claim(2), after(arrive(1)))
    assert_refused(claim(1), after(arrive(1), claim(1), flip(1)))
    assert_refused(claim(1), after(arrive(1), failed(1, FAILURE, now=NOW)))
    assert claim(1)(None) is None


def test_no_attempt_follows_the_last_retry() -> None:
    record = after(arrive(1))
    for attempt in range(1, MAX_RETRIES + 2):
        assert not record.is_exhausted
        record = after(lambda _, record=record: record, claim(1))  # type: ignore[misc]  # mypy cannot type the default
        assert record.attempts == attempt
        record = after(lambda _, record=record: record, released(1, LEASE, FAILURE, now=NOW))  # type: ignore[misc]
    assert record.is_exhausted
    assert record.retry_count == MAX_RETRIES
    assert_refused(claim(1), record)


def test_the_flip_shows_the_new_generation_and_gives_the_lease_back() -> None:
    record = after(arrive(1), claim(1), flip(1))
    assert (record.status, record.lease, record.failure, record.active) == (Status.COMPLETED, None, None, shown(1))
    assert record.usage == PAID
    assert not record.is_open
    again = after(arrive(1), claim(1), flip(1), arrive(2), claim(2), flip(2))
    assert again.shows(2)
    assert again.usage == PAID + PAID


def test_the_flip_is_refused_once_the_document_has_moved_on() -> None:
    assert_refused(flip(1), after(arrive(1), claim(1), arrive(2)))
    assert_refused(flip(1), after(arrive(1), claim(1), remove(1)))
    assert_refused(flip(1), after(arrive(1)))


def test_renewing_extends_the_lease_and_adds_what_was_paid() -> None:
    longer = replace(LEASE, until=UNTIL + timedelta(minutes=5))
    record = after(
        arrive(1), claim(1), renewed(1, longer, usage=PAID, now=LATER), renewed(1, longer, usage=PAID, now=NOW)
    )
    assert (record.status, record.lease, record.usage) == (Status.PROCESSING, longer, PAID + PAID)


def test_releasing_opens_the_document_to_the_next_attempt() -> None:
    record = after(arrive(1), claim(1), released(1, LEASE, FAILURE, now=LATER))
    assert (record.status, record.lease, record.failure, record.attempts) == (Status.PENDING, None, FAILURE, 1)
    assert claim(1, OTHER)(record) is not record


def test_rerouting_is_a_fresh_attempt_in_the_other_lane() -> None:
    record = after(arrive(1), claim(1), rerouted(1, LEASE, Format.PDF, Lane.HEAVY, now=LATER))
    assert (record.status, record.lease, record.attempts) == (Status.PENDING, None, 0)
    assert (record.format, record.lane) == (Format.PDF, Lane.HEAVY)
    assert_refused(claim(1), record)


def test_failing_takes_the_older_text_away() -> None:
    record = after(arrive(1), claim(1), flip(1), arrive(2), claim(2), failed(2, FAILURE, now=LATER))
    assert (record.status, record.lease, record.failure, record.active) == (Status.FAILED, None, FAILURE, None)


def test_only_open_work_on_the_wanted_generation_fails() -> None:
    fail = failed(1, FAILURE, now=LATER)
    assert fail(None) is None
    for record in (after(arrive(2)), after(arrive(1), claim(1), flip(1)), after(remove(1)), after(arrive(1), fail)):
        assert_refused(fail, record)


def test_a_failed_document_can_be_retried_and_no_other() -> None:
    retry = retried(now=LATER)
    record = after(arrive(1), claim(1), failed(1, FAILURE, now=NOW), retry)
    assert (record.status, record.attempts, record.failure) == (Status.PENDING, 0, None)
    assert retry(None) is None
    for other in (after(arrive(1)), after(arrive(1), claim(1)), after(arrive(1), claim(1), flip(1)), after(remove(1))):
        assert_refused(retry, other)


def test_what_a_dead_worker_held_is_open_again() -> None:
    held = after(arrive(1), claim(1))
    record = after(lambda _: held, abandoned("worker", now=LATER))
    assert (record.status, record.lease, record.attempts) == (Status.PENDING, None, 1)
    assert_refused(abandoned("other", now=LATER), held)
    assert_refused(abandoned("worker", now=LATER), record)
    assert abandoned("worker", now=LATER)(None) is None
