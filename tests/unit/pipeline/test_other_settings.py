"""Workers with other chunk settings, as after a deployment: what one has left never mixes with what another makes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.domain.chunk import EmbeddedChunk
from ragbase.domain.errors import Unavailable
from ragbase.domain.job import Job
from ragbase.domain.lane import Lane
from ragbase.domain.transitions import reopened
from ragbase.pipeline.process import process
from ragbase.ports import VectorStore
from ragbase.upkeep.reconcile.compare import GRACE
from ragbase.upkeep.reconcile.reconcile import reconcile
from tests.simulated_world.wrapped_partitions import WrappedPartitions
from tests.simulation.world import World

RULES = "\n\n".join(f"Rule number {n} says that whoever reads it first explains it to the others." for n in range(9))
SIZE, OTHER_SIZE = 200, 150


@dataclass(frozen=True)
class Late:
    """A vector store whose writes time out. They are kept, and may take effect later."""

    vectors: VectorStore
    writes: list[Callable[[], None]]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.vectors, name)

    def write(self, chunks: Sequence[EmbeddedChunk]) -> None:
        self.writes.append(lambda: self.vectors.write(chunks))
        raise Unavailable("The vector store does not answer in time.")


def work(world: World, job: Job, size: int, vectors: Any = None) -> None:
    """One attempt of a worker that cuts chunks of this size."""
    worker = world.workers[Lane.FAST]
    maker = worker.maker()
    index = replace(maker.index, partitions=WrappedPartitions(maker.index.partitions, lambda own: vectors or own))
    other = replace(maker, chunker=MarkdownChunker(size=size, overlap=40), index=index)
    process(job, replace(worker, maker=lambda: other))


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def job(world: World) -> Job:
    world.put("rules.md", RULES)
    world.handle(world.events.popleft())
    (published,) = world.publisher.take()
    return published.job


def clean(size: int) -> list[str]:
    """What search shows after a clean run."""
    world = World()
    world.put("rules.md", RULES)
    world.handle(world.events.popleft())
    (published,) = world.publisher.take()
    work(world, published.job, size)
    return world.shown("rules.md")


def test_a_late_write_with_other_settings_replaces_nothing(world: World, job: Job) -> None:
    late = Late(world.vectors, [])
    with pytest.raises(Unavailable):
        work(world, job, OTHER_SIZE, late)
    work(world, job, SIZE)
    assert world.shown("rules.md") == clean(SIZE)
    for write in late.writes:
        write()
    assert set(clean(SIZE)) <= set(world.shown("rules.md"))
    world.clock.advance(2 * GRACE)
    for _ in reconcile(world.ports(), world.index, repairs=True):
        pass
    (published,) = world.publisher.take()
    work(world, published.job, SIZE)
    assert world.shown("rules.md") == clean(SIZE)


def test_a_repair_with_other_settings_that_stops_in_the_middle_loses_nothing(world: World, job: Job) -> None:
    work(world, job, SIZE)
    world.documents.update(job.document_id, reopened(job.generation, now=world.clock.now()))

    class Stops(Late):
        def write(self, chunks: Sequence[EmbeddedChunk]) -> None:
            self.vectors.write(chunks[:1])
            raise Unavailable("The vector store does not answer in time.")

        restore = write

    with pytest.raises(Unavailable):
        work(world, job, OTHER_SIZE, Stops(world.vectors, []))
    assert set(clean(SIZE)) <= set(world.shown("rules.md"))
    work(world, job, OTHER_SIZE)
    assert world.shown("rules.md") == clean(OTHER_SIZE)


def test_a_duplicate_with_chunks_of_other_settings_is_not_copied(world: World, job: Job) -> None:
    """Its record says that the settings are the same, but a late write has replaced one of its chunks by another."""
    work(world, job, SIZE)
    first, *_ = world.vectors.read(job.document_id, job.generation)
    world.vectors.delete_chunks([first.chunk.id])
    world.vectors.write([replace(first, chunk=replace(first.chunk, id="0" * 36, text="Something else."))])
    world.put("copy.md", RULES)
    world.handle(world.events.popleft())
    (published,) = world.publisher.take()
    work(world, published.job, SIZE)
    assert world.shown("copy.md") == clean(SIZE)


def test_a_search_that_has_chosen_chunks_of_other_settings_can_still_read_them(world: World, job: Job) -> None:
    work(world, job, SIZE)
    chosen = world.vectors.read(job.document_id, job.generation)
    world.documents.update(job.document_id, reopened(job.generation, now=world.clock.now()))
    read: list[EmbeddedChunk] = []

    @dataclass(frozen=True)
    class Searched(Late):
        """The search goes on when it is waited for."""

        def wait_for_searches(self) -> None:
            read.extend(self.vectors.read(job.document_id, job.generation))

        def write(self, chunks: Sequence[EmbeddedChunk]) -> None:
            self.vectors.write(chunks)

    work(world, job, OTHER_SIZE, Searched(world.vectors, []))
    assert {one.chunk.id for one in chosen} <= {one.chunk.id for one in read}
    assert world.shown("rules.md") == clean(OTHER_SIZE)
