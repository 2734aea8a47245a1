"""What the embedded vector store promises beyond its port: one file for many processes, and searches of one moment."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Event

import numpy as np
import pytest

from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.term_postings import hash_terms, hashes_of
from ragbase.adapters.embedded.vector_store import SqliteVectorStore
from ragbase.domain.errors import ConfigurationError, TransientError
from ragbase.testing.chunks import DIMENSION, document, embedded, unit, vector_of
from tests.unit.adapters.embedded.in_processes import write_until_killed

QUERY = unit(1)
Opened = Callable[[], SqliteVectorStore]


def texts(store: SqliteVectorStore) -> set[str]:
    return {hit.chunk.text for hit in store.search(QUERY, [], 100_000).hits}


def plan_of(count: Callable[[], object], database: Database) -> str:
    """How SQLite does the one query of `count`."""
    queries: list[str] = []
    database.reader.set_trace_callback(queries.append)
    count()
    database.reader.set_trace_callback(None)
    (query,) = queries
    return "\n".join(step for *_, step in database.reader.execute(f"EXPLAIN QUERY PLAN {query}"))


@pytest.mark.parametrize("tenant", ["", "acme"])
def test_to_count_the_chunks_of_a_document_none_of_them_is_read(path: Path, tenant: str) -> None:
    with closing(Database(path)) as database:
        store = SqliteVectorStore(database, DIMENSION, "model", tenant)
        store.write(document("a", ["one", "two"]))
        assert "USING COVERING INDEX chunks_model_by_document" in plan_of(lambda: store.held(["a"]), database)


# searches for the same in more words


@pytest.mark.parametrize("added", [["nowhere"], ["harbour"], ["nowhere", "harbour"], ["night"]])
def test_a_search_for_more_words_finds_what_it_would_find_alone(opened: Opened, added: list[str]) -> None:
    one, other = opened(), opened()
    one.write(document("a", ["harbour night", "night night", "ship"]))
    for limit in (1, 3):
        one.search(QUERY, ["night"], limit)
        assert one.search(QUERY, ["night", *added], limit) == other.search(QUERY, ["night", *added], limit)


def test_a_search_for_more_words_sees_what_was_written_since(opened: Opened) -> None:
    one, other = opened(), opened()
    one.write(document("a", ["harbour"]))
    one.search(QUERY, ["harbour"], 10)
    other.write(document("b", ["night"]))
    found = one.search(QUERY, ["harbour", "nowhere"], 10)
    assert {hit.chunk.text for hit in found.hits} == {"harbour", "night"}
    assert found.passages == 2
    other.delete("a", generation=1)
    assert {hit.chunk.text for hit in one.search(QUERY, ["harbour", "nowhere", "never"], 10).hits} == {"night"}


def test_a_search_for_more_words_near_another_vector_is_another_search(opened: Opened) -> None:
    store = opened()
    store.write(document("a", ["harbour", "night"]))
    near = store.search(unit(1), ["harbour"], 10).hits
    far = store.search(unit(0, 1), ["harbour", "nowhere"], 10).hits
    assert [hit.cosine for hit in near] != [hit.cosine for hit in far]


# one file, many readers and writers


def test_two_processes_see_each_others_commits(opened: Opened) -> None:
    one, other = opened(), opened()
    one.write(document("a", ["first"]))
    assert texts(other) == {"first"}
    other.write(document("b", ["second"]))
    assert texts(one) == {"first", "second"}
    one.write(document("b", ["changed"]))
    other.delete("a", generation=1)
    assert texts(one) == texts(other) == {"changed"}
    assert other.search(QUERY, ["second", "changed"], 5).frequency == {"second": 0, "changed": 1}


def test_what_comes_and_goes_between_two_searches_was_never_there(opened: Opened) -> None:
    one, other = opened(), opened()
    one.write(document("a", ["stays"]))
    assert texts(other) == {"stays"}
    for _ in range(3):
        one.write(document("b", ["passes"]))
        one.delete("b", generation=1)
    candidates = other.search(QUERY, ["passes", "stays"], 5)
    assert candidates.passages == 1
    assert candidates.frequency == {"passes": 0, "stays": 1}


def test_the_index_is_the_same_for_a_reader_that_followed_it_and_for_a_new_one(opened: Opened) -> None:
    """Enough additions and removals that arrays grow, are rewritten without what is gone, and grow again."""
    writer, follower = opened(), opened()
    for generation in range(1, 30):
        for name in "abc":
            size = 20 + 37 * generation % 50
            chunks = document(name, [f"{name} {generation} {i % 7}" for i in range(size)], generation=generation)
            writer.write(chunks)
            assert follower.search(QUERY, [name], 3).frequency[name] >= size
            if generation % 3:
                for held in writer.held([name])[name].keys() - {generation}:
                    writer.delete(name, generation=held)
    followed, new = (store.search(vector_of("q"), ["a", "6", "29"], 100_000) for store in (follower, opened()))
    assert followed.hits == new.hits
    assert followed.frequency == new.frequency
    assert followed.passages == new.passages == len(new.hits) > 0
    assert followed.average_length == new.average_length


@pytest.mark.prove
def test_a_reader_that_missed_more_removals_than_are_remembered_starts_again(opened: Opened, path: Path) -> None:
    one, other = opened(), opened()
    removed = 66_000
    one.write(document("gone", ["x"] * removed))
    one.write(document("stays", ["stays"]))
    assert other.search(QUERY, ["x"], 1).frequency == {"x": removed}
    one.delete("gone", generation=1)

    assert texts(other) == {"stays"}
    assert other.search(QUERY, ["x"], 1).frequency == {"x": 0}
    database = Database(path)
    (remembered,) = database.reader.execute("SELECT count(*) FROM removals_model").fetchone()
    database.close()
    assert remembered <= 65_536


def test_a_search_sees_a_write_whole_or_not_at_all(opened: Opened) -> None:
    """A document of nine chunks is replaced in one write, again and again, under searches of two processes."""
    one, other = opened(), opened()
    one.write(document("a", ["version 0"] * 9))
    finished = Event()

    def search(store: SqliteVectorStore) -> int:
        searches = 0
        while not finished.is_set() or not searches:
            candidates = store.search(QUERY, ["version"], 5 + searches % 10)
            versions = {hit.chunk.text for hit in candidates.hits}
            assert len(versions) == 1
            assert candidates.passages == candidates.frequency["version"] == 9
            (cosine,) = {hit.cosine for hit in candidates.hits}
            assert cosine == pytest.approx(float(vector_of(*versions) @ QUERY), abs=1e-6)
            searches += 1
        return searches

    with ThreadPoolExecutor(4) as threads:
        searching = [threads.submit(search, store) for store in (one, one, other, other)]
        try:
            for version in range(1, 60):
                one.write(document("a", [f"version {version}"] * 9))
        finally:
            finished.set()
        assert all(each.result() for each in searching)


# crashes


@pytest.mark.slow
def test_a_killed_writer_leaves_whole_writes_only(path: Path, opened: Opened) -> None:
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("spawn").Process(target=write_until_killed, args=(path, sender))
    process.start()
    sender.close()
    acknowledged = -1
    while acknowledged < 20:
        acknowledged = receiver.recv()
    process.kill()
    process.join()
    while receiver.poll():  # what it could still report
        try:
            acknowledged = receiver.recv()
        except EOFError:
            break

    store = opened()
    sizes = [len(store.read(f"document{number}", 1)) for number in range(acknowledged + 2)]
    assert sizes[:-1] == [40] * (acknowledged + 1)
    assert sizes[-1] in (0, 40)
    assert store.search(QUERY, [], 1).passages == sum(sizes)


# mistakes


def test_vectors_of_another_dimension_are_refused(opened: Opened) -> None:
    store = opened()
    wrong = np.ones(DIMENSION + 1, dtype=np.float32)
    for refused in (lambda: store.write([embedded(vector=wrong)]), lambda: store.search(wrong, [], 1)):
        with pytest.raises(ConfigurationError, match=rf"{DIMENSION} dimensions.*vectors of {DIMENSION + 1}"):
            refused()
    assert store.search(QUERY, [], 1).passages == 0


def test_an_index_that_took_another_dimension_meanwhile_is_refused_when_it_is_searched(
    opened: Opened, path: Path
) -> None:
    database = Database(path)
    store = SqliteVectorStore(database, 384, "model")
    opened().write(document("a", ["text"]))
    with pytest.raises(ConfigurationError, match=rf"{DIMENSION} dimensions.*vectors of 384"):
        store.search(np.ones(384, dtype=np.float32), [], 1)
    database.close()


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_is_refused_with_all_that_came_with_it(opened: Opened, number: float) -> None:
    store = opened()
    vector = unit(1)
    vector[3] = number
    with pytest.raises(ValueError, match="not finite"):
        store.write([embedded("a", 0), embedded("a", 1, vector=vector)])
    assert list(store.read("a", 1)) == []


def test_a_file_that_cannot_be_read_is_a_passing_fault(path: Path) -> None:
    database = Database(path)
    store = SqliteVectorStore(database, DIMENSION, "model")
    database.write(lambda connection: connection.execute("ALTER TABLE chunks_model RENAME COLUMN vector TO lost"))
    with pytest.raises(TransientError, match="vector"):
        store.search(QUERY, [], 1)
    database.close()


# hashed terms


def test_terms_are_hashed_alike_wherever_they_are() -> None:
    hashes, texts = hash_terms([b"", b"one  two", b" ", b" two one", "漢字 one".encode(), b""])
    one, two, ideographs = hashes_of(["one", "two", "漢字"]).tolist()
    assert hashes.tolist() == [one, two, two, one, ideographs, one]
    assert texts.tolist() == [1, 1, 3, 3, 4, 4]
    assert len({one, two, ideographs}) == 3
    longest = "x" * 9_000
    assert hashes_of([longest]).tolist() == hash_terms([longest.encode()])[0].tolist()


def test_hashes_of_terms_rarely_collide() -> None:
    terms = [f"{kind}{number}" for kind in ("", "v", "term_", "x.") for number in range(25_000)]
    hashes, _ = hash_terms([" ".join(terms).encode()])
    # 100,000 terms make 1.2 pairs with one hash on the average; ten are a chance of one in 10 million.
    assert len(terms) - len(set(hashes.tolist())) < 10
