"""What every vector store promises, when calls follow one another in any order or come all at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.ports import Candidates, VectorStore
from ragbase.testing.chunks import document, embedded, vector_of
from ragbase.testing.examples import share
from ragbase.testing.vector_store import MemoryVectorStore
from tests.contract.real_servers import in_prove
from tests.contract.vector_stores import VECTOR_STORES

ALL = 1000
"""A limit above what any test writes."""

names = st.sampled_from(["a", "b", "c"])
generations = st.integers(1, 3)
terms = st.lists(st.sampled_from(["red", "green", "blue", "c++", "漢字"]), max_size=4)
operations = st.one_of(
    st.tuples(
        st.just("write"), names, generations, st.lists(st.tuples(st.integers(0, 4), terms, st.integers(0)), max_size=5)
    ),
    st.tuples(st.just("delete"), names, generations),
    st.tuples(st.just("search"), st.integers(0), terms, st.integers(1, 6)),
)


@pytest.mark.slow
@pytest.mark.parametrize("adapter", in_prove(name for name in VECTOR_STORES if name != "memory"))
@share(0.6)
@given(steps=st.lists(operations, max_size=25))
def test_any_sequence_of_calls_gives_what_the_memory_store_gives(adapter: str, steps: list[tuple[object, ...]]) -> None:
    model = MemoryVectorStore()
    with VECTOR_STORES[adapter]() as store:
        for step in [*steps, ("search", 0, ["red", "blue"], 2)]:
            match step:
                case ("write", str(name), int(generation), list(chunks)):
                    written = [
                        embedded(name, ordinal, generation=generation, text=str(seed), terms=" ".join(words))
                        for ordinal, words, seed in chunks
                    ]
                    store.write(written)
                    model.write(written)
                case ("delete", str(name), int(generation)):
                    store.delete(name, generation=generation)
                    model.delete(name, generation=generation)
                case ("search", int(seed), list(words), int(limit)):
                    query = vector_of(f"query {seed}")
                    assert_same(store.search(query, words, ALL), model.search(query, words, ALL))
                    nearest, expected = store.search(query, [], limit), model.search(query, [], limit)
                    assert sorted(hit.cosine for hit in nearest.hits) == pytest.approx(
                        sorted(hit.cosine for hit in expected.hits), abs=1e-5
                    )


def assert_same(candidates: Candidates, expected: Candidates) -> None:
    cosines = {hit.chunk.id: hit.cosine for hit in candidates.hits}
    assert cosines == pytest.approx({hit.chunk.id: hit.cosine for hit in expected.hits}, abs=1e-5)
    assert {(hit.chunk, hit.terms) for hit in candidates.hits} == {(hit.chunk, hit.terms) for hit in expected.hits}
    assert candidates.passages == expected.passages
    assert candidates.average_length == pytest.approx(expected.average_length)
    assert Counter(candidates.frequency) == Counter(expected.frequency)  # 0 may be left out
    assert candidates.exhausted == expected.exhausted


@pytest.fixture(params=in_prove(VECTOR_STORES))
def store(request: pytest.FixtureRequest) -> Iterator[VectorStore]:
    with VECTOR_STORES[request.param]() as store:
        yield store


def test_searches_stay_right_while_others_write_and_delete(store: VectorStore) -> None:
    writers, rounds = 3, 25
    finished = Event()

    def write(name: str) -> None:
        for generation in range(1, rounds + 1):
            store.write(document(name, [f"{name} {generation} {i}" for i in range(6)], generation=generation))
            store.delete(name, generation=generation - 1)

    def search(seed: int) -> int:
        searches = 0
        while not finished.is_set() or not searches:
            query = vector_of(f"query {seed} {searches}")
            for hit in store.search(query, ["0", "1", "2"], 10).hits:
                assert hit.cosine == pytest.approx(float(vector_of(hit.chunk.text) @ query), abs=1e-5)
                assert hit.terms == hit.chunk.text
            searches += 1
        return searches

    with ThreadPoolExecutor(2 * writers) as threads:
        searching = [threads.submit(search, i) for i in range(writers)]
        writing = [threads.submit(write, f"document{i}") for i in range(writers)]
        try:
            for each in writing:
                each.result()
        finally:
            finished.set()
        assert all(each.result() for each in searching)
    left = {hit.chunk.text for hit in store.search(vector_of("query"), [], ALL).hits}
    assert left == {f"document{j} {rounds} {i}" for j in range(writers) for i in range(6)}
