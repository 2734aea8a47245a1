"""The order and the number of deliveries do not matter, and a record stays sound whatever workers do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from ragbase.domain.document import Document, Lease, Status, Transition, Usage
from ragbase.domain.lane import Lane
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.domain.transitions import (
    completed,
    failed,
    handed_back,
    lease_ended,
    released,
    reopened,
    republished,
    rerouted,
    retried,
)
from tests.unit.domain.transitions import (
    FAILURE,
    LEASE,
    NOW,
    OTHER,
    UNTIL,
    after,
    arrive,
    claim,
    event,
    flip,
    remove,
    shown,
)


@st.composite
def histories(draw: st.DrawFn) -> list[ObjectEvent]:
    """What a bucket announces of one name, in the order in which it happened: writes, overwrites and deletions."""
    events: list[ObjectEvent] = []
    live = False
    for generation in range(1, draw(st.integers(1, 6)) + 1):
        if live and draw(st.booleans()):
            events.append(event(events[-1].generation, EventKind.DELETED))
        events.append(event(generation))
        live = True
    if draw(st.booleans()):
        events.append(event(events[-1].generation, EventKind.DELETED))
    return events


def transition_of(event: ObjectEvent) -> Transition:
    return arrive(event.generation) if event.kind is EventKind.FINALISED else remove(event.generation)


def outcome(record: Document) -> Document | tuple[str, int]:
    """All that may be known of a record. A tombstone's upload may never have been heard of: only what it deletes."""
    assert not record.tombstone or record.active is None
    return (record.id, record.generation) if record.tombstone else record


@given(history=histories(), data=st.data())
def test_reordered_and_repeated_events_end_in_the_same_record(history: list[ObjectEvent], data: st.DataObject) -> None:
    repeated = data.draw(st.lists(st.sampled_from(history), max_size=6))
    delivered = data.draw(st.permutations(history + repeated))
    assert outcome(after(*map(transition_of, delivered))) == outcome(after(*map(transition_of, history)))


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
            "abandon": lease_ended(self.lease.worker, now=NOW),
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


@given(history=histories(), data=st.data())
def test_the_record_stays_sound_and_can_be_finished_whatever_workers_do_meanwhile(
    history: list[ObjectEvent], data: st.DataObject
) -> None:
    steps: Sequence[Transition] = data.draw(st.lists(_STEPS, max_size=20))
    repeated = data.draw(st.lists(st.sampled_from(history), max_size=4))
    events = [transition_of(event) for event in history + repeated]
    record: Document | None = None
    for transition in data.draw(st.permutations([*events, *steps])):
        before, record = record, transition(record)
        if record is not None:
            assert_sound(before, record)
    assert record is not None

    last = after(*map(transition_of, history))
    assert (record.generation, record.tombstone) == (last.generation, last.tombstone)
    if record.needs_work:
        lease = Lease("last", 1, UNTIL + timedelta(minutes=5))
        fresh = replace(record, attempts=0)
        record = after(lambda _: fresh, claim(record.generation, lease, now=UNTIL), flip(record.generation, lease))
    if not record.tombstone and record.status is not Status.FAILED:
        assert record.shows(record.generation)


def assert_sound(before: Document | None, record: Document) -> None:
    assert before is None or record.generation >= before.generation
    assert record.active is None or record.active.generation <= record.generation
    assert (record.lease is not None) == (record.status is Status.PROCESSING)
    if record.tombstone or record.status is Status.FAILED:
        assert record.active is None
    elif record.status is Status.COMPLETED:
        assert record.shows(record.generation)
    if before is not None and record.active != before.active:
        assert record.active is None or record.shows(record.generation)
