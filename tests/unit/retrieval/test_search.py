"""Search shows one generation of each document, equal texts once, and nothing for a foreign question."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ragbase.domain.chunk import Chunk, EmbeddedChunk
from ragbase.domain.document import Document
from ragbase.domain.identity import chunk_id, document_id, text_hash
from ragbase.domain.search_filter import SearchFilter
from ragbase.ports import Candidates, Embeddings
from ragbase.retrieval.active_chunks import ActiveChunks
from ragbase.retrieval.retriever import RetrievalResult, Retriever
from ragbase.retrieval.search_one_index import search_one_index
from ragbase.retrieval.search_result import SearchResult
from ragbase.testing.document_store import MemoryDocumentStore
from ragbase.testing.passages import document
from ragbase.testing.vector_store import MemoryVectorStore
from ragbase.text.terms import terms_of

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class WordEmbedder:
    """Texts are near where they share words. Counts as a hashing embedder."""

    model = "hashing-of-words"
    dimension = 64
    max_batch = 1000
    at_a_time = 1

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        return Embeddings([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vector:
        vector = np.full(self.dimension, 1e-3, dtype=np.float32)
        for term in terms_of(text):
            vector[hashlib.blake2b(term.encode(), digest_size=1).digest()[0] % self.dimension] += 1
        return vector / np.linalg.norm(vector)


class World:
    """An index whose documents are put and deleted at once, or step by step."""

    def __init__(self) -> None:
        self.vectors = MemoryVectorStore()
        self.documents = MemoryDocumentStore()
        self.embedder = WordEmbedder()

    def write(self, name: str, generation: int, *texts: str, header: str = "") -> None:
        vectors = self.embedder.embed_documents(texts).vectors
        starts = [0, *accumulate(map(len, texts[:-1]))]
        self.vectors.write(
            [
                EmbeddedChunk(_chunk(name, generation, i, text, header, start=start), vector, " ".join(terms_of(text)))
                for i, (text, start, vector) in enumerate(zip(texts, starts, vectors, strict=True))
            ]
        )

    def flip(self, name: str, generation: int | None) -> None:
        self.documents.update(_id(name), lambda _: _document(name, generation))

    def put(self, name: str, generation: int, *texts: str, header: str = "") -> None:
        self.write(name, generation, *texts, header=header)
        self.flip(name, generation)
        for held in self.vectors.held([_id(name)])[_id(name)].keys() - {generation}:
            self.vectors.delete(_id(name), generation=held)

    @property
    def chunks(self) -> ActiveChunks:
        return ActiveChunks(self.vectors, self.documents)

    def search(
        self, query: str, top_k: int = 5, threshold: float = 0.5, within: SearchFilter | None = None
    ) -> list[SearchResult]:
        return search_one_index(
            query,
            chunks=self.chunks,
            embedder=self.embedder,
            top_k=top_k,
            threshold=threshold,
            language="english",
            within=within,
        )


def _id(name: str) -> str:
    return document_id("bucket", name)


def _chunk(name: str, generation: int, ordinal: int, text: str, header: str, *, start: int = 0) -> Chunk:
    return Chunk(
        id=chunk_id(_id(name), generation, ordinal, "settings"),
        document_id=_id(name),
        generation=generation,
        ordinal=ordinal,
        text=text,
        char_start=start,
        char_end=start + len(text),
        header_path=tuple(header.split(" > ")) if header else (),
        page=None,
        text_hash=text_hash(text),
    )


def _document(name: str, generation: int | None) -> Document:
    return replace(document(name, generation), source=f"/home/me/{name}")


@pytest.fixture
def world() -> World:
    return World()


def texts(results: Sequence[SearchResult]) -> list[str]:
    return [result.chunk.text for result in results]


def test_the_passage_that_answers_comes_first(world: World) -> None:
    world.put("sea.md", 1, "Whales are mammals that live in the sea.", "Sharks are fish.")
    world.put("sky.md", 1, "Bats are mammals that fly.")
    results = world.search("mammals of the sea")
    assert texts(results)[0] == "Whales are mammals that live in the sea."
    assert [result.rank for result in results] == list(range(1, len(results) + 1))
    assert results[0].document.name == "sea.md"


def test_a_question_about_something_else_gets_nothing(world: World) -> None:
    world.put("sea.md", 1, "Whales are mammals that live in the sea.")
    assert world.search("quantum physics equations") == []


def test_an_empty_index_gives_nothing(world: World) -> None:
    assert world.search("anything at all", threshold=0.0) == []


def test_scores_fall_and_reach_the_threshold(world: World) -> None:
    world.put("a.md", 1, "red green blue", "red green", "red", "green blue red yellow", "violet", "blue")
    for threshold in (0.0, 0.3, 0.5, 0.9):
        scores = [result.score for result in world.search("red green blue", threshold=threshold)]
        assert scores == sorted(scores, reverse=True)
        assert all(score >= threshold for score in scores)


def test_a_score_does_not_depend_on_how_many_results_are_asked_for(world: World) -> None:
    world.put("a.md", 1, "red green blue", "red green", "red blue orange")
    few, many = world.search("red green", top_k=1, threshold=0.0), world.search("red green", top_k=9, threshold=0.0)
    assert few == many[:1]
    assert len(many) == 3


def test_equal_texts_are_shown_once_with_all_their_sources(world: World) -> None:
    world.put("one.md", 1, "The licence is\nApache.")
    world.put("two.md", 1, "The  licence is Apache. ")
    world.put("three.md", 1, "The licence is another.")
    results = world.search("licence Apache")
    assert len(results) == 2
    assert {source.document.name for source in results[0].sources} == {"one.md", "two.md"}
    assert results[0].sources[0].chunk is results[0].chunk
    assert [source.document.name for source in results[1].sources] == ["three.md"]


def test_copies_do_not_crowd_out_other_answers(world: World) -> None:
    for copy in range(120):
        world.put(f"copy{copy}.md", 1, "red green blue")
    world.put("other.md", 1, "red green blue and a little yellow")
    results = world.search("red green blue")
    assert texts(results) == ["red green blue", "red green blue and a little yellow"]
    assert len(results[0].sources) == 120


def test_stale_chunks_do_not_crowd_out_active_chunks(world: World) -> None:
    for gone in range(120):
        world.put(f"gone{gone}.md", 1, f"red green blue {gone}")
        world.flip(f"gone{gone}.md", None)
    world.put("live.md", 1, "red and green, but mostly yellow, violet or blue")
    assert texts(world.search("red green blue")) == ["red and green, but mostly yellow, violet or blue"]


def test_equals_come_in_the_same_order_whatever_order_they_were_written_in() -> None:
    names = [f"{letter}.md" for letter in "abcdef"]
    orders = []
    for order in (names, names[::-1]):
        world = World()
        for name in order:
            world.put(name, 1, f"red {name}", "green")
        orders.append([result.chunk.id for result in world.search("red", threshold=0.0, top_k=9)])
    assert orders[0] == orders[1]


def test_a_generation_is_shown_from_its_flip_on(world: World) -> None:
    world.put("a.md", 1, "the old red text")
    world.write("a.md", 2, "the new red text")
    assert texts(world.search("red text")) == ["the old red text"]
    world.flip("a.md", 2)
    assert texts(world.search("red text")) == ["the new red text"]


def test_a_deleted_document_is_gone_before_its_chunks_are(world: World) -> None:
    world.put("a.md", 1, "red text")
    world.flip("a.md", None)
    assert world.search("red text") == []


def test_chunks_without_a_record_are_not_shown(world: World) -> None:
    world.write("a.md", 1, "red text")
    assert world.search("red text") == []


class Interrupted(MemoryVectorStore):
    """A store after whose answers other things happen before the records are read."""

    def __init__(self) -> None:
        super().__init__()
        self.then: list[Callable[[], None]] = []
        self.searches = 0

    def search(
        self,
        vector: Vector,
        terms: Sequence[str],
        limit: int,
        *,
        without: Collection[str] = (),
        within: SearchFilter | None = None,
        nearest: int = 0,
    ) -> Candidates:
        candidates = super().search(vector, terms, limit, without=without, within=within, nearest=nearest)
        self.searches += 1
        if self.then:
            self.then.pop(0)()
        return candidates


@pytest.fixture
def interrupted(world: World) -> Interrupted:
    world.vectors = store = Interrupted()
    return store


def test_a_filtered_search_asks_the_store_once_and_changes_no_score(world: World, interrupted: Interrupted) -> None:
    for number in range(40):
        world.put(f"near/{number}.md", 1, f"red text number {number}")
    world.put("far/a.md", 1, "red text and something else")
    scores = {one.document.name: one.confidence for one in world.search("red text", top_k=50, threshold=0)}
    interrupted.searches = 0
    (found,) = world.search("red text", threshold=0, within=SearchFilter(document_ids=frozenset({_id("far/a.md")})))
    assert found.confidence == pytest.approx(scores["far/a.md"])
    assert interrupted.searches == 1


def test_a_flip_among_the_nearest_does_not_change_a_filtered_score(world: World, interrupted: Interrupted) -> None:
    world.put("near/a.md", 1, "red text")
    world.put("far/a.md", 1, "red text and something else")
    far = SearchFilter(document_ids=frozenset({_id("far/a.md")}))
    (before,) = world.search("red text", threshold=0, within=far)
    interrupted.then = [lambda: world.put("near/a.md", 2, "red text")]
    (after,) = world.search("red text", threshold=0, within=far)
    assert after.confidence == pytest.approx(before.confidence)


def test_a_flip_amid_a_search_does_not_hide_the_document(world: World, interrupted: Interrupted) -> None:
    world.put("a.md", 1, "the old red text")
    interrupted.then = [lambda: world.put("a.md", 2, "the new red text")]
    assert texts(world.search("red text")) == ["the new red text"]


def test_a_flip_amid_a_search_does_not_show_half_a_generation(world: World, interrupted: Interrupted) -> None:
    world.put("a.md", 1, "the old red text")
    world.write("a.md", 2, "the new red text")
    interrupted.then = [lambda: world.put("a.md", 2, "the new red text", "red text, part two")]
    assert set(texts(world.search("red text"))) == {"the new red text", "red text, part two"}


def test_two_flips_amid_a_search_do_not_hide_the_document(world: World, interrupted: Interrupted) -> None:
    world.put("a.md", 1, "red text, first")
    interrupted.then = [
        lambda: world.put("a.md", 2, "red text, second"),
        lambda: world.put("a.md", 3, "red text, third"),
    ]
    assert texts(world.search("red text")) == ["red text, third"]


def test_a_delete_amid_a_search_is_obeyed(world: World, interrupted: Interrupted) -> None:
    world.put("a.md", 1, "red text")
    world.put("b.md", 1, "red text too")
    interrupted.then = [lambda: world.flip("a.md", None)]
    assert texts(world.search("red text")) == ["red text too"]


def test_a_document_that_never_stops_flipping_does_not_stop_a_search(world: World, interrupted: Interrupted) -> None:
    world.put("restless.md", 1, "red text")
    world.put("calm.md", 1, "calm red text")

    def flip_again() -> None:
        generation = interrupted.searches + 1
        world.put("restless.md", generation, f"red text {generation}")
        interrupted.then = [flip_again]

    interrupted.then = [flip_again]
    assert "calm red text" in texts(world.search("red text"))
    assert interrupted.searches < 10


def test_stale_chunks_of_an_old_generation_cost_one_more_search(world: World, interrupted: Interrupted) -> None:
    world.put("a.md", 1, "red text")
    world.write("a.md", 2, "something else")
    world.flip("a.md", 2)
    assert world.search("red text") == []
    assert interrupted.searches == 2


@pytest.mark.slow
@pytest.mark.parametrize("is_known", [True, False])
def test_thousands_of_chunks_that_are_not_shown_do_not_hide_an_answer(world: World, is_known: bool) -> None:
    """Documents whose first attempt goes on, or that are FAILED, or whose records are lost."""
    world.put("right.md", 1, "Annual leave is twenty days.")
    world.put("other.md", 1, "The boiler is inspected in May.")
    for number in range(2500):
        if is_known:
            world.flip(f"{number}.md", None)
        world.write(f"{number}.md", 1, f"Annual leave is twenty days, says draft {number}.")
    (best, *_) = world.search("annual leave days", threshold=0.5)
    assert best.document.name == "right.md"


def test_a_document_that_flips_while_others_are_left_out_is_found(world: World, interrupted: Interrupted) -> None:
    world.put("a.md", 1, "red text")
    world.flip("new.md", None)
    world.write("new.md", 1, *(f"red text {number}" for number in range(200)))

    def flip() -> None:
        world.write("a.md", 2, "other red text")
        world.flip("a.md", 2)

    interrupted.then = [lambda: None, flip]
    assert texts(world.search("red text", threshold=0.0)) == ["other red text"]


def retriever(world: World) -> Retriever:
    return Retriever(world.embedder, world.chunks)


def test_results_carry_what_a_citation_needs(world: World) -> None:
    world.put("guide.md", 7, "Turn the red wheel.", header="Guide > Start")
    (result,) = retriever(world).search("red wheel")
    assert isinstance(result, RetrievalResult)
    assert result.chunk.content == "Turn the red wheel."
    assert result.chunk.metadata == {
        "source_file": "/home/me/guide.md",
        "header_path": "Guide > Start",
        "document_id": _id("guide.md"),
        "chunk_id": chunk_id(_id("guide.md"), 7, 0, "settings"),
        "generation": 7,
        "char_start": 0,
        "char_end": 19,
    }
    assert set(result.score_breakdown) == {"dense_score", "sparse_score", "combined_score"}
    assert result.rank == 1
    assert result.sources == [result.chunk.metadata]


def test_a_page_is_reported_where_there_is_one(world: World) -> None:
    chunk = replace(_chunk("a.pdf", 1, 0, "red text", ""), page=3)
    world.vectors.write([EmbeddedChunk(chunk, world.embedder.embed_query("red text"), "red text")])
    world.flip("a.pdf", 1)
    assert retriever(world).search("red text")[0].chunk.metadata["page"] == 3


def test_rows_of_a_table_come_with_its_header_row(world: World) -> None:
    chunk = replace(_chunk("a.md", 1, 0, "| red | 7 |", ""), table_header="| colour | price |")
    world.vectors.write([EmbeddedChunk(chunk, world.embedder.embed_query("red"), "red")])
    world.flip("a.md", 1)
    assert retriever(world).search("red")[0].chunk.metadata["table_header"] == "| colour | price |"


def test_a_passage_under_no_heading_is_named_after_its_file(world: World) -> None:
    world.put("notes/shopping list.md", 1, "red apples")
    assert retriever(world).search("apples")[0].chunk.metadata["header_path"] == "shopping list"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"query_text": ""}, "query_text cannot be empty"),
        ({"query_text": " \n"}, "query_text cannot be empty"),
        ({"query_text": " ab "}, "'ab' is too short: at least 3 characters"),
        ({"query_text": "red", "top_k": 0}, "top_k is 0, but must be at least 1"),
        ({"query_text": "red", "similarity_threshold": -0.1}, "must be from 0"),
        ({"query_text": "red", "similarity_threshold": 1.1}, "must be from 0"),
        ({"query_text": "red", "similarity_threshold": float("nan")}, "must be from 0"),
    ],
)
def test_what_makes_no_sense_is_refused(world: World, arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        retriever(world).search(**arguments)  # type: ignore[arg-type]  # as a careless caller would


def test_a_retriever_that_lacks_a_part_says_so(world: World) -> None:
    for parts in ((None, None), (world.embedder, None), (None, world.chunks)):
        with pytest.raises(RuntimeError, match="not initialized"):
            Retriever(*parts).search("query")


def test_a_long_query_is_read_in_part(world: World) -> None:
    world.put("a.md", 1, "red text")
    assert texts(world.search("red text " + "?" * 10_000 + " something else " * 1000)) == ["red text"]
