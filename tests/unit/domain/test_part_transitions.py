"""What the parts of a long document may do to its record."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from ragbase.adapters.record_json import read_record, record_json
from ragbase.domain.claim_transitions import (
    completed,
    failed_by_claim,
    given_up,
    leases_ended,
    part_claimed,
    released,
    renewed,
    waiting,
)
from ragbase.domain.document import Document, Status, Transition, Usage
from ragbase.domain.errors import ErrorCode
from ragbase.domain.lease import Lease
from ragbase.domain.limits import LONGEST_WAIT, MAX_RETRIES
from ragbase.domain.page_range import MOST_PARTS, PageRange
from ragbase.domain.part_transitions import part_read, parts_lost, planned
from ragbase.domain.reading import DocumentPart, Reading
from ragbase.domain.transitions import failed
from ragbase.domain.work import Failure
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
    claim,
    remove,
    shown,
)

READER, NEWER = "pdf|1", "pdf|2"
PLAN = Reading.planned(READER, [PageRange(1, 2), PageRange(3, 4), PageRange(5, 5)])
NEW_PLAN = Reading.planned(NEWER, [PageRange(1, 3), PageRange(4, 5)])
MINE, THEIRS = Lease("worker", 2, UNTIL), Lease("other", 2, UNTIL)
PASSED = UNTIL + timedelta(seconds=1)
AWAY = Failure(ErrorCode.INTERNAL_ERROR, "The bucket is away.")


def plan(reading: Reading = PLAN) -> Transition:
    return planned(1, reading, LEASE, now=NOW)


def take(number: int, lease: Lease = MINE, reader: str = READER, *, interrupted: bool = False) -> Transition:
    return part_claimed(1, number, lease, lambda _: reader, now=NOW, interrupted=interrupted)


def read(number: int, lease: Lease = MINE) -> Transition:
    return part_read(1, number, lease, now=LATER)


def reading(*more: Transition) -> Document:
    return after(arrive(1), claim(1), plan(), *more)


def then(record: Document, *changes: Transition) -> Document:
    """The record after some changes."""
    return after(lambda _: record, *changes)


def part_of(record: Document, number: int) -> DocumentPart:
    assert record.reading is not None
    part = record.reading.part(number)
    assert part is not None
    return part


def test_a_plan_gives_the_document_back_and_counts_no_attempt() -> None:
    record = reading()
    assert (record.status, record.lease, record.attempts, record.reading) == (Status.PROCESSING, None, 0, PLAN)
    assert PLAN.free_parts(NOW) == [1, 2, 3]


def test_only_the_holder_of_the_document_plans() -> None:
    assert after(arrive(1), claim(1, OTHER), plan()).reading is None
    assert after(arrive(1), claim(1), arrive(2), plan()).reading is None


def test_the_last_part_completes_the_reading() -> None:
    record = reading(take(1), read(1), take(3), read(3))
    assert record.reading is not None
    assert not record.reading.is_complete
    record = then(record, take(2), read(2))
    assert record.reading is not None
    assert record.reading.is_complete
    assert record.reading.free_parts(NOW) == []


def test_parts_are_in_work_at_the_same_time_and_none_twice() -> None:
    record = reading(take(1, MINE), take(2, THEIRS), take(1, THEIRS))
    assert [part_of(record, number).lease for number in (1, 2, 3)] == [MINE, THEIRS, None]
    assert [part_of(record, number).attempts for number in (1, 2, 3)] == [1, 1, 0]
    assert record.part_workers == {"worker", "other"}


def test_who_has_lost_a_part_changes_nothing() -> None:
    record = reading(take(1, THEIRS))
    for change in (
        read(1),
        renewed(1, replace(MINE, until=PASSED), usage=Usage(), now=LATER, part=1),
        released(1, MINE, FAILURE, now=LATER, part=1),
        waiting(1, MINE, AWAY, now=LATER, part=1),
        failed_by_claim(1, MINE, FAILURE, now=LATER, part=1),
    ):
        assert change(record) is record


def test_a_part_that_was_read_is_not_read_again() -> None:
    record = reading(take(1), read(1))
    assert take(1, THEIRS)(record) is record


def test_an_interrupted_part_is_taken_only_as_such() -> None:
    record = reading(take(1, replace(THEIRS, until=NOW)))
    assert take(1)(record) is record
    assert part_of(then(record, take(1, interrupted=True)), 1) == replace(PLAN.parts[0], lease=MINE, attempts=2)


def test_a_lease_never_gets_shorter() -> None:
    longer = replace(MINE, until=PASSED)
    record = reading(take(1, longer), renewed(1, MINE, usage=Usage(), now=LATER, part=1))
    assert part_of(record, 1).lease == longer


def test_a_failed_attempt_counts_for_its_part_alone() -> None:
    record = reading(take(1), take(2), released(1, MINE, FAILURE, now=LATER, part=1))
    assert (part_of(record, 1).attempts, part_of(record, 1).lease) == (1, None)
    assert part_of(record, 2).lease == MINE
    assert (record.attempts, record.status, record.failure) == (0, Status.PROCESSING, FAILURE)


def test_waiting_for_a_service_costs_no_attempt_and_ends_with_the_next_part() -> None:
    record = reading(take(1), waiting(1, MINE, AWAY, now=NOW, part=1))
    assert (part_of(record, 1).attempts, record.waiting_since, record.failure) == (0, NOW, AWAY)
    assert then(record, take(2), read(2)).waiting_since is None


def test_a_part_that_cannot_be_read_fails_its_document() -> None:
    record = reading(take(1), take(2, THEIRS), failed_by_claim(1, MINE, FAILURE, now=LATER, part=1))
    assert (record.status, record.failure, record.reading) == (Status.FAILED, FAILURE, None)
    assert read(2, THEIRS)(record) is record


def test_a_part_is_given_up_after_its_last_retry() -> None:
    give_up = given_up(1, FAILURE, longest_wait=LONGEST_WAIT, now=LATER, part=1)
    record = reading()
    for attempt in range(MAX_RETRIES + 1):
        assert give_up(record) is record
        record = then(record, take(1, Lease("worker", 10 + attempt, UNTIL)))
        assert give_up(record) is record
        record = then(
            record,
            released(1, Lease("worker", 10 + attempt, UNTIL), FAILURE, now=LATER, part=1),
        )
    assert take(1)(record) is record
    assert then(record, give_up).status is Status.FAILED


def test_a_part_is_given_up_after_the_longest_wait() -> None:
    record = reading(take(1), waiting(1, MINE, AWAY, now=NOW, part=1))
    too_long = NOW + LONGEST_WAIT
    record = replace(record, updated_at=too_long - timedelta(minutes=1))
    assert given_up(1, AWAY, longest_wait=LONGEST_WAIT, now=too_long - timedelta(seconds=1), part=1)(record) is record
    assert then(record, given_up(1, AWAY, longest_wait=LONGEST_WAIT, now=too_long, part=1)).status is Status.FAILED


def test_the_plan_of_a_new_reader_waits_for_those_who_still_read() -> None:
    record = reading(take(1), claim(1), plan(NEW_PLAN))
    assert record.reading is not None
    assert record.reading.reader == READER
    assert take(2, THEIRS, NEWER)(record) is record
    record = then(record, read(1), claim(1), plan(NEW_PLAN))
    assert record.reading == NEW_PLAN
    assert (record.lease, record.attempts) == (None, 0)


def test_the_same_plan_again_keeps_what_is_read() -> None:
    record = reading(take(1), read(1), claim(1), plan())
    assert part_of(record, 1).is_read


def test_a_lost_text_is_read_again() -> None:
    record = reading(take(1), read(1), take(2), read(2), claim(1), parts_lost(1, LEASE, [2], now=LATER))
    assert [part_of(record, number).is_read for number in (1, 2, 3)] == [True, False, False]
    assert part_of(record, 2).attempts == 1
    assert parts_lost(1, OTHER, [1], now=LATER)(record) is record


@pytest.mark.parametrize(
    "end",
    [
        arrive(2),
        remove(1),
        failed(1, FAILURE, now=LATER),
        lambda record: completed(shown(1), LEASE, usage=PAID, now=LATER)(claim(1)(record)),
    ],
)
def test_what_ends_the_work_on_a_generation_ends_its_reading(end: Transition) -> None:
    record = reading(take(1))
    assert record.is_reading(1)
    ended = then(record, end)
    assert ended.reading is None
    assert not ended.is_reading(1)
    for change in (read(1), take(2), renewed(1, replace(MINE, until=PASSED), usage=Usage(), now=LATER, part=1)):
        assert change(ended) is ended


def test_the_leases_of_a_dead_worker_end() -> None:
    record = then(reading(take(1), take(2, THEIRS)), leases_ended("worker", now=LATER))
    assert part_of(record, 1).lease == replace(MINE, until=LATER)
    assert part_of(record, 2).lease == THEIRS
    assert leases_ended("worker", now=LATER)(record) is record


def test_a_record_of_the_version_before_has_no_reading() -> None:
    text = record_json(after(arrive(1)))
    assert '"reading":null' in text
    assert read_record(text.replace(',"reading":null', "")) == after(arrive(1))


def test_the_largest_plan_leaves_room_in_its_record() -> None:
    ranges = [PageRange(100_000 + number, 100_000 + number) for number in range(MOST_PARTS)]
    long = Lease("w" * 100, 10**9, UNTIL)
    parts = tuple(DocumentPart(pages=pages, attempts=4, lease=long) for pages in ranges)
    record = replace(reading(), reading=Reading(reader=READER, parts=parts))
    assert len(record_json(record).encode()) < 100_000
