"""The CSV service shows all of one version of the file, whatever is edited, killed or away in between."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.csv_service.loaded_rows import LoadedRows
from ragbase.domain.errors import Busy, Unavailable
from ragbase.ports import Indexes, VectorStore
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.examples import share
from ragbase.testing.indexes import MemoryIndexes
from tests.contract.csv_worlds import CountingEmbedder, CsvProcess, CsvWorld, csv_world


def texts_of(rows: list[str]) -> list[tuple[int, str]]:
    return [(number, f"text: {row}") for number, row in enumerate(rows, start=1)]


# Whatever is edited

Edit = Callable[[list[str], random.Random], None]


def insert(rows: list[str], rng: random.Random) -> None:
    rows.insert(rng.randint(0, len(rows)), f"new {rng.random()}")


def change(rows: list[str], rng: random.Random) -> None:
    if rows:
        rows[rng.randrange(len(rows))] += " changed"


def remove(rows: list[str], rng: random.Random) -> None:
    start = rng.randint(0, len(rows))
    del rows[start : start + rng.choice((1, 5, 300))]


def shuffle(rows: list[str], rng: random.Random) -> None:
    rng.shuffle(rows)


def double(rows: list[str], rng: random.Random) -> None:
    rows += rows[: rng.choice((1, 40))]


def add_many(rows: list[str], rng: random.Random) -> None:
    rows += [f"more {rng.random()}" for _ in range(300)]


EDITS: tuple[Edit, ...] = (insert, change, remove, shuffle, double, add_many)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["memory", "sqlite"])
@share(0.15)
@given(
    size=st.integers(0, 700),
    versions=st.lists(st.lists(st.sampled_from(EDITS), max_size=4), min_size=1, max_size=4),
    seed=st.integers(0, 2**32),
)
def test_the_store_equals_the_file_and_only_new_texts_are_embedded(
    name: str, size: int, versions: list[list[Edit]], seed: int
) -> None:
    rng = random.Random(seed)
    rows = [f"row {number} {'and' * (number % 7 + 1)}" for number in range(size)]
    with tempfile.TemporaryDirectory() as folder, csv_world(name, Path(folder)) as world:
        before: set[str] = set()
        for edits in ([], *versions):
            for edit in edits:
                edit(rows, rng)
            world.write(*rows, header="text")
            world.process().start()
            wanted = {text for _, text in texts_of(rows)}
            assert sorted(world.embedder.taken()) == sorted(wanted - before)
            assert world.shown == texts_of(rows)
            assert world.held == len(wanted)
            before = wanted


def test_a_row_at_the_beginning_leaves_most_parts_as_they_are(tmp_path: Path) -> None:
    with csv_world("memory", tmp_path) as world:
        rows = [f"row {number}" for number in range(4_000)]
        world.write(*rows, header="text")
        process = world.process().start()
        before = process.store.version
        world.write("first", *rows, header="text")
        after = process.start().store.version
        assert before is not None and after is not None
        assert len({part.id for part in after.parts} - {part.id for part in before.parts}) <= 2
        assert len(after.parts) > 5


# Whatever fails

OLD = [f"old {number}" for number in range(150)] + [f"both {number}" for number in range(150)]
NEW = [f"both {number}" for number in range(150)] + [f"new {number}" for number in range(200)]


class Crash(BaseException):
    """As if the process had been killed."""


class Faults:
    """Ends the process before or after the call of this number to any port."""

    def __init__(self, call: int, after: bool) -> None:
        self.call, self.after = call, after
        self.calls = 0

    def around(self, port: Any) -> Any:
        return _Faulty(port, self)


class _Faulty:
    def __init__(self, port: Any, faults: Faults) -> None:
        self._port, self._faults = port, faults

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._port, name)
        if not callable(attribute):
            return attribute

        def call(*arguments: Any, **named: Any) -> Any:
            self._faults.calls += 1
            is_this = self._faults.calls == self._faults.call
            if is_this and not self._faults.after:
                raise Crash
            result = attribute(*arguments, **named)
            if is_this:
                raise Crash
            return self._faults.around(result) if name == "open" else result

        return call


def crash_at(call: int, world: CsvWorld, step: Step, *, after: bool, chunks: int = 1000) -> int:
    """Start a process that ends at this call, and return how many calls it made."""
    faults = Faults(call, after)
    process = world.process(
        checkpoints=faults.around(world.checkpoints),
        indexes=faults.around(world.indexes()),
        embedder=faults.around(world.embedder),
        chunker=MarkdownChunker(chunks),
    )
    with suppress(Crash):
        step(process)
    return faults.calls


Step = Callable[[CsvProcess], object]


def update(process: CsvProcess) -> None:
    process.start()


def clear(process: CsvProcess) -> None:
    process.initializer.clear()


def loaded_world(folder: Path) -> CsvWorld:
    """It has loaded OLD, and the file is NEW by now."""
    world = CsvWorld(folder / "knowledge.csv", partial(_same, MemoryIndexes()), MemoryCheckpoints())
    world.write(*OLD, header="text")
    world.process().start()
    world.embedder.taken()
    world.write(*NEW, header="text")
    return world


def _same(indexes: MemoryIndexes) -> Indexes:
    return indexes


@pytest.fixture
def world(tmp_path: Path) -> Iterator[CsvWorld]:
    with csv_world("memory", tmp_path) as world:
        yield world


@pytest.mark.slow
@pytest.mark.parametrize("after", [pytest.param(False, marks=pytest.mark.prove), True])
@pytest.mark.parametrize(
    "chunks",
    [pytest.param(1000, id="same index"), pytest.param(900, id="another index", marks=pytest.mark.prove)],
)
def test_a_crash_at_any_call_shows_one_version_and_the_next_start_ends_as_a_clean_run(
    tmp_path: Path, after: bool, chunks: int
) -> None:
    for call in count(1):
        world = loaded_world(tmp_path)
        calls = crash_at(call, world, update, after=after, chunks=chunks)

        assert world.shown in (texts_of(OLD), texts_of(NEW))
        assert world.process().rows("both 7")[0] == (158 if world.shown == texts_of(OLD) else 8)
        world.process(chunker=MarkdownChunker(chunks)).start()
        assert_clean(world, NEW)
        new = {text for _, text in texts_of(NEW)} - ({text for _, text in texts_of(OLD)} if chunks == 1000 else set())
        embedded = world.embedder.taken()
        assert set(embedded) == new
        assert len(embedded) - len(new) <= world.embedder.max_batch  # the batch that was lost between two calls
        if calls < call:
            return


@pytest.mark.slow
@pytest.mark.parametrize("after", [pytest.param(False, marks=pytest.mark.prove), True])
@pytest.mark.parametrize("step", [update, pytest.param(clear, marks=pytest.mark.prove)])
def test_after_a_crash_at_any_call_the_file_may_be_the_old_one_again(tmp_path: Path, step: Step, after: bool) -> None:
    for call in count(1):
        world = loaded_world(tmp_path)
        calls = crash_at(call, world, step, after=after)

        assert world.shown in (texts_of(OLD), texts_of(NEW) if step is update else [])
        world.write(*OLD, header="text")
        world.process().start()
        assert_clean(world, OLD)
        if calls < call:
            return


def assert_clean(world: CsvWorld, rows: list[str]) -> None:
    """These rows are shown, and nothing else is left anywhere."""
    assert world.shown == texts_of(rows)
    assert world.held == len(rows)
    assert len(world.indexes().all()) == 1
    assert LoadedRows(world.checkpoints).unshown() == {}


@pytest.mark.slow
def test_a_search_during_an_update_sees_one_version(world: CsvWorld) -> None:
    """At each call of the loading process, another process asks."""
    world.write(*(f"apple {number}" for number in range(200)), header="text")
    world.process().start()
    reader = world.process()
    answers: list[set[str]] = []

    class Asking(_Faulty):
        def __getattr__(self, name: str) -> Any:
            answers.append({found.content for found in reader.service.search("apple", top_k=400)})
            return super().__getattr__(name)

    world.write(*(f"apple {number}" for number in range(100, 400)), header="text")
    faults = Faults(0, after=False)
    world.process(
        checkpoints=Asking(world.checkpoints, faults), indexes=world.indexes(), embedder=Asking(world.embedder, faults)
    ).start()
    answers.append({found.content for found in reader.service.search("apple", top_k=400)})

    before = {f"text: apple {number}" for number in range(200)}
    after = {f"text: apple {number}" for number in range(100, 400)}
    assert {frozenset(answer) for answer in answers} == {frozenset(before), frozenset(after)}


def test_a_search_that_meets_a_switch_is_done_again(world: CsvWorld) -> None:
    world.write("apple one", header="text")
    loader = world.process().start()

    class Slow(CountingEmbedder):
        def embed_query(self, text: str) -> Any:
            if "apple two" not in world.file.read_text(encoding="utf-8"):
                world.write("apple two", header="text")
                loader.start()  # removes what this search is about to read
            return super().embed_query(text)

    (found,) = world.process(embedder=Slow()).service.search("apple")
    assert found.content == "text: apple two"


def test_a_file_that_changes_while_it_is_read_is_read_again(world: CsvWorld) -> None:
    world.write("one", header="text")

    class Editing(CountingEmbedder):
        edits = 2

        def embed_documents(self, texts: Any) -> Any:
            if self.edits:
                self.edits -= 1
                world.write(f"edit {self.edits}", header="text")
            return super().embed_documents(texts)

    editing = Editing()
    world.process(embedder=editing).start()
    assert world.shown == [(1, "text: edit 0")]
    assert world.held == 1

    editing.edits = 100
    world.write("two", header="text")
    with pytest.raises(Unavailable, match="changes while it is read"):
        world.process(embedder=editing).start()
    assert world.shown == [(1, "text: edit 0")]


def test_a_process_that_stood_still_does_not_write(world: CsvWorld) -> None:
    """Its lease is over, and another process has loaded meanwhile."""
    world.write("one", header="text")

    class Still(CountingEmbedder):
        def embed_documents(self, texts: Any) -> Any:
            world.clock.advance(timedelta(seconds=11))
            world.process().start()
            return super().embed_documents(texts)

    with pytest.raises(Busy):
        world.process(embedder=Still()).start()
    assert world.shown == [(1, "text: one")]


def test_a_store_that_loses_what_was_written_is_not_believed(world: CsvWorld) -> None:
    class Forgetful:
        def __init__(self, vectors: VectorStore) -> None:
            self._vectors = vectors

        def __getattr__(self, name: str) -> Any:
            return (lambda chunks: self._vectors.write(chunks[1:])) if name == "write" else getattr(self._vectors, name)

    class Lossy:
        def __init__(self, indexes: Indexes) -> None:
            self._indexes = indexes

        def __getattr__(self, name: str) -> Any:
            known = getattr(self._indexes, name)
            return (lambda *which, **how: Forgetful(known(*which, **how))) if name == "open" else known

    world.write("one", "two", header="text")
    with pytest.raises(Unavailable, match="does not find all rows"):
        world.process(indexes=Lossy(world.indexes())).start()
    assert world.shown == []
    world.process().start()
    assert world.shown == texts_of(["one", "two"])
