"""A reranker changes the order of results and nothing else; without its answer, the order before stays."""

from __future__ import annotations

import logging
from dataclasses import replace

import pytest

from ragbase.domain.errors import RagbaseError, TransientError, Unavailable
from ragbase.domain.limits import MAX_RERANKED
from ragbase.retrieval.rerank import reranked
from ragbase.retrieval.search_result import SearchResult
from ragbase.testing.reranker import MemoryReranker
from tests.unit.retrieval.indexed import Indexed

QUESTION = "green ships of the harbour"
TEXTS = {
    "a.md": "Ships. Ships. Ships. All about ships and ships.",
    "b.md": "The green ships of the harbour are old.",
    "c.md": "A harbour has water.",
}


@pytest.fixture
def results() -> list[SearchResult]:
    indexed = Indexed()
    for name, text in TEXTS.items():
        indexed.put(name, text)
    found = indexed.search(QUESTION)
    assert len(found) == len(TEXTS)
    return found[::-1]  # an order that a reranker can mend


def names(results: list[SearchResult]) -> list[str]:
    return [result.document.name for result in results]


def test_the_results_come_in_the_order_of_the_reranker(results: list[SearchResult]) -> None:
    given = reranked(QUESTION, results, MemoryReranker())
    assert names(given)[0] == "b.md"
    scores = [result.breakdown.rerank_score or 0.0 for result in given]
    assert scores == sorted(scores, reverse=True)
    assert [result.rank for result in given] == [1, 2, 3]
    assert all(result.reranked for result in given)


def test_the_score_stays_the_confidence_as_far_as_the_list_is_sorted(results: list[SearchResult]) -> None:
    given = reranked(QUESTION, results, MemoryReranker())
    shown = [result.score for result in given]
    assert shown == sorted(shown, reverse=True)
    assert shown == [min(one.confidence for one in given[: place + 1]) for place in range(len(given))]
    assert {one.chunk.id: one.confidence for one in given} == {one.chunk.id: one.confidence for one in results}


@pytest.mark.parametrize("error", [Unavailable("away"), TransientError("garbage"), RagbaseError("other")])
def test_a_reranker_that_fails_leaves_the_order_and_says_so(
    results: list[SearchResult], error: RagbaseError, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "ragbase"):
        given = reranked(QUESTION, results, MemoryReranker(error))
    assert given == [replace(result, reranked=False) for result in results]
    (entry,) = caplog.records
    assert (entry.__dict__["action"], entry.__dict__["fields"]["reason"]) == ("query.not_reranked", str(error))


def test_one_result_costs_nothing(results: list[SearchResult]) -> None:
    reranker = MemoryReranker()
    assert reranked(QUESTION, results[:1], reranker) == results[:1]
    assert reranked(QUESTION, [], reranker) == []
    assert reranker.asked == []


def test_equal_scores_keep_their_order_and_the_last_ones_their_place(results: list[SearchResult]) -> None:
    reranker = MemoryReranker()
    many = [results[0]] * MAX_RERANKED + [replace(results[1], rank=MAX_RERANKED + 1)]
    given = reranked("nothing of it", many, reranker)
    assert len(reranker.asked[0]) == MAX_RERANKED
    assert names(given) == names(many)


def test_the_heading_is_sent_with_the_text() -> None:
    indexed, reranker = Indexed(), MemoryReranker()
    indexed.put("a.md", "# Pumps\n\nThe red one leaks.")
    indexed.put("b.md", "# Ships\n\nThe red one sinks.")
    reranked("red one", indexed.search("red one"), reranker)
    assert all(text.startswith(("Pumps\n", "Ships\n")) for text in reranker.asked[0])
