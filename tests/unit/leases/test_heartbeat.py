"""The heartbeat keeps the lease of a long attempt, in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import NoReturn

import pytest

from ragbase.domain.claim_transitions import claimed
from ragbase.domain.document import Status
from ragbase.domain.errors import Busy
from ragbase.domain.lane import Lane
from ragbase.domain.lease import Lease
from ragbase.leases.heartbeat import Heartbeats, heartbeat
from ragbase.ports import Embeddings
from tests.simulation.world import LEASE, World

TEXT = "# Leave\n\nEveryone may take twenty-five days of paid leave a year, to be agreed with the team.\n"
PATIENCE = 30.0


Heart = Callable[[Callable[[], bool]], AbstractContextManager[None]]

HEARTS: list[Heart] = [partial(heartbeat, every=0.001), Heartbeats(0.001)]


@pytest.mark.parametrize("heart", HEARTS)
def test_it_beats_until_the_work_is_over(heart: Heart) -> None:
    beaten = threading.Semaphore(0)

    def beat() -> bool:
        beaten.release()
        return True

    for _ in range(2):
        with heart(beat):
            for _ in range(3):
                assert beaten.acquire(timeout=PATIENCE)
        all_end()


@pytest.mark.parametrize("heart", HEARTS)
def test_it_ends_when_there_is_nothing_to_keep(heart: Heart) -> None:
    beats: list[int] = []
    ended = threading.Event()

    def beat() -> bool:
        beats.append(1)
        ended.set()
        return False

    with heart(beat):
        assert ended.wait(PATIENCE)
        all_end()
    assert beats == [1]


def test_short_work_shares_one_thread_and_has_no_beat() -> None:
    heartbeats = Heartbeats(60.0)
    before = set(threading.enumerate())

    def never() -> bool:
        raise AssertionError("the work was short")

    for _ in range(3):
        with heartbeats(never), heartbeats(never):
            assert len(set(threading.enumerate()) - before) == 1


def test_no_beat_waits_for_another() -> None:
    heartbeats = Heartbeats(0.001)
    beaten, hanging = threading.Semaphore(0), threading.Event()

    def hang() -> bool:
        return not hanging.wait(PATIENCE)

    def beat() -> bool:
        beaten.release()
        return True

    with heartbeats(hang), heartbeats(beat):
        for _ in range(3):
            assert beaten.acquire(timeout=PATIENCE)
        hanging.set()


def all_end() -> None:
    for thread in threading.enumerate():
        if thread.name == "heartbeat":
            thread.join(PATIENCE)
            assert not thread.is_alive()


class Beats:
    """A world with one document in work. `during(beat)` happens while its text is embedded."""

    def __init__(self, during: Callable[[Callable[[], bool]], None], *, time_limit: timedelta | None = None) -> None:
        self.world = world = World()
        beats: list[Callable[[], bool]] = []

        @contextmanager
        def heart(beat: Callable[[], bool]) -> Iterator[None]:
            beats.append(beat)
            yield

        embed = world.embedder.embed_documents

        def embed_meanwhile(texts: Sequence[str]) -> Embeddings:
            during(beats[-1])
            return embed(texts)

        world.embedder.embed_documents = embed_meanwhile  # type: ignore[method-assign]  # for this world alone
        world.workers[Lane.FAST] = replace(world.workers[Lane.FAST], heartbeat=heart, time_limit=time_limit)
        self.put(TEXT)
        (published,) = world.publisher.take()
        self.job = published.job

    def put(self, text: str) -> None:
        self.world.put("leave.md", text)
        self.world.handle(self.world.events.popleft())

    def handle(self) -> None:
        self.world.handle(self.job)

    @property
    def lease(self) -> Lease | None:
        record = self.world.record("leave.md")
        assert record is not None
        return record.lease


def test_a_beat_extends_the_lease() -> None:
    def during(beat: Callable[[], bool]) -> None:
        beats.world.clock.advance(LEASE / 2)
        assert beat()
        assert beats.lease is not None and beats.lease.until == beats.world.clock.now() + LEASE

    beats = Beats(during)
    beats.handle()
    assert beats.world.shown("leave.md")


def test_no_beat_extends_the_lease_of_a_generation_that_was_overwritten() -> None:
    def during(beat: Callable[[], bool]) -> None:
        beats.put(TEXT * 2)
        assert not beat()
        assert beats.lease is None

    beats = Beats(during)
    beats.handle()


def test_no_beat_takes_the_lease_back_from_another_worker() -> None:
    def during(beat: Callable[[], bool]) -> None:
        world = beats.world
        world.clock.advance(LEASE)
        other = Lease("other", 1, world.clock.now() + LEASE)
        take = claimed(beats.job.generation, other, Lane.FAST, now=world.clock.now(), interrupted=True)
        world.documents.update(beats.job.document_id, take)
        assert not beat()
        assert beats.lease == other

    beats = Beats(during)
    with pytest.raises(Busy, match="Another worker has taken over"):
        beats.handle()


def test_no_beat_extends_the_lease_after_the_time_limit() -> None:
    def during(beat: Callable[[], bool]) -> None:
        before = beats.lease
        beats.world.clock.advance(LEASE / 2)
        assert not beat()
        assert beats.lease == before

    beats = Beats(during, time_limit=LEASE / 2)
    beats.handle()


def test_no_beat_revives_a_document_that_is_done() -> None:
    kept: list[Callable[[], bool]] = []
    beats = Beats(kept.append)
    beats.handle()
    assert not kept[-1]()
    record = beats.world.record("leave.md")
    assert record is not None and (record.status, record.lease) == (Status.COMPLETED, None)


def test_a_beat_that_fails_is_followed_by_another() -> None:
    def during(beat: Callable[[], bool]) -> None:
        beats.world.documents.update, right = away, beats.world.documents.update  # type: ignore[method-assign,assignment]  # as above
        assert beat()
        beats.world.documents.update = right  # type: ignore[method-assign]  # as above

    def away(*_: object) -> NoReturn:
        raise OSError("no network")

    beats = Beats(during)
    beats.handle()
    assert beats.world.shown("leave.md")
