"""Several calls of the embedder at a time: they are in flight together, and each ends with its own outcome."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from ragbase.domain.chunk import EmbeddedChunk
from ragbase.domain.document import Document, Status
from ragbase.domain.errors import ConfigurationError, TransientError, Unavailable
from ragbase.domain.job import Job
from ragbase.pipeline.concurrent_calls import call_concurrently
from ragbase.ports import Embeddings, deadline, work_until
from ragbase.testing.vector_store import MemoryVectorStore
from tests.simulation.world import World

TEXT = "\n\n".join(
    f"## Rule {number}\n\nRule {number} says that whoever reads it explains it.\n" for number in range(30)
)


def test_calls_are_in_flight_together_and_each_has_its_outcome() -> None:
    both = threading.Barrier(2, timeout=30)
    answer, failure = Embeddings([], 7), OSError("refused")

    def answered() -> Embeddings:
        both.wait()
        return answer

    def failing() -> Embeddings:
        both.wait()
        raise failure

    assert call_concurrently([answered, failing]) == [answer, failure]


def test_a_failure_waits_until_the_other_calls_have_ended() -> None:
    failed, ended = threading.Event(), threading.Event()

    def failing() -> Embeddings:
        failed.set()
        raise OSError

    def slow() -> Embeddings:
        assert failed.wait(30)
        ended.set()
        return Embeddings([])

    call_concurrently([failing, slow])

    assert ended.is_set()


@pytest.mark.parametrize("calls", [1, 3])
def test_a_call_has_the_deadline_of_the_attempt(calls: int) -> None:
    end = datetime.now(UTC) + timedelta(hours=1)
    seen: list[datetime | None] = []

    def call() -> Embeddings:
        seen.append(deadline())
        return Embeddings([])

    with work_until(end):
        call_concurrently([call] * calls)

    assert seen == [end] * calls


@pytest.fixture
def world() -> World:
    world = World()
    world.embedder.at_a_time = 3
    return world


def routed(world: World) -> Job:
    world.put("rules.md", TEXT)
    world.handle(world.events.popleft())
    (published,) = world.publisher.take()
    return published.job


def record_of(world: World) -> Document:
    record = world.record("rules.md")
    assert record is not None
    return record


@pytest.mark.parametrize("away", [Unavailable("The embedder is away."), ConfigurationError("No key.")], ids=repr)
@pytest.mark.parametrize("is_first", [True, False])
def test_what_other_calls_have_answered_is_kept_and_no_attempt_counts_if_a_service_is_away(
    world: World, away: Exception, is_first: bool
) -> None:
    job = routed(world)
    stumble = TransientError("The embedder stumbles.")
    world.embedder.failures = [away, stumble] if is_first else [stumble, away]
    with pytest.raises(Unavailable, match=str(away)):
        world.handle(job)

    record = record_of(world)
    assert (record.status, record.attempts) == (Status.PENDING, 0)
    assert record.usage.embedded_texts == len(world.embedder.texts) == world.embedder.max_batch

    world.handle(job)
    record = record_of(world)
    assert (record.status, record.attempts) == (Status.COMPLETED, 1)
    assert record.active is not None
    assert len(set(world.embedder.texts)) == len(world.embedder.texts) == record.active.chunk_count
    assert record.usage.embedded_texts == len(world.embedder.texts)


def test_an_attempt_counts_if_no_service_was_away(world: World) -> None:
    job = routed(world)
    world.embedder.failures = [TransientError("The embedder stumbles.")]
    with pytest.raises(TransientError, match="stumbles"):
        world.handle(job)

    assert record_of(world).attempts == 1
    assert len(world.embedder.texts) == 2 * world.embedder.max_batch


def test_each_text_has_its_own_vector(world: World) -> None:
    world.handle(routed(world))

    record = record_of(world)
    for one in world.vectors.read(record.id, record.generation):
        assert one.vector.tolist() == world.embedder.vector_of(one.chunk.text_hash).tolist()


def test_an_attempt_that_goes_on_writes_again_only_where_the_one_before_has_stopped(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    right = MemoryVectorStore.write

    def write(store: MemoryVectorStore, chunks: Sequence[EmbeddedChunk]) -> None:
        written.extend(one.chunk.id for one in chunks)
        right(store, chunks)

    monkeypatch.setattr(MemoryVectorStore, "write", write)
    job = routed(world)
    world.embedder.failures = [Unavailable("The embedder is away.")]
    with pytest.raises(Unavailable):
        world.handle(job)
    assert len(written) == 2 * world.embedder.max_batch

    world.handle(job)

    active = record_of(world).active
    assert active is not None
    times = Counter(written)
    assert [times[one] for one in dict.fromkeys(written)] == [2] * 8 + [1] * (active.chunk_count - 8)
