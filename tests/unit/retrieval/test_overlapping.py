"""A passage that another one above it has by more than half is not shown."""

from __future__ import annotations

from itertools import combinations

from ragbase.retrieval.search_result import SearchResult
from tests.unit.retrieval.indexed import Indexed

PUMPS = [f"The red pump number {number} stands in the cellar." for number in range(10)]


def world_of(*sentences: str, copies: int = 1) -> Indexed:
    """Chunks of four sentences, the first two of which are the last two of the chunk before."""
    world = Indexed(size=200, overlap=100)
    for number in range(copies):
        world.put(f"pumps{number}.md", " ".join(sentences))
    return world


def shown(results: list[SearchResult]) -> list[str]:
    return [result.chunk.text for result in results]


def test_a_passage_that_one_above_it_has_by_more_than_half_is_not_shown() -> None:
    world = world_of(*PUMPS[:5])
    assert shown(world.search("pump number 0", top_k=1)) == [" ".join(PUMPS[:4])]
    assert shown(world.search("pump number 0", top_k=10)) == [" ".join(PUMPS[:4])]


def test_a_longer_passage_with_as_much_new_is_shown_below_a_short_one() -> None:
    world = world_of(*PUMPS[:5])
    assert shown(world.search("pump number 4", top_k=10)) == [" ".join(PUMPS[2:5]), " ".join(PUMPS[:4])]


def test_ranks_have_no_gap_and_scores_fall() -> None:
    results = world_of(*PUMPS).search("red pump 1 5 9", top_k=10)
    assert [result.rank for result in results] == list(range(1, len(results) + 1))
    scores = [result.score for result in results]
    assert scores == sorted(scores, reverse=True)
    for upper, lower in combinations((result.chunk for result in results), 2):
        both = min(upper.char_end, lower.char_end) - max(upper.char_start, lower.char_start)
        assert 2 * both <= lower.char_end - lower.char_start


def test_the_next_answer_takes_the_place_of_one_that_is_not_shown() -> None:
    world = world_of(*PUMPS[:5], copies=20)
    world.put("other.md", "A pump in the garden is blue, and its old motor needs diesel and oil.")
    first, second = world.search("red pump number 0 in the cellar", top_k=2)
    assert (first.chunk.text, len(first.sources)) == (" ".join(PUMPS[:4]), 20)
    assert second.document.name == "other.md"


def test_a_place_in_another_document_is_still_named() -> None:
    """There, nothing above it has the text."""
    world = world_of(*PUMPS[:5])
    world.put("end.md", " ".join(PUMPS[2:5]))
    results = world.search("pump number 0", top_k=10)
    assert {source.document.name for source in results[0].sources} == {"pumps0.md"}
    assert {source.document.name for source in results[1].sources} == {"pumps0.md", "end.md"}
