"""What holds of a record in each status, whatever transitions it takes and in whatever order."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from ragbase.domain.claim_transitions import (
    claimed,
    completed,
    failed_by_claim,
    given_up,
    handed_back,
    leases_ended,
    part_claimed,
    released,
    renewed,
    rerouted,
    waiting,
)
from ragbase.domain.document import Document, Status, Transition, Usage
from ragbase.domain.errors import ErrorCode
from ragbase.domain.extractor_transitions import failed_elsewhere, given, handed_out, not_answered
from ragbase.domain.given_text import GivenText, HandedOut
from ragbase.domain.lane import Lane
from ragbase.domain.lease import Lease
from ragbase.domain.limits import LONGEST_WAIT, MAX_RETRIES
from ragbase.domain.page_range import PageRange
from ragbase.domain.part_transitions import part_read, parts_lost, planned
from ragbase.domain.reading import Reading
from ragbase.domain.transitions import (
    failed,
    promoted,
    rebuilt,
    reopened,
    republished,
    retried,
    undeliverable,
    unpublishable,
)
from ragbase.domain.work import Failure
from tests.unit.domain.transitions import FAILURE, NOW, arrive, in_index, remove

LENGTH = timedelta(minutes=5)
LANES = st.sampled_from(Lane)
LATE = st.booleans()
"""Whether a call comes from somebody who holds the lease no more."""
PARTS = st.integers(1, 3)
READERS = st.sampled_from(["pdf|1", "pdf|2"])
INDEXES = st.sampled_from(["old", "new"])
AWAY = Failure(ErrorCode.INTERNAL_ERROR, "A service is away.")


class Record(RuleBasedStateMachine):
    """One record, and everybody who changes it: routers, two workers, an extractor elsewhere, and upkeep."""

    def __init__(self) -> None:
        super().__init__()
        self.now = NOW
        self.record: Document | None = arrive(1)(None)
        self.claims = 0
        self.texts = 0
        self.stale = Lease("worker", 0, NOW)

    def apply(self, transition: Transition) -> None:
        self.record = transition(self.record)

    @property
    def of(self) -> Document:
        assert self.record is not None
        return self.record

    def lease(self) -> Lease:
        self.claims += 1
        return Lease(f"worker {self.claims % 2}", self.claims, self.now + LENGTH)

    def held(self, part: int = 0, *, late: bool = False) -> Lease:
        reading = self.of.reading
        holder: Any = self.of if not part else reading.part(part) if reading is not None else None
        return self.stale if late or holder is None or holder.lease is None else holder.lease

    def until(self) -> datetime:
        return self.now + LENGTH

    @rule(seconds=st.sampled_from([1, 400, LONGEST_WAIT.total_seconds()]))
    def time_goes_on(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    @rule(generation=st.integers(1, 3))
    def upload(self, generation: int) -> None:
        self.apply(arrive(generation, self.now))

    @rule()
    def delete(self) -> None:
        self.apply(remove(self.of.generation, self.now))

    @rule(lane=LANES, interrupted=st.booleans())
    def claim(self, lane: Lane, interrupted: bool) -> None:
        self.apply(claimed(self.of.wanted, self.lease(), lane, now=self.now, interrupted=interrupted))

    @rule(late=LATE)
    def renew(self, late: bool) -> None:
        held = self.held(late=late)
        longer = Lease(held.worker, held.claim, self.until())
        self.apply(renewed(self.of.wanted, longer, usage=Usage(embedded_texts=1), now=self.now))

    @rule(late=LATE)
    def release(self, late: bool) -> None:
        self.apply(released(self.of.wanted, self.held(late=late), FAILURE, now=self.now))

    @rule(late=LATE)
    def hand_back(self, late: bool) -> None:
        self.apply(handed_back(self.of.wanted, self.held(late=late), now=self.now))

    @rule(unclaimed=st.booleans(), late=LATE)
    def wait(self, unclaimed: bool, late: bool) -> None:
        self.apply(waiting(self.of.wanted, None if unclaimed else self.held(late=late), AWAY, now=self.now))

    @rule(late=LATE, lane=LANES)
    def reroute(self, late: bool, lane: Lane) -> None:
        self.apply(rerouted(self.of.wanted, self.held(late=late), "pdf", lane, now=self.now))

    @rule(late=LATE, index=INDEXES)
    def flip(self, late: bool, index: str) -> None:
        made = in_index(index, self.of.wanted, self.of.given_text)
        self.apply(completed(made, self.held(late=late), usage=Usage(), now=self.now))

    @rule(index=st.none() | INDEXES)
    def fail(self, index: str | None) -> None:
        self.apply(failed(self.of.wanted, FAILURE, now=self.now, index_name=index))

    @rule()
    def give_up(self) -> None:
        self.apply(given_up(self.of.wanted, AWAY, longest_wait=LONGEST_WAIT, now=self.now))

    @rule()
    def stop_delivering(self) -> None:
        self.apply(undeliverable(self.of.wanted, AWAY, longest_wait=LONGEST_WAIT, now=self.now))

    @rule()
    def refuse_the_job(self) -> None:
        self.apply(unpublishable(self.of.wanted, FAILURE, now=self.now))

    @rule()
    def retry(self) -> None:
        self.apply(retried(now=self.now))

    @rule()
    def reopen(self) -> None:
        if self.of.active is not None:
            self.apply(reopened(self.of.active.generation, now=self.now))

    @rule()
    def publish_once_more(self) -> None:
        self.apply(republished(self.of.wanted, now=self.now))

    @rule(worker=st.sampled_from(["worker 0", "worker 1"]))
    def a_worker_dies(self, worker: str) -> None:
        self.apply(leases_ended(worker, now=self.now))

    @rule(index=INDEXES)
    def rebuild(self, index: str) -> None:
        active = self.of.active
        if active is not None:
            made = in_index(index, active.generation, active.given)
            self.apply(rebuilt(made, format="pdf", lane=Lane.HEAVY, usage=Usage(), now=self.now))

    @rule(index=INDEXES)
    def switch(self, index: str) -> None:
        self.apply(promoted(index, now=self.now))

    @rule(late=LATE, reader=READERS)
    def plan(self, late: bool, reader: str) -> None:
        plan = Reading.planned(reader, [PageRange(1, 2), PageRange(3, 4)])
        self.apply(planned(self.of.wanted, plan, self.held(late=late), now=self.now))

    @rule(part=PARTS, reader=READERS, interrupted=st.booleans())
    def claim_part(self, part: int, reader: str, interrupted: bool) -> None:
        self.apply(
            part_claimed(self.of.wanted, part, self.lease(), lambda _: reader, now=self.now, interrupted=interrupted)
        )

    @rule(part=PARTS, late=LATE)
    def renew_part(self, part: int, late: bool) -> None:
        held = self.held(part, late=late)
        self.apply(
            renewed(
                self.of.wanted, Lease(held.worker, held.claim, self.until()), usage=Usage(), now=self.now, part=part
            )
        )

    @rule(part=PARTS, late=LATE)
    def read_part(self, part: int, late: bool) -> None:
        self.apply(part_read(self.of.wanted, part, self.held(part, late=late), now=self.now))

    @rule(part=PARTS, late=LATE)
    def release_part(self, part: int, late: bool) -> None:
        self.apply(released(self.of.wanted, self.held(part, late=late), FAILURE, now=self.now, part=part))

    @rule(part=PARTS, late=LATE)
    def hand_back_part(self, part: int, late: bool) -> None:
        self.apply(handed_back(self.of.wanted, self.held(part, late=late), now=self.now, part=part))

    @rule(part=PARTS, late=LATE)
    def wait_with_part(self, part: int, late: bool) -> None:
        self.apply(waiting(self.of.wanted, self.held(part, late=late), AWAY, now=self.now, part=part))

    @rule(part=PARTS, late=LATE)
    def fail_part(self, part: int, late: bool) -> None:
        self.apply(failed_by_claim(self.of.wanted, self.held(part, late=late), FAILURE, now=self.now, part=part))

    @rule(part=PARTS)
    def give_up_part(self, part: int) -> None:
        self.apply(given_up(self.of.wanted, AWAY, longest_wait=LONGEST_WAIT, now=self.now, part=part))

    @rule(part=PARTS, late=LATE)
    def lose_part(self, part: int, late: bool) -> None:
        self.apply(parts_lost(self.of.wanted, self.held(late=late), [part], now=self.now))

    @rule(if_awaited=st.booleans())
    def give_text(self, if_awaited: bool) -> None:
        self.texts += 1
        text = GivenText(
            generation=-self.texts, of=self.of.generation, hash=f"{self.texts}", page_count=1, ocr_applied=False
        )
        self.apply(given(text, seen=self.of, now=self.now, if_awaited=if_awaited))

    @rule(if_awaited=st.booleans())
    def fail_elsewhere(self, if_awaited: bool) -> None:
        self.apply(failed_elsewhere(self.of.generation, FAILURE, now=self.now, if_awaited=if_awaited))

    @rule(late=LATE)
    def hand_out(self, late: bool) -> None:
        wait = HandedOut(since=self.now, until=self.until())
        self.apply(handed_out(self.of.wanted, self.held(late=late), wait))

    @rule()
    def end_the_time_elsewhere(self) -> None:
        self.apply(not_answered(self.of.generation, FAILURE, now=self.now))

    @invariant()
    def a_record_that_needs_no_work_has_nothing_of_the_work_left(self) -> None:
        record = self.of
        if not record.needs_work:
            left = (record.lease, record.waiting_since, record.reading, record.handed_out)
            assert left == (None, None, None, None)

    @invariant()
    def each_status_says_what_search_shows_and_why(self) -> None:
        record = self.of
        if record.tombstone:
            assert record.status is Status.COMPLETED
            assert (record.active, record.rebuilt, record.failure, record.attempts) == (None, None, None, 0)
        elif record.status is Status.COMPLETED:
            assert record.shows_its_file
        elif record.status is Status.FAILED:
            assert record.failure is not None
            assert (record.active, record.rebuilt) == (None, None)

    @invariant()
    def who_works_on_it_is_noted(self) -> None:
        record = self.of
        if record.lease is not None:
            assert record.status is Status.PROCESSING and record.attempts > 0 and record.handed_out is None
        elif record.status is Status.PROCESSING:
            assert record.reading is not None or record.handed_out is not None

    @invariant()
    def a_wait_has_a_reason_and_an_end(self) -> None:
        record = self.of
        if record.waiting_since is not None:
            assert record.needs_work and record.failure is not None and record.waiting_since <= self.now

    @invariant()
    def attempts_are_counted_up_to_the_last_retry(self) -> None:
        record = self.of
        parts = record.reading.parts if record.reading is not None else ()
        counts = [record.attempts, *(one.attempts for one in parts)]
        assert all(0 <= attempts <= MAX_RETRIES + 1 for attempts in counts)
        assert all(one.lease is None for one in parts if one.is_read)
        assert all(one.attempts > 0 for one in parts if one.lease is not None)

    @invariant()
    def what_another_index_holds_is_of_the_same_generation(self) -> None:
        record = self.of
        if record.given_text is not None:
            assert record.is_of(record.given_text.of) or record.tombstone


TestRecord = Record.TestCase
TestRecord.settings = settings(stateful_step_count=40)
