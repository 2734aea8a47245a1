"""What every vector store promises (ports/vector_store.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from ragbase.domain.chunk import Chunk, EmbeddedChunk
from ragbase.ports import Candidates, HeldChunk, VectorStore
from ragbase.retrieval.bm25 import bm25
from ragbase.testing.chunks import document, embedded, unit, vector_of
from ragbase.testing.examples import share

OpenStore = Callable[[], AbstractContextManager[VectorStore]]
"""Opens a store without a chunk, for vectors of `ragbase.testing.chunks.DIMENSION` numbers."""

QUERY = unit(1)
ALL = 1000
"""A limit above what any test writes."""

ODD_TERMS = """
c++ c# " "" ' 1.39.0 a*b * near and or not near(a -x ^x a:b ( ) {a} terms:x über ñandú 漢字 漢 ไทย 🙂 ⌂name ⌂ e0382
\\ % _ ';--
"""


def facts(chunks: Sequence[EmbeddedChunk]) -> list[tuple[Chunk, str, list[float]]]:
    """The chunks as values that can be compared, in their order."""
    return [(one.chunk, one.terms, one.vector.tolist()) for one in chunks]


def found(candidates: Candidates) -> set[str]:
    return {hit.chunk.text for hit in candidates.hits}


class VectorStoreContract:
    """Inherit from it, and give it a fixture `open_store`. Its indexes have a suite of their own (indexes.py)."""

    @pytest.fixture
    def store(self, open_store: OpenStore) -> Iterator[VectorStore]:
        with open_store() as store:
            yield store

    def test_what_is_written_is_read_as_it_was(self, store: VectorStore) -> None:
        chunk = embedded(
            "a",
            text='Über "C++" – 漢字 🙂\n\x00 end',
            header_path=("Part, 1", "", 'He said "no"'),
            page=3,
            row=7,
            table_header="| a | ö |",
        )
        store.write([chunk])
        assert facts(store.read("a", 1)) == facts([chunk])

    def test_a_generation_is_read_by_ordinal_and_alone(self, store: VectorStore) -> None:
        wanted = [embedded("a", ordinal, text=f"{ordinal}") for ordinal in (2, 10, 11, 100)]
        others = [embedded("a", 2, generation=2), embedded("b", 2)]
        store.write([wanted[3], others[0], wanted[1], wanted[2], others[1], wanted[0]])
        assert facts(store.read("a", 1)) == facts(wanted)

    def test_the_generation_of_a_given_text_is_a_number_like_any_other(self, store: VectorStore) -> None:
        """It is below zero (domain/given_text.py)."""
        lowest = -(2**52)
        mine = document("a", ["one", "two", "three"], generation=lowest)
        store.write(
            [*mine, *document("a", ["of the file"], generation=2**52), *document("a", ["another"], generation=-7)]
        )
        assert facts(store.read("a", lowest)) == facts(mine)
        assert list(store.chunks("a", lowest, first=1, limit=1)) == [mine[1].chunk]
        assert store.held(["a"]) == {"a": {lowest: 3, 2**52: 1, -7: 1}}
        assert {hit.chunk.generation for hit in store.search(QUERY, ["one"], ALL).hits} == {lowest, 2**52, -7}
        store.hide("a", generation=lowest)
        assert {hit.chunk.generation for hit in store.search(QUERY, ["one"], ALL).hits} == {2**52, -7}
        store.delete("a", generation=lowest)
        assert store.held(["a"]) == {"a": {2**52: 1, -7: 1}}

    def test_chunks_come_by_ordinal_a_page_at_a_time_and_without_those_of_others(self, store: VectorStore) -> None:
        store.write(document("other", ["one", "two"]))
        store.write(document("document", ["old"], generation=1))
        mine = document("document", [f"text {number}" for number in range(7)], generation=2)
        store.write(list(reversed(mine)))
        wanted = [one.chunk for one in mine]
        assert list(store.chunks("document", 2, first=0, limit=100)) == wanted
        assert list(store.chunks("document", 2, first=2, limit=3)) == wanted[2:5]
        assert list(store.chunks("document", 2, first=7, limit=3)) == []

    def test_a_page_of_chunks_is_complete_however_long_it_is(self, store: VectorStore) -> None:
        mine = document("document", [f"text {number}" for number in range(1_203)])
        store.write(mine)
        assert list(store.chunks("document", 1, first=1, limit=1_200)) == [one.chunk for one in mine[1:1_201]]

    def test_nothing_is_read_of_a_generation_that_was_never_written(self, store: VectorStore) -> None:
        store.write([embedded("a")])
        assert list(store.read("a", 2)) == []
        assert list(store.read("b", 1)) == []

    def test_writing_nothing_changes_nothing(self, store: VectorStore) -> None:
        store.write([])
        assert store.search(QUERY, [], ALL).passages == 0

    def test_a_known_id_is_replaced(self, store: VectorStore) -> None:
        store.write([embedded("a", 0, text="old"), embedded("a", 1, text="stays")])
        store.search(QUERY, ["old"], ALL)
        replacement = embedded("a", 0, text="new")
        store.write([replacement])

        assert facts(store.read("a", 1)) == facts([replacement, embedded("a", 1, text="stays")])
        candidates = store.search(vector_of("new"), ["old", "new"], ALL)
        assert found(candidates) == {"new", "stays"}
        assert max(hit.cosine for hit in candidates.hits) == pytest.approx(1, abs=1e-6)
        assert candidates.frequency == {"old": 0, "new": 1}

    def test_a_redelivered_write_changes_nothing(self, store: VectorStore) -> None:
        chunks = document("a", ["one two", "two three"])
        for _ in range(3):
            store.write(chunks)
        assert facts(store.read("a", 1)) == facts(chunks)
        assert store.search(QUERY, ["two"], ALL).frequency == {"two": 2}

    def test_the_last_of_two_chunks_with_one_id_stays(self, store: VectorStore) -> None:
        store.write([embedded("a", text="first"), embedded("a", text="second")])
        assert [one.chunk.text for one in store.read("a", 1)] == ["second"]

    def test_embeddings_are_those_of_all_generations_by_text_hash(self, store: VectorStore) -> None:
        old, new, other = (
            embedded("a", text="old"),
            embedded("a", generation=2, text="new"),
            embedded("b", text="other"),
        )
        store.write([old, new, other])
        held = store.embeddings("a")
        assert {key: vector.tolist() for key, vector in held.items()} == {
            one.chunk.text_hash: one.vector.tolist() for one in (old, new)
        }

    def test_a_document_without_chunks_has_no_embeddings(self, store: VectorStore) -> None:
        store.write([embedded("a")])
        store.delete("a", generation=1)
        assert dict(store.embeddings("a")) == {}
        assert dict(store.embeddings("b")) == {}

    def test_delete_removes_one_generation_of_one_document(self, store: VectorStore) -> None:
        kept = [embedded("a", generation=1), embedded("a", generation=3), embedded("b", generation=2)]
        store.write([*kept, *document("a", ["x", "y"], generation=2)])
        store.search(QUERY, [], ALL)
        store.delete("a", generation=2)

        assert list(store.read("a", 2)) == []
        for one in kept:
            assert facts(store.read(one.chunk.document_id, one.chunk.generation)) == facts([one])
        assert {hit.chunk.id for hit in store.search(QUERY, ["x"], ALL).hits} == {one.chunk.id for one in kept}

    def test_generations_are_told_apart_however_large_their_numbers_are(self, store: VectorStore) -> None:
        """Up to 53 bits: Weaviate's numbers are floats, and it refuses others."""
        numbers = [2**53 - 3, 2**53 - 2, 2**53 - 1]
        store.write([embedded("a", generation=number, text=str(number)) for number in numbers])
        assert store.held(["a"]) == {"a": dict.fromkeys(numbers, 1)}
        assert {one.generation for one in store.scan(limit=ALL)} == set(numbers)
        store.delete("a", generation=numbers[1])
        for number, texts in zip(numbers, ([str(numbers[0])], [], [str(numbers[2])]), strict=True):
            assert [one.chunk.text for one in store.read("a", number)] == texts
            assert {one.chunk.generation for one in store.read("a", number)} <= {number}

    def test_delete_chunks_removes_these_and_no_others(self, store: VectorStore) -> None:
        chunks = [*document("a", ["x", "y", "z"]), embedded("a", generation=2, text="2"), embedded("b", text="b")]
        store.write(chunks)
        store.search(QUERY, [], ALL)
        store.delete_chunks([chunks[1].chunk.id, chunks[4].chunk.id, embedded("nobody's").chunk.id])
        assert found(store.search(QUERY, ["y"], ALL)) == {"x", "z", "2"}
        assert facts(store.read("a", 1)) == facts([chunks[0], chunks[2]])
        store.delete_chunks([])
        assert store.search(QUERY, [], ALL).passages == 3

    def test_deleting_what_is_not_there_is_no_error(self, store: VectorStore) -> None:
        store.delete("a", generation=1)
        store.write([embedded("a")])
        store.delete("a", generation=2)
        assert store.search(QUERY, [], ALL).passages == 1

    def test_what_was_deleted_can_be_written_again(self, store: VectorStore) -> None:
        chunks = document("a", ["one", "two"])
        for _ in range(3):
            store.write(chunks)
            assert found(store.search(QUERY, ["one"], ALL)) == {"one", "two"}
            store.delete("a", generation=1)
            assert found(store.search(QUERY, ["one"], ALL)) == set()

    def test_no_search_chooses_hidden_chunks_or_counts_them(self, store: VectorStore) -> None:
        store.write(
            [*document("a", ["old one", "old two"]), embedded("a", generation=2, text="new one"), embedded("b")]
        )
        store.search(QUERY, ["one"], ALL)
        store.hide("a", generation=1)
        for limit in (1, ALL):
            candidates = store.search(vector_of("old one"), ["one"], limit)
            assert not found(candidates) & {"old one", "old two"}
        assert found(candidates) == {"new one", "some text"}
        assert candidates.passages == 2
        assert candidates.average_length == 2
        assert candidates.frequency == {"one": 1}
        assert candidates.exhausted

    def test_hidden_chunks_can_still_be_read_if_searches_may_have_chosen_them(self, store: VectorStore) -> None:
        chunks = document("a", ["one", "two"])
        store.write([*chunks, embedded("b")])
        store.hide("a", generation=1)
        if store.longest_search:
            assert facts(store.read("a", 1)) == facts(chunks)
            assert store.held(["a"]) == {"a": {1: 2}}
        store.delete("a", generation=1)
        assert list(store.read("a", 1)) == []
        assert store.held(["a", "b"]) == {"b": {1: 1}}

    def test_hiding_twice_or_what_is_not_there_is_no_error(self, store: VectorStore) -> None:
        store.write([embedded("a")])
        for _ in range(2):
            store.hide("a", generation=1)
            store.hide("b", generation=1)
        assert store.search(QUERY, [], ALL).passages == 0

    def test_documents_that_are_left_out_are_neither_found_nor_counted(self, store: VectorStore) -> None:
        near = [embedded(f"near {i}", text=f"red {i}", vector=unit(1, i / 100)) for i in range(20)]
        store.write([*near, embedded("far", text="red far away", vector=unit(-1))])
        assert "red far away" not in found(store.search(QUERY, [], 5))
        candidates = store.search(QUERY, ["red", "far"], 5, without=[one.chunk.document_id for one in near])
        assert found(candidates) == {"red far away"}
        assert (candidates.passages, candidates.average_length) == (1, 3)
        assert candidates.frequency == {"red": 1, "far": 1}
        assert candidates.exhausted
        assert store.search(QUERY, ["red"], 5).frequency == {"red": 21}

    def test_an_empty_index_has_no_candidates(self, store: VectorStore) -> None:
        candidates = store.search(QUERY, ["term"], 5)
        assert list(candidates.hits) == []
        assert candidates.passages == 0
        assert candidates.average_length == 0
        assert not any(candidates.frequency.values())
        assert candidates.exhausted

    def test_the_nearest_are_found_with_their_cosine_and_their_terms(self, store: VectorStore) -> None:
        store.write(
            [
                embedded("a", i, text=f"t{i}", terms=f"t{i} x", vector=unit(np.cos(i / 10), np.sin(i / 10)))
                for i in range(9)
            ]
        )
        hits = sorted(store.search(QUERY, [], 3).hits, key=lambda hit: -hit.cosine)
        assert [(hit.chunk.text, hit.terms) for hit in hits] == [("t0", "t0 x"), ("t1", "t1 x"), ("t2", "t2 x")]
        assert [hit.cosine for hit in hits] == pytest.approx([1, np.cos(0.1), np.cos(0.2)], abs=1e-5)

    def test_the_best_by_words_are_found_however_far_with_their_cosine(self, store: VectorStore) -> None:
        near = [embedded("near", i, text=f"filler {i}", vector=unit(1, i / 100)) for i in range(20)]
        far = embedded("far", text="needle", vector=unit(-1))
        store.write([*near, far])
        hits = {hit.chunk.text: hit.cosine for hit in store.search(QUERY, ["needle"], 2).hits}
        assert hits == pytest.approx({"filler 0": 1, "filler 1": 1 / np.hypot(1, 0.01), "needle": -1}, abs=1e-5)

    def test_a_passage_found_both_ways_is_one_hit(self, store: VectorStore) -> None:
        store.write([embedded("a", text="both", vector=QUERY), embedded("b", text="neither", vector=unit(0, 1))])
        assert [hit.chunk.text for hit in store.search(QUERY, ["both"], 1).hits] == ["both"]

    def test_a_rare_word_weighs_more_than_a_common_one(self, store: VectorStore) -> None:
        common = [embedded("a", i, text=f"common word{i}", vector=unit(0, 1, i)) for i in range(30)]
        store.write(
            [*common, embedded("b", text="rare other", vector=unit(0, -1)), embedded("c", text="", vector=QUERY)]
        )
        assert found(store.search(QUERY, ["common", "rare"], 1)) == {"", "rare other"}

    def test_a_word_weighs_as_often_as_the_query_repeats_it(self, store: VectorStore) -> None:
        store.write([embedded("a", text="left", vector=unit(0, 1)), embedded("b", text="right", vector=unit(0, -1))])
        store.write([embedded("c", text="", vector=QUERY)])
        assert found(store.search(QUERY, ["left", "right", "left"], 1)) == {"", "left"}
        assert found(store.search(QUERY, ["right", "left", "right"], 1)) == {"", "right"}

    @share(0.4, deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        passages=st.lists(
            st.tuples(st.integers(0, 9), st.integers(0, 40)), min_size=1, max_size=30
        ),  # how often the word is in the passage, and how many other words
        limit=st.integers(1, 10),
    )
    def test_no_passage_left_out_is_better_by_words(
        self, open_store: OpenStore, passages: list[tuple[int, int]], limit: int
    ) -> None:
        texts = ["word " * count + "other " * others for count, others in passages]
        with open_store() as store:
            store.write([embedded("a", i, text=text, vector=unit(-1)) for i, text in enumerate(texts)])
            store.write([embedded("near", i, text="other", vector=QUERY) for i in range(limit)])
            candidates = store.search(QUERY, ["word"], limit)
            by_words = {hit.chunk.ordinal for hit in candidates.hits if hit.chunk.document_id == "a"}
            average = candidates.average_length
        scores = {i: bm25(count, count + others, average) for i, (count, others) in enumerate(passages) if count}
        assert len(by_words) == min(limit, len(scores))
        assert by_words <= scores.keys()
        best = sorted(scores.values(), reverse=True)[:limit]
        assert sorted((scores[i] for i in by_words), reverse=True) == pytest.approx(best, rel=1e-4)

    def test_a_term_is_any_run_of_characters_without_a_blank(self, store: VectorStore) -> None:
        for term in (*ODD_TERMS.split(), "w" * 5000):
            store.write([embedded("a", text=f"before {term} after", vector=unit(0, 1))])
            store.write([embedded("b", i, text=f"nothing {term}x {i}", vector=unit(1, i / 100)) for i in range(4)])
            candidates = store.search(QUERY, [term], 1)
            assert candidates.frequency == {term: 1}
            assert f"before {term} after" in found(candidates)

    def test_passages_average_length_and_frequency_describe_the_whole_index(self, store: VectorStore) -> None:
        store.write(document("a", ["one two two", "two three", "four"]) + document("b", ["two"], generation=7))
        candidates = store.search(QUERY, ["two", "four", "two", "five"], 1)
        assert candidates.passages == 4
        assert candidates.average_length == pytest.approx(7 / 4)
        assert candidates.frequency == {"two": 3, "four": 1, "five": 0}

    def test_candidates_are_exhausted_when_a_higher_limit_would_bring_no_more(self, store: VectorStore) -> None:
        store.write([embedded("a", i, text=f"t{i}", vector=unit(1, i)) for i in range(4)])
        assert not store.search(QUERY, [], 3).exhausted
        assert store.search(QUERY, [], 4).exhausted
        assert store.search(QUERY, [], ALL).exhausted
        assert len(store.search(QUERY, [], ALL).hits) == 4

    def test_held_counts_the_chunks_of_each_generation(self, store: VectorStore) -> None:
        store.write(document("a", ["one", "two"], generation=1) + document("a", ["three"], generation=2**52))
        store.write([*document("b", ["four"]), embedded("b", 7), *document("c", ["five"])])
        held = store.held(["a", "b", "absent"])
        assert {id: dict(counts) for id, counts in held.items()} == {"a": {1: 2, 2**52: 1}, "b": {1: 2}}
        store.delete("a", generation=1)
        assert {id: dict(counts) for id, counts in store.held(["a"]).items()} == {"a": {2**52: 1}}
        assert dict(store.held([])) == {}

    def test_a_scan_gives_every_chunk_once_by_id(self, store: VectorStore) -> None:
        chunks = [*document("a", [f"text {i}" for i in range(12)], generation=3), *document("b", ["other"])]
        expected = sorted(HeldChunk(one.chunk.id, one.chunk.document_id, one.chunk.generation) for one in chunks)
        assert list(store.scan(limit=5)) == []
        store.write(chunks)
        assert list(store.scan(limit=100)) == expected
        pages, after = [], ""
        while page := store.scan(after=after, limit=5):
            pages.append(list(page))
            after = page[-1].id
        assert [len(page) for page in pages] == [5, 5, 3]
        assert [chunk for page in pages for chunk in page] == expected
        store.delete("a", generation=3)
        assert list(store.scan(limit=5)) == [chunk for chunk in expected if chunk.document_id == "b"]

    def test_a_scan_goes_on_after_an_id_that_is_gone(self, store: VectorStore) -> None:
        store.write(document("a", ["one"]) + document("b", ["two"]) + document("c", ["three"]))
        first, second, third = store.scan(limit=3)
        store.delete(first.document_id, generation=1)
        assert list(store.scan(after=first.id, limit=3)) == [second, third]
