"""The record of a document: which transitions it takes and which it refuses."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from ragbase.domain.claim_transitions import (
    claimed,
    completed,
    given_up,
    handed_back,
    leases_ended,
    released,
    renewed,
    rerouted,
    waiting,
)
from ragbase.domain.document import Document, Status, Transition, Usage
from ragbase.domain.identity import document_id
from ragbase.domain.job import Job, ProcessingConfig
from ragbase.domain.lane import Lane
from ragbase.domain.lease import Lease
from ragbase.domain.limits import LONGEST_WAIT as WAIT
from ragbase.domain.limits import MAX_RETRIES
from ragbase.domain.transitions import failed, promoted, rebuilt, reopened, republished, retried, undeliverable
from tests.unit.domain.transitions import (
    FAILURE,
    LATER,
    LEASE,
    NOW,
    OTHER,
    PAID,
    UNTIL,
    after,
    arrive,
    arrived,
    claim,
    flip,
    in_index,
    remove,
    removed,
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
        format="md",
        lane=Lane.FAST,
        source="a.md",
        config=ProcessingConfig(),
        created_at=NOW,
        updated_at=NOW,
        revision=1,
    )


def test_its_job_asks_for_the_generation_it_wants() -> None:
    record = after(arrive(1), arrive(2))
    assert record.job == Job(
        document_id=record.id, bucket="bucket", name="a.md", generation=2, format="md", config=record.config
    )


def test_another_generation_starts_afresh_while_search_goes_on_showing_the_old_one() -> None:
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


def test_the_numbers_of_generations_have_no_order() -> None:
    record = after(arrive(2), claim(2), flip(2), arrive(1))
    assert record.wants(1) and record.shows(2)
    assert after(arrive(2), remove(2), arrive(1)).wants(1)


def test_a_generation_that_the_record_has_is_no_news() -> None:
    assert_refused(arrive(2), after(arrive(2)))
    assert_refused(arrive(2), after(arrive(2), claim(2), flip(2)))


def test_what_the_bucket_said_before_the_record_changed_counts_no_more() -> None:
    first = after(arrive(1))
    for record in (after(arrive(1), arrive(2)), after(arrive(1), remove(1)), after(arrive(1), remove(1), arrive(2))):
        for transition in (arrived(3, first), arrived(3, None), removed(1, first), removed(1, None)):
            assert_refused(transition, record)
    assert arrived(3, first)(None) is None
    assert arrived(3, first)(after(arrive(1), claim(1), flip(1))) is not None, "work on it is no news from the bucket"


def test_the_deletion_of_another_generation_counts_as_news_even_for_a_tombstone() -> None:
    """Who asked the bucket before that generation was deleted may have seen it, and must not write it now."""
    tombstone = after(arrive(1), remove(1))
    again = after(lambda _: tombstone, remove(2))
    assert again == replace(tombstone, revision=tombstone.revision + 1)
    assert_refused(arrived(2, tombstone), again)


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
        assert not record.needs_work
        assert not record.wants(1)
        assert_refused(remove(1), record)
        assert_refused(claim(1), record)


def test_another_generation_revives_a_deleted_document_as_a_new_one() -> None:
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
    assert record.is_leased(NOW)
    assert not record.is_leased(UNTIL)

    taken_over = claim(1, OTHER, now=UNTIL)(record)
    assert taken_over is not None
    assert (taken_over.lease, taken_over.attempts, taken_over.retry_count) == (OTHER, 2, 1)


@pytest.mark.parametrize("lease", [OTHER, replace(LEASE, claim=2)])
def test_a_worker_that_has_lost_the_lease_changes_nothing(lease: Lease) -> None:
    record = after(arrive(1), claim(1, lease))
    for transition in (
        flip(1),
        released(1, LEASE, FAILURE, now=NOW),
        handed_back(1, LEASE, now=NOW),
        renewed(1, LEASE, usage=PAID, now=NOW),
        rerouted(1, LEASE, "pdf", Lane.HEAVY, now=NOW),
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
        assert not record.is_at_its_end(WAIT, NOW)
        record = after(lambda _, record=record: record, claim(1))  # type: ignore[misc]  # mypy cannot type the default
        assert record.attempts == attempt
        record = after(lambda _, record=record: record, released(1, LEASE, FAILURE, now=NOW))  # type: ignore[misc]
    assert record.is_at_its_end(WAIT, NOW)
    assert record.retry_count == MAX_RETRIES
    assert_refused(claim(1), record)


def test_the_flip_shows_the_new_generation_and_gives_the_lease_back() -> None:
    record = after(arrive(1), claim(1), flip(1))
    assert (record.status, record.lease, record.failure, record.active) == (Status.COMPLETED, None, None, shown(1))
    assert record.usage == PAID
    assert not record.needs_work
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


def test_handing_back_opens_the_document_without_an_attempt_less() -> None:
    retry = after(arrive(1), claim(1), released(1, LEASE, FAILURE, now=NOW), claim(1))
    record = after(lambda _: retry, handed_back(1, LEASE, now=LATER))
    assert (record.status, record.lease, record.attempts) == (Status.PENDING, None, 1)
    assert claim(1, OTHER)(record) is not record


def test_rerouting_is_a_fresh_attempt_in_the_other_lane() -> None:
    record = after(arrive(1), claim(1), rerouted(1, LEASE, "pdf", Lane.HEAVY, now=LATER))
    assert (record.status, record.lease, record.attempts) == (Status.PENDING, None, 0)
    assert (record.format, record.lane) == ("pdf", Lane.HEAVY)
    assert_refused(claim(1), record)


def test_failing_takes_the_older_text_away() -> None:
    record = after(arrive(1), claim(1), flip(1), arrive(2), claim(2), failed(2, FAILURE, now=LATER))
    assert (record.status, record.lease, record.failure, record.active) == (Status.FAILED, None, FAILURE, None)


def test_a_repair_that_fails_changes_nothing_but_notes_why() -> None:
    done = after(arrive(1), claim(1), flip(1))
    again = after(lambda _: done, reopened(1, now=LATER), claim(1))
    used_up = replace(again, attempts=MAX_RETRIES + 1)
    for end in (
        failed(1, FAILURE, now=LATER),
        undeliverable(1, FAILURE, longest_wait=WAIT, now=UNTIL),
        given_up(1, FAILURE, longest_wait=WAIT, now=UNTIL),
    ):
        record = after(lambda _: used_up, end)
        assert (record.status, record.lease, record.failure, record.active) == (
            Status.COMPLETED,
            None,
            FAILURE,
            done.active,
        )
        repaired = after(lambda _, record=record: record, reopened(1, now=LATER), claim(1), flip(1))  # type: ignore[misc]
        assert (repaired.status, repaired.failure) == (Status.COMPLETED, None)


def test_a_failed_repair_can_be_retried() -> None:
    failing = (reopened(1, now=LATER), claim(1), failed(1, FAILURE, now=LATER))
    record = after(arrive(1), claim(1), flip(1), *failing, retried(now=LATER))
    assert (record.status, record.attempts, record.failure) == (Status.PENDING, 0, None)
    assert record.shows(1)


def test_what_the_current_index_does_not_hold_is_failed_as_if_it_had_never_been_shown() -> None:
    """A reindex has switched, and the new settings cannot make it."""
    record = after(arrive(1), claim(1), completed(in_index("old"), LEASE, usage=PAID, now=LATER))
    again = after(lambda _: record, reopened(1, now=LATER), claim(1))
    kept = after(lambda _: again, failed(1, FAILURE, now=LATER, index_name="old"))
    assert (kept.status, kept.active) == (Status.COMPLETED, record.active)
    gone = after(lambda _: again, failed(1, FAILURE, now=LATER, index_name="new"))
    assert (gone.status, gone.failure, gone.active) == (Status.FAILED, FAILURE, None)


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


def test_what_search_shows_can_be_processed_again_and_is_shown_meanwhile() -> None:
    done = after(arrive(1), claim(1), flip(1))
    again = reopened(1, now=LATER)(done)
    assert again is not None
    assert (again.status, again.attempts, again.active) == (Status.PENDING, 0, done.active)
    assert after(lambda _: again, claim(1), flip(1)).status is Status.COMPLETED


@pytest.mark.parametrize(
    "record",
    [
        after(arrive(1)),
        after(arrive(1), claim(1)),
        after(arrive(1), claim(1), failed(1, FAILURE, now=NOW)),
        after(arrive(1), claim(1), flip(1), arrive(2)),
        after(arrive(1), claim(1), flip(1), remove(1)),
    ],
    ids=["open", "in work", "failed", "overwritten", "deleted"],
)
def test_nothing_else_is_reopened(record: Document) -> None:
    assert reopened(1, now=LATER)(record) is record


def test_asking_again_notes_when_and_nothing_else() -> None:
    pending = after(arrive(1))
    assert republished(1, now=LATER)(pending) == replace(pending, updated_at=LATER)
    for record in (after(arrive(1), claim(1), flip(1)), after(arrive(1), remove(1)), after(arrive(2))):
        assert republished(1, now=LATER)(record) is record


def test_what_a_dead_worker_held_is_open_again_to_a_claim_of_an_interrupted_document() -> None:
    held = after(arrive(1), claim(1))
    record = after(lambda _: held, leases_ended("worker", now=LATER))
    assert (record.status, record.attempts) == (Status.PROCESSING, 1)
    assert_refused(claim(1, OTHER, LATER, interrupted=False), record)
    taken = after(lambda _: record, claim(1, OTHER, LATER))
    assert (taken.lease, taken.attempts) == (OTHER, 2)
    assert_refused(leases_ended("other", now=LATER), held)
    assert_refused(leases_ended("worker", now=LATER), record)
    assert leases_ended("worker", now=LATER)(None) is None


def test_a_wait_counts_no_attempt_and_keeps_the_moment_when_it_began() -> None:
    begun = after(arrive(1), claim(1), waiting(1, LEASE, FAILURE, now=NOW))
    assert (begun.status, begun.lease, begun.attempts, begun.failure) == (Status.PENDING, None, 0, FAILURE)
    again = after(lambda _: begun, claim(1), waiting(1, LEASE, FAILURE, now=LATER))
    assert (again.attempts, again.waiting_since) == (0, NOW)
    assert not again.waits_too_long(WAIT, LATER)
    assert not again.waits_too_long(WAIT, NOW + WAIT), "nobody has looked since"
    assert replace(again, updated_at=NOW + WAIT).waits_too_long(WAIT, NOW + WAIT)
    unclaimed = after(arrive(1), waiting(1, None, FAILURE, now=NOW))
    assert (unclaimed.attempts, unclaimed.waiting_since) == (0, NOW)
    for done in (
        after(lambda _: again, claim(1), flip(1)),
        after(lambda _: again, claim(1), released(1, LEASE, FAILURE, now=LATER)),
        after(lambda _: again, arrive(2)),
        after(lambda _: again, remove(1)),
    ):
        assert done.waiting_since is None
    taken = after(arrive(1), claim(1, OTHER))
    assert_refused(waiting(1, LEASE, FAILURE, now=LATER), taken)
    assert_refused(waiting(1, None, FAILURE, now=LATER), taken)


def test_a_document_that_has_waited_too_long_is_given_up_and_another_is_not() -> None:
    waits = after(arrive(1), waiting(1, None, FAILURE, now=NOW))
    assert_refused(given_up(1, FAILURE, longest_wait=WAIT, now=LATER), waits)
    seen = replace(waits, updated_at=NOW + WAIT)
    assert after(lambda _: seen, given_up(1, FAILURE, longest_wait=WAIT, now=NOW + WAIT)).status is Status.FAILED
    assert_refused(given_up(1, FAILURE, longest_wait=WAIT, now=NOW + WAIT), waits)
    assert_refused(given_up(1, FAILURE, longest_wait=WAIT, now=NOW + WAIT), after(arrive(1), claim(1)))


def test_an_attempt_that_got_further_does_not_count() -> None:
    record = after(arrive(1), claim(1), handed_back(1, LEASE, now=LATER))
    assert (record.status, record.lease, record.attempts) == (Status.PENDING, None, 0)


def test_a_late_renewal_does_not_shorten_the_lease() -> None:
    longer = replace(LEASE, until=UNTIL + timedelta(seconds=5))
    record = after(arrive(1), claim(1), renewed(1, longer, usage=Usage(), now=LATER))
    late = after(lambda _: record, renewed(1, LEASE, usage=Usage(), now=LATER))
    assert late.lease == longer


def test_a_document_is_interrupted_if_its_lease_ran_out_and_not_if_it_was_given_back() -> None:
    left = after(arrive(1), claim(1))
    assert_refused(claim(1, OTHER, UNTIL, interrupted=False), left)
    assert after(lambda _: left, claim(1, OTHER, UNTIL)).attempts == 2
    given_back = after(lambda _: left, released(1, LEASE, FAILURE, now=LATER))
    assert after(lambda _: given_back, claim(1, OTHER, LATER, interrupted=False)).attempts == 2


def test_what_the_queue_gives_up_fails_by_its_last_failure() -> None:
    gave_up = replace(FAILURE, reason="The queue gave up.")
    give_up = undeliverable(1, gave_up, longest_wait=WAIT, now=LATER)
    give_up_later = undeliverable(1, gave_up, longest_wait=WAIT, now=LATER + WAIT)
    tried = after(arrive(1), claim(1), released(1, LEASE, FAILURE, now=LATER))
    for record, reason in ((after(arrive(1)), "The queue gave up."), (tried, FAILURE.reason)):
        waits = after(lambda _, record=record: record, give_up)  # type: ignore[misc]  # of the default
        assert waits.failure is not None
        assert (waits.status, waits.failure.reason, waits.waiting_since) == (Status.PENDING, reason, LATER)
        seen = replace(waits, updated_at=LATER + WAIT)
        failed_record = after(lambda _, seen=seen: seen, give_up_later)  # type: ignore[misc]  # of the default
        assert (failed_record.status, failed_record.failure) == (Status.FAILED, waits.failure)
    used_up = replace(tried, attempts=MAX_RETRIES + 1)
    assert after(lambda _: used_up, give_up).status is Status.FAILED
    leased = after(arrive(1), claim(1))
    assert_refused(give_up, leased)
    assert after(lambda _: leased, undeliverable(1, FAILURE, longest_wait=WAIT, now=UNTIL)).waiting_since == UNTIL
    for settled in (after(arrive(2)), after(arrive(1), claim(1), flip(1)), after(remove(1))):
        assert_refused(give_up, settled)
    assert give_up(None) is None


# a reindex


def rebuilt_in_new(usage: Usage) -> Transition:
    return rebuilt(in_index("new"), format="txt", lane=Lane.FAST, usage=usage, now=LATER)


def test_what_is_rebuilt_is_noted_while_search_shows_its_generation() -> None:
    record = after(arrive(1), claim(1), completed(in_index("old"), LEASE, usage=PAID, now=LATER))
    built = after(lambda _: record, rebuilt_in_new(PAID))
    assert (built.active, built.rebuilt, built.usage) == (record.active, in_index("new"), PAID + PAID)
    assert (built.indexed_in("old"), built.indexed_in("new"), built.indexed_in("other")) == (
        record.active,
        built.rebuilt,
        None,
    )
    for moved_on in ((arrive(2), claim(2), flip(2)), (remove(1),)):
        later = after(lambda _: record, *moved_on)
        noted = rebuilt_in_new(PAID)(later)
        assert noted is not None and noted.rebuilt is None
        assert noted.usage == later.usage + PAID
        assert rebuilt_in_new(Usage())(later) is later


def test_what_is_rebuilt_once_more_replaces_its_note_but_not_what_a_lane_has_made() -> None:
    """The index was dropped half built, and is made again under the same name."""
    old = after(arrive(1), claim(1), completed(in_index("old"), LEASE, usage=PAID, now=LATER))
    stale = after(lambda _: old, rebuilt(in_index("new"), format="txt", lane=Lane.FAST, usage=PAID, now=LATER))
    other = replace(in_index("new"), chunk_count=in_index("new").chunk_count + 1)
    again = rebuilt(other, format="txt", lane=Lane.FAST, usage=Usage(), now=LATER)
    built = after(lambda _: stale, again)
    assert (built.active, built.rebuilt) == (old.active, other)
    assert again(built) is built
    by_lane = after(arrive(1), claim(1), completed(in_index("new"), LEASE, usage=PAID, now=LATER))
    assert again(by_lane) is by_lane


def test_another_generation_makes_what_is_rebuilt_useless() -> None:
    built = after(
        arrive(1),
        claim(1),
        flip(1),
        rebuilt_in_new(PAID),
        arrive(2),
    )
    assert built.indexed_in("new") == in_index("new")
    assert after(lambda _: built, claim(2), flip(2)).indexed_in("new") is None
    assert after(lambda _: built, remove(2)).rebuilt is None


def test_what_is_rebuilt_becomes_active_when_its_index_is_current() -> None:
    built = after(arrive(1), claim(1), flip(1), rebuilt_in_new(PAID))
    promoted_record = after(lambda _: built, promoted("new", now=LATER))
    assert (promoted_record.active, promoted_record.rebuilt) == (in_index("new"), None)
    assert promoted("new", now=LATER)(promoted_record) is promoted_record
    assert promoted("other", now=LATER)(built) is built
