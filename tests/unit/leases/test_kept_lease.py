"""One lease in a checkpoint: of several processes, one has it, whichever asks and whenever one of them dies."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

from ragbase.domain.lease import Lease
from ragbase.leases.kept_lease import FREE, KeptLease
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock

LENGTH = timedelta(seconds=10)
SECOND = timedelta(seconds=1)


class Two:
    """Two processes, which share a checkpoint with a note in it."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.checkpoints = MemoryCheckpoints()
        self.first, self.second = (self.process() for _ in range(2))

    def process(self) -> KeptLease:
        return KeptLease("lease", self.checkpoints, self.clock, length=LENGTH, lease_in=lease_in, with_lease=with_lease)

    @property
    def note(self) -> str:
        return str(json.loads(self.checkpoints.load("lease") or "{}").get("note", ""))


def lease_in(text: str | None) -> Lease:
    if text is None:
        return FREE
    kept = json.loads(text)
    return Lease(kept["worker"], kept["claim"], datetime.fromisoformat(kept["until"]))


def with_lease(text: str | None, lease: Lease) -> str:
    kept = json.loads(text) if text is not None else {}
    return json.dumps(kept | {"worker": lease.worker, "claim": lease.claim, "until": lease.until.isoformat()})


def noted(note: str, text: str | None) -> str:
    return json.dumps((json.loads(text) if text is not None else {}) | {"note": note})


def test_one_process_has_it_until_it_runs_out() -> None:
    world = Two()
    assert world.first.take("one")
    assert not world.second.take("two")
    world.clock.advance(LENGTH - SECOND)
    assert not world.second.take("two")
    world.clock.advance(SECOND)
    assert world.first.is_over
    assert world.second.take("two")
    assert not world.first.is_mine() and world.second.is_mine()


def test_a_renewal_makes_it_last() -> None:
    world = Two()
    assert world.first.take("one")
    world.clock.advance(LENGTH - SECOND)
    assert world.first.renew()
    world.clock.advance(LENGTH - SECOND)
    assert not world.first.is_over
    assert not world.second.take("two")


def test_who_stood_still_renews_it_if_nobody_has_taken_it_and_not_otherwise() -> None:
    world = Two()
    assert world.first.take("one")
    world.clock.advance(2 * LENGTH)
    assert world.first.renew()
    world.clock.advance(2 * LENGTH)
    assert world.second.take("two")
    before = world.checkpoints.load("lease")
    assert not world.first.renew(lambda text: noted("late", text))
    assert not world.first.give_back(lambda text: noted("late", text))
    assert world.checkpoints.load("lease") == before


def test_what_was_given_back_is_free_and_is_not_renewed_by_a_late_beat() -> None:
    world = Two()
    assert world.first.take("one")
    assert world.first.give_back(lambda text: noted("done", text))
    assert not world.first.renew()
    assert world.note == "done"
    assert world.second.take("two")


def test_a_worker_takes_its_own_again_because_an_answer_may_be_lost() -> None:
    world = Two()
    assert world.first.take("one")
    again = world.process()
    assert again.take("one")
    assert not world.process().take()
    assert not world.first.is_mine()


def test_what_is_kept_is_changed_only_with_the_lease() -> None:
    world = Two()
    assert world.first.take("one", lambda text: (noted("begun", text), True))
    assert world.note == "begun"
    assert not world.second.take("two", lambda text: (noted("other", text), True))
    assert world.first.renew(lambda text: noted("further", text))
    assert world.note == "further"


def test_who_has_nothing_to_begin_takes_no_lease() -> None:
    world = Two()
    assert not world.first.take("one", lambda text: (text, False))
    assert world.checkpoints.load("lease") is None
    assert not world.first.take("one", lambda text: (with_lease(noted("ended", text), FREE), False))
    assert world.note == "ended"
    assert world.second.take("two")
