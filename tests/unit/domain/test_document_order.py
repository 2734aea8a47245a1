"""The order in which routers ask and write does not matter, and a record stays sound whatever workers do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.domain.claim_transitions import completed, handed_back, leases_ended, released, rerouted
from ragbase.domain.document import Document, Status, Transition, Usage
from ragbase.domain.lane import Lane
from ragbase.domain.lease import Lease
from ragbase.domain.transitions import failed, is_as_seen, reopened, republished, retried
from ragbase.testing.examples import share
from tests.unit.domain.transitions import (
    FAILURE,
    LEASE,
    NOW,
    OTHER,
    UNTIL,
    after,
    arrived,
    claim,
    flip,
    removed,
    shown,
)

ROUTERS = st.integers(0, 2)


@st.composite
def contents(draw: st.DrawFn) -> list[int | None]:
    """What a bucket holds under one name, one after another: generations, whose numbers have no order, and nothing."""
    numbers = draw(st.permutations(range(1, 7)))[: draw(st.integers(1, 6))]
    held: list[int | None] = []
    for number in numbers:
        held += [number, None] if draw(st.booleans()) else [number]
    return held


@dataclass
class Follower:
    """A record, and routers that bring it in step with the bucket: each reads the record, asks the bucket, and writes
    what it was told some time later. `history` is what the bucket has held so far."""

    history: list[int | None]
    record: Document | None = None
    view: int = -1
    """The place in the history that the record is from."""

    def __post_init__(self) -> None:
        self.asked: dict[int, tuple[Document | None, int]] = {}

    def ask(self, router: int) -> None:
        if router not in self.asked and self.history:
            self.asked[router] = (self.record, len(self.history) - 1)

    def write(self, router: int) -> bool:
        """Returns whether the router is done. Otherwise it has to ask again."""
        if router not in self.asked:
            return True
        seen, place = self.asked.pop(router)
        before, self.record = self.record, self.told(seen, place)(self.record)
        if self.record is not before:
            assert place >= self.view, "the record went back"
            self.view = place
        return is_as_seen(before, seen)

    def told(self, seen: Document | None, place: int) -> Transition:
        held = self.history[place]
        if held is not None:
            return arrived(held, seen)
        gone = next(one for one in reversed(self.history[:place]) if one is not None)
        return removed(gone, seen)

    def follow(self, router: int) -> None:
        """What a delivery of the last event leads to."""
        self.asked.pop(router, None)
        while True:
            self.ask(router)
            if self.write(router):
                return

    def is_in_step(self) -> bool:
        held = self.history[-1]
        return self.record is not None and (self.record.tombstone if held is None else self.record.wants(held))


@pytest.mark.slow
@share(3)
@given(held=contents(), data=st.data())
def test_routers_that_ask_and_write_in_any_order_end_with_what_the_bucket_holds(
    held: list[int | None], data: st.DataObject
) -> None:
    """The last event is delivered to one router. The others write what they were told before, if they still may."""
    follower = Follower([])
    acts = st.lists(st.tuples(st.sampled_from([follower.ask, follower.write, follower.follow]), ROUTERS), max_size=4)
    for one in held:
        follower.history.append(one)
        for act, router in data.draw(acts):
            act(router)
    last, *others = data.draw(st.permutations(range(3)))
    follower.follow(last)
    assert follower.is_in_step()
    for router in others:
        follower.write(router)
        assert follower.is_in_step()


@dataclass(frozen=True)
class Step:
    """What a worker does: `action` is one of the transitions, for this generation and as this claim."""

    action: str
    generation: int
    lease: Lease

    def __call__(self, record: Document | None) -> Document | None:
        transitions = {
            "claim": claim(self.generation, self.lease),
            "flip": completed(shown(self.generation), self.lease, usage=Usage(), now=NOW),
            "release": released(self.generation, self.lease, FAILURE, now=NOW),
            "hand back": handed_back(self.generation, self.lease, now=NOW),
            "reroute": rerouted(self.generation, self.lease, "md", Lane.FAST, now=NOW),
            "abandon": leases_ended(self.lease.worker, now=NOW),
            "fail": failed(self.generation, FAILURE, now=NOW),
            "retry": retried(now=NOW),
            "reopen": reopened(self.generation, now=NOW),
            "ask again": republished(self.generation, now=NOW),
        }
        return transitions[self.action](record)


_STEPS = st.builds(
    Step,
    action=st.sampled_from(
        [
            "claim",
            "claim",
            "flip",
            "flip",
            "release",
            "hand back",
            "reroute",
            "abandon",
            "fail",
            "retry",
            "reopen",
            "ask again",
        ]
    ),
    generation=st.integers(1, 6),
    lease=st.sampled_from([LEASE, OTHER, replace(LEASE, claim=2)]),
)


@given(held=contents(), data=st.data())
def test_the_record_stays_sound_and_can_be_finished_whatever_workers_do_meanwhile(
    held: list[int | None], data: st.DataObject
) -> None:
    follower = Follower([])
    for one in held:
        follower.history.append(one)
        follower.follow(0)
        for step in data.draw(st.lists(_STEPS, max_size=6)):
            before, follower.record = follower.record, step(follower.record)
            assert follower.record is not None
            assert_sound(before, follower.record)
    record = follower.record
    assert record is not None and follower.is_in_step()
    if record.needs_work:
        lease = Lease("last", 1, UNTIL + timedelta(minutes=5))
        fresh = replace(record, attempts=0)
        record = after(lambda _: fresh, claim(record.generation, lease, now=UNTIL), flip(record.generation, lease))
    if not record.tombstone and record.status is not Status.FAILED:
        assert record.shows(record.generation)


def assert_sound(before: Document | None, record: Document) -> None:
    assert before is not None and (record.generation, record.revision) == (before.generation, before.revision)
    assert (record.lease is not None) == (record.status is Status.PROCESSING)
    if record.tombstone or record.status is Status.FAILED:
        assert record.active is None
    elif record.status is Status.COMPLETED:
        assert record.shows(record.generation)
    if record.active != before.active:
        assert record.active is None or record.shows(record.generation)
