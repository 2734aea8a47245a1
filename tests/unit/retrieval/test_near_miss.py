"""Where nothing is found, the nearest passages are told; where something is, what it lacks."""

from __future__ import annotations

import pytest

from ragbase.domain.near_miss import NearMiss, below
from ragbase.domain.search_filter import SearchFilter
from ragbase.retrieval.search_one_index import search_one_index
from ragbase.retrieval.search_result import SearchResults
from tests.unit.retrieval.indexed import Indexed

HOSTS = {
    f"web-{n}.md": f"# Host web-{n}\n\nThe owner of host web-{n} is Ana. It stands in rack R{n}." for n in (16, 17)
}
OTHERS = {
    "pumps.md": "# Pumps\n\nThe pump of the cellar is tested in May.",
    "leave.md": "# Leave\n\nWrite to your manager ten days before.",
}


@pytest.fixture(scope="module")
def world() -> Indexed:
    indexed = Indexed()
    for name, text in {**HOSTS, **OTHERS}.items():
        indexed.put(name, text)
    return indexed


def missed(world: Indexed, query: str, threshold: float = 0.99) -> NearMiss:
    results = world.search(query, threshold=threshold)
    assert isinstance(results, SearchResults)
    assert results == []
    assert results.near_miss is not None
    return results.near_miss


def test_the_nearest_passages_are_told(world: Indexed) -> None:
    miss = missed(world, "Is the pump of the attic tested in May?", threshold=0.999)
    (nearest, *others) = miss.passages
    assert (nearest.document.name, nearest.chunk.header_path) == ("pumps.md", ("Pumps",))
    assert 0 < nearest.score < miss.threshold == 0.999
    assert nearest.lacks == ("attic",)
    assert miss.unknown == ("attic",)
    assert len(others) <= 2


def test_an_identifier_that_nobody_has_is_named_first(world: Indexed) -> None:
    miss = missed(world, "Who is the foreman of host web-31?", threshold=0.5)
    assert miss.unknown == ("web-31", "foreman")
    assert all(near.lacks[0] == "web-31" for near in miss.passages)


def test_the_score_is_the_one_that_a_lower_threshold_shows(world: Indexed) -> None:
    query = "Is the pump of the attic tested in May?"
    scores = {one.document.name: one.confidence for one in world.search(query, top_k=9, threshold=0.0)}
    for near in missed(world, query, threshold=0.999).passages:
        assert near.score == scores[near.document.name]


def test_there_are_three_at_most_and_each_says_something_else() -> None:
    indexed = Indexed()
    for n in range(9):
        indexed.put(f"{n}.md", f"The pump number {n // 3} is tested.")
    miss = missed(indexed, "Which pump number is tested today?", threshold=0.3)
    assert len(miss.passages) == 3
    assert len({near.chunk.text for near in miss.passages}) == 3


def test_what_is_far_away_is_told_once(world: Indexed) -> None:
    assert len(missed(world, "quantum chromodynamics", threshold=0.5).passages) == 1


def test_with_results_there_is_no_near_miss(world: Indexed) -> None:
    for threshold in (0.0, 0.2):
        results = world.search("The pump of the cellar", threshold=threshold)
        assert results
        assert results.near_miss is None


@pytest.mark.parametrize("threshold", [0.0, 0.5])
def test_without_a_passage_there_is_no_near_miss(world: Indexed, threshold: float) -> None:
    assert Indexed().search("pump", threshold=threshold).near_miss is None
    nowhere = SearchFilter(path_prefixes=frozenset({"nowhere"}))
    assert found(world, "pump", nowhere, threshold=threshold).near_miss is None


def found(world: Indexed, query: str, within: SearchFilter | None = None, *, threshold: float) -> SearchResults:
    return search_one_index(
        query,
        chunks=world.chunks,
        embedder=world.embedder,
        top_k=5,
        threshold=threshold,
        language="english",
        within=within,
    )


def test_a_filter_holds_for_a_near_miss(world: Indexed) -> None:
    only = SearchFilter(path_prefixes=frozenset({"leave.md"}))
    results = found(world, "Is the pump of the cellar tested in May?", only, threshold=0.5)
    assert results.near_miss is not None
    assert [near.document.name for near in results.near_miss.passages] == ["leave.md"]
    assert results.near_miss.unknown == (), "other documents have these words"


def test_a_result_says_which_identifiers_it_lacks(world: Indexed) -> None:
    results = world.search("Who is the owner of host web-17, in rack R99?", threshold=0.0)
    lacks = {one.document.name: one.lacks for one in results}
    assert lacks["web-17.md"] == ("R99",)
    assert lacks["web-16.md"] == ("R99", "web-17")


def test_a_name_without_a_digit_is_told_if_nobody_has_it(world: Indexed) -> None:
    query = "Does the CellarWatch test the pump of the cellar?"
    assert {one.lacks for one in world.search(query, threshold=0.0)} == {("CellarWatch",)}
    assert {one.lacks for one in world.search("Does the cellar watch the attic?", threshold=0.0)} == {()}


def test_the_name_of_a_document_is_no_lack() -> None:
    indexed = Indexed()
    indexed.put("hosts/web-44.md", "The owner of this host is Ana.")
    (result,) = indexed.search("Who is the owner of web-44?", threshold=0.0)
    assert result.lacks == ()


@pytest.mark.parametrize(
    ("score", "threshold", "shown"), [(0.412, 0.5, "0.41"), (0.4999, 0.5, "0.4999"), (0.0, 0.5, "0.00")]
)
def test_a_score_below_the_threshold_looks_so(score: float, threshold: float, shown: str) -> None:
    assert below(score, threshold) == shown
