"""A sync in slices: stopped anywhere, by its time or by a kill, it ends as a sync in one piece does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.domain.errors import RagbaseError, Unavailable, UnreadableSource
from ragbase.domain.lease import SOURCE_LEASE
from ragbase.messages.source_runs import RunPhase
from ragbase.ports import DocumentSource, SourceEntry, StoredObject
from ragbase.sources.slice import run_slice
from ragbase.sources.source_leases import SourceLease, SourceLeases
from ragbase.sources.source_state import SourceState
from ragbase.sources.sources_file import ScheduledSource
from ragbase.sources.sync import sync
from ragbase.sources.sync_step import SyncStep
from ragbase.testing.bucket import MemoryBucket
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from ragbase.testing.source import MemorySource

ROOT = "docs/"
SCHEDULED = ScheduledSource("docs", "memory://docs/", delete=True)
CALL = timedelta(seconds=4)
"""How long each name of a listing takes: a leg of a slice has a few."""


class Killed(BaseException):
    """The process ends here, as kill -9 ends it: none of its calls has an effect any more."""


class Life:
    """Counts the calls of a process, and ends it at one of them: before the call, or after it has had its effect."""

    def __init__(self) -> None:
        self.calls = 0
        self.ends_at: int | None = None
        self.after = False
        self.is_over = False
        self._lock = threading.Lock()

    def call(self, effect: Callable[[], Any]) -> Any:
        with self._lock:
            if self.is_over:
                raise Killed
            self.calls += 1
            ends = self.calls - 1 == self.ends_at
            self.is_over = ends
            if ends and not self.after:
                raise Killed
            result = effect()
            if ends:
                raise Killed
            return result


class MortalBucket(MemoryBucket):
    def __init__(self, life: Life, clock: VirtualClock) -> None:
        self._life = life
        self._time = clock
        self._last = 0
        super().__init__("documents", lambda _: None, clock, number=self._next)

    def _next(self, _: str) -> int:
        self._last += 1
        return self._last

    def put(self, name: str, data: bytes, **how: Any) -> StoredObject:
        written: StoredObject = self._life.call(lambda: super(MortalBucket, self).put(name, data, **how))
        return written

    def delete(self, name: str, **how: Any) -> StoredObject | None:
        removed: StoredObject | None = self._life.call(lambda: super(MortalBucket, self).delete(name, **how))
        return removed

    def list(self, prefix: str = "", *, after: str = "") -> Iterator[StoredObject]:
        for stored in super().list(prefix, after=after):
            self._life.call(lambda: self._time.advance(CALL))
            yield stored


class MortalCheckpoints(MemoryCheckpoints):
    def __init__(self, life: Life) -> None:
        super().__init__()
        self._life = life
        self._is_inside = threading.local()

    def load(self, name: str) -> str | None:
        text: str | None = self._life.call(lambda: super(MortalCheckpoints, self).load(name))
        return text

    def save(self, name: str, text: str | None) -> None:
        if getattr(self._is_inside, "update", False):
            super().save(name, text)
        else:
            self._life.call(lambda: super(MortalCheckpoints, self).save(name, text))

    def update(self, name: str, change: Callable[[str | None], str | None]) -> str | None:
        def effect() -> str | None:
            self._is_inside.update = True
            try:
                return super(MortalCheckpoints, self).update(name, change)
            finally:
                self._is_inside.update = False

        text: str | None = self._life.call(effect)
        return text


@dataclass
class World:
    """The ports of a process, and one source."""

    source: MemorySource = field(default_factory=lambda: MemorySource("memory://docs/", root=ROOT))
    clock: VirtualClock = field(default_factory=VirtualClock)
    life: Life = field(default_factory=Life)

    def __post_init__(self) -> None:
        self.bucket = MortalBucket(self.life, self.clock)
        self.checkpoints = MortalCheckpoints(self.life)
        self.leases = SourceLeases(self.checkpoints, self.clock)

    def has(self, *names: str, **others: bytes) -> None:
        self.source.files = {f"{name}.md": name.encode() for name in names} | {
            f"{name}.md": data for name, data in others.items()
        }

    def slice(
        self,
        scheduled: ScheduledSource = SCHEDULED,
        *,
        seconds: float | None = None,
        source: DocumentSource | None = None,
        now: bool = True,
    ) -> list[SyncStep] | None:
        """None if there was nothing to do."""
        lease = self.leases.take(scheduled, now=now)
        return None if lease is None else self.work(lease, seconds=seconds, source=source)

    def work(
        self, lease: SourceLease, *, seconds: float | None = None, source: DocumentSource | None = None
    ) -> list[SyncStep]:
        return list(self.steps(lease, seconds=seconds, source=source))

    def steps(
        self, lease: SourceLease, *, seconds: float | None = None, source: DocumentSource | None = None
    ) -> Iterator[SyncStep]:
        until = None if seconds is None else self.clock.now() + timedelta(seconds=seconds)
        return run_slice(
            lease,
            lambda: source or self.source,
            bucket=self.bucket,
            checkpoints=self.checkpoints,
            clock=self.clock,
            heartbeat=lambda _: nullcontext(),
            until=until,
        )

    def run(self, scheduled: ScheduledSource = SCHEDULED, *, seconds: float | None = None) -> int:
        """Slices until the run is over; how many there were."""
        for count in range(1, 1000):
            self.slice(scheduled, seconds=seconds)
            if not self.state.is_begun:
                return count
        raise AssertionError("the run does not end")

    @property
    def state(self) -> SourceState:
        return self.leases.state("docs")

    @property
    def held(self) -> Mapping[str, tuple[bytes, Mapping[str, str]]]:
        return {one.name: (self.bucket.read(one.name, one.generation), one.metadata) for one in self.bucket.list()}

    @property
    def names(self) -> list[str]:
        return [name.removeprefix(ROOT).removesuffix(".md") for name in self.held]


LETTERS = "abcdefghijklmnopqrstuvwxyz"


def test_a_run_in_slices_does_what_a_sync_does() -> None:
    whole, cut = World(), World()
    for world in (whole, cut):
        world.has(*LETTERS)
        list(sync(world.source, world.bucket))
        world.bucket.put("docs/theirs.md", b"theirs")
        world.has(*LETTERS[3:], "new", e=b"changed")
    list(sync(whole.source, whole.bucket, delete=True))
    assert cut.run(seconds=20) >= 4
    assert cut.held == whole.held
    counts = cut.state.counts
    assert (counts.added, counts.changed, counts.deleted, counts.unchanged, counts.failed) == (1, 1, 3, 22, 0)
    assert cut.state.phase(cut.clock.now()) is RunPhase.DONE
    assert cut.state.last_error is None


def test_a_slice_goes_on_after_the_last_name_and_reads_nothing_twice() -> None:
    world, listed = World(), list[str]()
    world.has(*LETTERS)
    list(sync(world.source, world.bucket))

    class Listening(MemorySource):
        def entries(self, *, after: str = "") -> Iterator[SourceEntry]:
            listed.append(after)
            return super().entries(after=after)

    listening = Listening(world.source.address, root=ROOT)
    listening.files = world.source.files
    names = list[str]()
    while not world.state.ended_at:
        names += [step.name for step in world.slice(seconds=20, source=listening) or ()]
    assert names == [f"docs/{letter}.md" for letter in LETTERS]
    assert len(listed) >= 4 and listed == sorted(set(listed))


def test_nothing_is_deleted_before_all_was_seen_in_whatever_slices() -> None:
    world = World()
    world.has(*LETTERS)
    list(sync(world.source, world.bucket))
    world.has(*LETTERS[4:])
    while not world.state.is_listed and not world.state.ended_at:
        assert world.names == list(LETTERS)
        world.slice(seconds=20)
    world.run(seconds=20)
    assert world.names == list(LETTERS[4:])


@pytest.mark.parametrize(("vanished", "is_refused"), [(5, False), (6, True)])
def test_the_bound_counts_the_vanished_documents_of_all_slices(vanished: int, is_refused: bool) -> None:
    world = World()
    world.has(*LETTERS)
    list(sync(world.source, world.bucket))
    world.has(*LETTERS[vanished:-1], z=b"changed")
    world.run(seconds=20)
    assert world.held["docs/z.md"][0] == b"changed"
    if not is_refused:
        assert world.names == list(LETTERS[vanished:])
        return
    assert world.names == list(LETTERS)
    assert world.state.phase(world.clock.now()) is RunPhase.FAILED
    assert "6 of 26 documents have vanished" in (world.state.last_error or "")

    world.run(replace(SCHEDULED, force=True), seconds=20)
    assert world.names == list(LETTERS[vanished:])
    assert world.state.last_error is None


def test_without_delete_what_vanished_is_counted_and_kept() -> None:
    world = World()
    world.has(*"abc")
    list(sync(world.source, world.bucket))
    world.has(*"a")
    world.run(replace(SCHEDULED, delete=False), seconds=5)
    assert world.names == list("abc")
    assert (world.state.counts.vanished, world.state.counts.deleted) == (2, 0)


def test_a_document_that_somebody_writes_before_the_deletions_is_theirs() -> None:
    world = World()
    world.has(*LETTERS)
    list(sync(world.source, world.bucket))
    world.has(*LETTERS[2:])
    lease = world.leases.take(SCHEDULED)
    assert lease is not None
    for step in world.steps(lease):
        if step.name == "docs/z.md":
            world.bucket.put("docs/a.md", b"theirs")
    assert world.names == ["a", *LETTERS[2:]]


def test_a_source_without_order_is_listed_again_by_each_slice() -> None:
    world = World(MemorySource("memory://docs/", root=ROOT, in_order=False))
    world.has(*reversed(LETTERS))
    list(sync(world.source, world.bucket))
    world.has(*LETTERS[-1:2:-1])
    assert world.run(seconds=20) >= 4
    assert world.names == list(LETTERS[3:])


def test_a_list_that_takes_longer_than_a_slice_ends_the_run_and_deletes_nothing() -> None:
    world = World()
    world.has(*LETTERS)
    list(sync(world.source, world.bucket))
    world.has("a")

    class Slow(MemorySource):
        def entries(self, *, after: str = "") -> Iterator[SourceEntry]:
            for entry in super().entries(after=after):
                world.clock.advance(timedelta(minutes=1))
                yield entry

    slow = Slow(world.source.address, root=ROOT, in_order=False)
    slow.files = {f"{letter}.md": b"" for letter in LETTERS}
    for _ in range(4):
        assert world.state.phase(world.clock.now()) in (RunPhase.NEVER, RunPhase.UNFINISHED)
        world.slice(seconds=120, source=slow)
    assert world.state.phase(world.clock.now()) is RunPhase.FAILED
    assert "Divide" in (world.state.last_error or "")
    assert world.names == list(LETTERS)


class Failing(MemorySource):
    """Its list breaks off after some names."""

    error: RagbaseError
    names = 3

    def entries(self, *, after: str = "") -> Iterator[SourceEntry]:
        for place, entry in enumerate(super().entries(after=after)):
            if place == self.names:
                raise self.error
            yield entry


def failing(world: World, error: RagbaseError) -> Failing:
    source = Failing(world.source.address, root=ROOT)
    source.files, source.error = world.source.files, error
    return source


def test_a_source_that_is_away_is_asked_again_and_the_place_is_kept() -> None:
    world = World()
    world.has(*LETTERS)
    away = failing(world, Unavailable("it does not answer"))
    world.slice(source=away)
    assert world.state.phase(world.clock.now()) is RunPhase.UNFINISHED
    assert world.state.last_error == "it does not answer"
    world.run()
    assert world.names == list(LETTERS)
    assert world.state.last_error is None


def test_a_source_that_stays_away_fails_the_run_and_the_next_one_is_when_it_is_due(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world = World()
    world.has(*LETTERS)
    away = failing(world, Unavailable("it does not answer"))
    away.names = 0
    for _ in range(4):
        assert world.slice(source=away, now=False) is not None
    assert world.state.phase(world.clock.now()) is RunPhase.FAILED
    assert [one.levelname for one in caplog.records if vars(one)["action"] == "source.failed"] == ["ERROR"]
    assert world.slice(now=False) is None
    assert list(world.leases.due([SCHEDULED])) == []
    world.clock.advance(SCHEDULED.every)
    assert list(world.leases.due([SCHEDULED])) == [SCHEDULED]
    assert world.slice(now=False) is not None
    assert world.names == list(LETTERS)


def test_a_source_that_refuses_fails_at_once_and_deletes_nothing() -> None:
    world = World()
    world.has(*LETTERS)
    list(sync(world.source, world.bucket))
    world.has(*LETTERS[2:])
    world.slice(source=failing(world, UnreadableSource("it refuses")))
    assert world.state.phase(world.clock.now()) is RunPhase.FAILED
    assert world.state.last_error == "it refuses"
    assert world.names == list(LETTERS)


def test_files_that_fail_are_counted_and_the_first_reason_is_kept() -> None:
    world = World()
    world.has(*"abc")
    world.source.files["b/../c.md"] = b"text"
    world.run()
    assert world.state.phase(world.clock.now()) is RunPhase.DONE
    assert (world.state.counts.added, world.state.counts.failed) == (3, 1)
    assert "b/../c.md" in (world.state.last_error or "")


def test_an_error_stays_visible_until_a_run_ends_without_one() -> None:
    world = World()
    world.has(*LETTERS)
    list(sync(world.source, world.bucket))
    world.slice(source=failing(world, UnreadableSource("it refuses")))
    world.slice(seconds=20)
    assert world.state.is_begun and world.state.last_error == "it refuses"
    world.run()
    assert world.state.last_error is None


def test_another_plan_begins_another_run() -> None:
    world = World()
    world.has(*LETTERS)
    list(sync(world.source, world.bucket))
    world.slice(seconds=20)
    assert world.state.after
    elsewhere = replace(SCHEDULED, root="copy/")
    assert list(world.leases.due([elsewhere])) == [elsewhere]
    world.run(elsewhere)
    assert sum(name.startswith("copy/") for name in world.held) == len(LETTERS)


def test_one_process_works_on_a_source_until_its_lease_is_over() -> None:
    world = World()
    world.has(*LETTERS)
    first = world.leases.take(SCHEDULED)
    assert first is not None
    assert world.state.phase(world.clock.now()) is RunPhase.RUNNING
    assert world.leases.take(SCHEDULED, now=True) is None
    world.clock.advance(SOURCE_LEASE * 0.9)
    assert first.beat()
    world.clock.advance(SOURCE_LEASE * 0.9)
    assert world.leases.take(SCHEDULED, now=True) is None
    world.clock.advance(SOURCE_LEASE)

    second = world.leases.take(SCHEDULED)
    assert second is not None
    assert not first.beat()
    world.work(second)
    done = world.state
    assert world.work(first) is not None  # it wakes up, and its work changes nothing
    assert world.state == done
    assert world.names == list(LETTERS)


def test_a_beat_that_comes_late_does_not_take_the_lease_again() -> None:
    world = World()
    world.has(*LETTERS)
    lease = world.leases.take(SCHEDULED)
    assert lease is not None
    world.work(lease)
    lease.beat()
    assert world.leases.take(SCHEDULED, now=True) is not None


def test_a_process_that_lost_its_lease_cannot_change_what_is_deleted() -> None:
    world = World()
    world.has(*LETTERS)
    list(sync(world.source, world.bucket))
    world.has(*LETTERS[1:])
    first = world.leases.take(SCHEDULED)
    world.clock.advance(SOURCE_LEASE)
    second = world.leases.take(SCHEDULED)
    assert first is not None and second is not None
    world.work(second, seconds=20)
    world.has(*LETTERS[2:])
    world.work(first, seconds=20)
    world.has(*LETTERS[1:])
    world.run()
    assert world.names == list(LETTERS[1:])


def test_the_source_that_waited_longest_is_next() -> None:
    world = World()
    one, two = ScheduledSource("one", "memory://1"), ScheduledSource("two", "memory://2")
    world.has(*LETTERS)
    assert list(world.leases.due([one, two])) == [one, two]
    world.slice(one, seconds=0)
    assert list(world.leases.due([one, two])) == [two, one]
    world.clock.advance(timedelta(seconds=1))
    world.slice(two, seconds=0)
    assert list(world.leases.due([one, two])) == [one, two]


def prepared(*, after: bool) -> World:
    world = World()
    world.life.after = after
    world.has(*LETTERS[:12])
    list(sync(world.source, world.bucket))
    world.bucket.put("docs/theirs.md", b"theirs")
    world.has(*"acdefghijl", "new", e=b"changed")  # b and k are gone, in two legs
    world.life.calls = 0
    return world


@pytest.mark.slow
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("seconds", [None, 20], ids=["one slice", "slices"])
def test_a_run_that_is_killed_at_any_call_ends_as_a_clean_one(after: bool, seconds: float | None) -> None:
    clean = prepared(after=after)
    clean.run(seconds=seconds)
    last, wanted, counts = clean.life.calls, clean.held, clean.state.counts
    assert counts.deleted == 2

    for at in range(last):
        world = prepared(after=after)
        world.life.ends_at = at
        with pytest.raises(Killed):
            world.run(seconds=seconds)
        world.life.is_over, world.life.ends_at = False, None
        world.clock.advance(SOURCE_LEASE)
        world.run(seconds=seconds)
        assert world.held == wanted, at
        assert world.state.phase(world.clock.now()) is RunPhase.DONE
        world.run()
        assert all(world.checkpoints.load(f"source-docs.vanished-{page}") is None for page in range(9)), at
    assert last >= 25


def test_a_run_whose_process_is_killed_again_and_again_fails_with_that_reason() -> None:
    world = World()
    world.has(*LETTERS)
    for _ in range(4):
        assert world.leases.take(SCHEDULED) is not None  # and then it is killed
        world.clock.advance(SOURCE_LEASE)
    assert world.leases.take(SCHEDULED) is None
    assert world.state.phase(world.clock.now()) is RunPhase.FAILED
    assert "killed" in (world.state.last_error or "")
    assert world.slice() is not None  # by hand it begins again
    assert world.names == list(LETTERS)


@given(
    st.lists(st.dictionaries(st.sampled_from("abcdefgh"), st.binary(min_size=1, max_size=2)), min_size=1, max_size=4),
    st.integers(min_value=5, max_value=40),
    st.booleans(),
)
def test_after_any_history_in_any_slices_the_bucket_holds_what_the_source_holds(
    history: list[dict[str, bytes]], seconds: int, in_order: bool
) -> None:
    world = World(MemorySource("memory://docs/", root=ROOT, in_order=in_order))
    for files in history:
        world.has(**files)
        world.run(replace(SCHEDULED, force=True), seconds=seconds)
        assert {name: data for name, (data, _) in world.held.items()} == {
            f"docs/{name}.md": data for name, data in files.items()
        }
