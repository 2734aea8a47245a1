"""What a follow-up borrows is no evidence for what it asks itself."""

from __future__ import annotations

import pytest

from ragbase.domain.conversation import Role, Turn
from ragbase.retrieval.conversation.standalone import standalone
from ragbase.retrieval.search_result import SearchResults
from tests.unit.retrieval.indexed import Indexed

THRESHOLD = 0.15
TEXTS = {
    "backups.md": "# Backups\n\nThe nightly backup is encrypted with age. Windows machines send theirs at noon.\n",
    "castle.md": "# The castle\n\nThe royal castle was designed by Jan Trevano. Work on the walls ended in 1619.\n",
    "gauge.md": "# Rain gauge\n\nCalibrate the rain gauge in spring, with water from the well.\n",
    "mast.md": "# The mast\n\nDig a hole for the mast, and fill it with concrete.\n",
}
BACKUPS, CASTLE = "How is the nightly backup encrypted?", "Who designed the royal castle?"


@pytest.fixture(scope="module")
def world() -> Indexed:
    world = Indexed()
    for name, text in TEXTS.items():
        world.put(name, text)
    return world


def found(world: Indexed, before: str, question: str, threshold: float = THRESHOLD) -> SearchResults:
    alone = standalone(question, [Turn(Role.USER, before)])
    assert alone.follow_up is not None
    return world.search(alone.text, threshold=threshold, follow_up=alone.follow_up)


@pytest.mark.parametrize(
    ("before", "question", "name"),
    [
        (BACKUPS, "And on Windows?", "backups.md"),
        (BACKUPS, "Why?", "backups.md"),
        (CASTLE, "When was it built?", "castle.md"),
        (CASTLE, "When did they finish the walls?", "castle.md"),
        (CASTLE, "How long?", "castle.md"),
    ],
)
def test_a_follow_up_on_the_subject_finds_it(world: Indexed, before: str, question: str, name: str) -> None:
    assert found(world, before, question)[0].document.name == name


@pytest.mark.parametrize(
    ("before", "question"),
    [
        (BACKUPS, "And who won the world cup?"),
        (BACKUPS, "And sunscreen?"),
        (CASTLE, "And vegan food?"),
        (CASTLE, "Can I cook it in the microwave?"),
        (CASTLE, "Bitcoin wallet?"),
    ],
)
def test_a_foreign_follow_up_finds_nothing(world: Indexed, before: str, question: str) -> None:
    alone = standalone(question, [Turn(Role.USER, before)])
    results = found(world, before, question)

    assert world.search(alone.text, threshold=THRESHOLD), "The borrowed words alone would be enough."
    assert not results
    assert results.near_miss is not None
    assert all(passage.score < THRESHOLD for passage in results.near_miss.passages)


def test_without_a_threshold_doubted_passages_are_shown_with_low_scores(world: Indexed) -> None:
    results = found(world, BACKUPS, "And sunscreen?", threshold=0.0)

    assert results
    assert max(result.score for result in results) <= 0.1


def test_passages_with_its_own_words_come_first() -> None:
    world = Indexed()
    world.put("mutex.md", "Threads share state by a mutex.\n")
    world.put("channel.md", "Threads talk by a channel.\n")
    alone = standalone("And by a channel?", [Turn(Role.USER, "How do threads share state by a mutex?")])

    assert world.search(alone.text)[0].document.name == "mutex.md"
    assert world.search(alone.text, follow_up=alone.follow_up)[0].document.name == "channel.md"


def test_of_equal_passages_those_of_the_cited_document_come_first() -> None:
    world = Indexed()
    for place in ("north", "south"):
        world.put(f"{place}.md", f"# Mast\n\nThe mast in the {place} is painted every spring.\n")
    ids = {result.document.name: result.document.id for result in world.search("mast painted spring")}

    for name, id in ids.items():
        history = [Turn(Role.USER, "When is the mast painted?"), Turn(Role.ASSISTANT, "In spring.", (id,))]
        alone = standalone("Why?", history)
        results = world.search(alone.text, follow_up=alone.follow_up)

        assert results[0].document.name == name
        assert len(results) == len(ids), "The other one is not left out."
