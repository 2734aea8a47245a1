"""A word says how sure a result is."""

from __future__ import annotations

import pytest

from ragbase.domain.confidence import Confidence, at_most, confidence_of, surest
from tests.unit.retrieval.indexed import Indexed


@pytest.mark.parametrize(
    ("score", "coverage", "has_identifiers", "word"),
    [
        (0.99, 0.75, False, Confidence.STRONG),
        (0.99, 0.74, False, Confidence.FAIR),
        (0.5, 0.5, False, Confidence.FAIR),
        (0.99, 0.49, False, Confidence.WEAK),
        (0.99, 0.1, True, Confidence.EXACT_IDENTIFIER),
        (0.49, 1.0, False, Confidence.NEAR_MISS),  # the threshold was set lower
        (0.49, 1.0, True, Confidence.NEAR_MISS),
    ],
)
def test_the_word_follows_from_what_the_passage_has(
    score: float, coverage: float, has_identifiers: bool, word: Confidence
) -> None:
    assert confidence_of(score, coverage, has_identifiers=has_identifiers) is word


def test_of_several_the_surest_counts() -> None:
    assert surest([Confidence.WEAK, Confidence.STRONG, Confidence.FAIR]) is Confidence.STRONG
    assert surest([]) is None


def test_a_word_can_be_lowered_but_not_raised() -> None:
    assert at_most(Confidence.EXACT_IDENTIFIER, Confidence.FAIR) is Confidence.FAIR
    assert at_most(Confidence.WEAK, Confidence.FAIR) is Confidence.WEAK
    assert at_most(None, Confidence.FAIR) is None


def test_a_search_tells_the_passage_with_the_identifier_from_others() -> None:
    world = Indexed()
    world.put("pump.md", "The pump web-17 stands in the cellar of the northern plant.")
    world.put("other.md", "The pump web-18 stands in the cellar of the southern plant.")
    words = {one.document.name: one.level for one in world.search("pump web-17 cellar northern plant")}
    assert words["pump.md"] is Confidence.EXACT_IDENTIFIER
    assert words["other.md"] is not Confidence.EXACT_IDENTIFIER
    (first, *_) = world.search("Where does the pump of the northern plant stand?", threshold=0.5)
    assert (first.document.name, first.level) == ("pump.md", Confidence.STRONG)
