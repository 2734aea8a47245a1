"""The evidence for a question: joined, each text once, within its budget, and the document's own text."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ragbase.chunking.tokens import TOKENS
from ragbase.domain.evidence import EvidencePassage
from ragbase.retrieval.context import EvidenceLimits, evidence_of
from tests.unit.retrieval.indexed import Indexed

LARGE = EvidenceLimits(10_000)
LONG = " ".join(f"Sentence {number} of the long text speaks of topic{number} alone." for number in range(40))


def evidence(world: Indexed, query: str, limits: EvidenceLimits = LARGE, top_k: int = 5) -> tuple[EvidencePassage, ...]:
    return evidence_of(world.search(query, top_k), chunks_of=lambda _: world.chunks, limits=limits)


def is_own_text(world: Indexed, passage: EvidencePassage) -> bool:
    return passage.text == world.texts[passage.document.name][passage.char_start : passage.char_end]


def test_a_hit_is_joined_with_its_neighbours_and_what_they_share_comes_once() -> None:
    world = Indexed()
    world.put("long.md", LONG)
    (passage,) = evidence(world, "topic20", top_k=1)
    assert len(passage.chunks) == 3
    assert "topic20" in passage.text
    assert passage.text.count("topic20") == 1
    assert is_own_text(world, passage)


def test_hits_that_touch_are_one_passage_with_the_better_rank() -> None:
    world = Indexed()
    world.put("long.md", LONG)
    world.put("other.md", "Sentence of another text speaks of topic20 and topic24, too.")
    first, *others = evidence(world, "topic20 topic24", top_k=5)
    places = [(one.document.name, one.char_start, one.char_end) for one in (first, *others)]
    assert len(places) == len(set(places))
    joined = [one for one in (first, *others) if one.document.name == "long.md"]
    spans = sorted((one.char_start, one.char_end) for one in joined)
    assert all(end < start for (_, end), (start, _) in pairwise(spans))
    assert [one.id for one in (first, *others)] == [str(number) for number in range(1, len(others) + 2)]


def test_a_section_is_not_joined_with_the_next_one() -> None:
    world = Indexed()
    world.put("guide.md", f"# One\n\n{LONG[:280]}\n\n# Two\n\nThe red pump is blue inside.")
    (passage,) = evidence(world, "red pump", top_k=1)
    assert {chunk.header_path for chunk in passage.chunks} == {("Two",)}


def test_a_text_of_several_documents_comes_once() -> None:
    world = Indexed()
    world.put("one.md", LONG)
    world.put("two.md", LONG)
    found = evidence(world, "topic20", top_k=10)
    texts = [chunk.text for passage in found for chunk in passage.chunks]
    assert len(texts) == len(set(texts))


def test_the_budget_holds_hits_before_neighbours() -> None:
    world = Indexed()
    for number in range(6):
        world.put(f"{number}.md", LONG.replace("Sentence", f"Phrase{number}"))
    for tokens in (120, 200, 400, 800):
        found = evidence(world, "topic20", EvidenceLimits(tokens), top_k=6)
        assert sum(TOKENS.count(passage.text) for passage in found) <= tokens * 1.05  # a joint may cost a token more
        assert found
    few, many = (evidence(world, "topic20", EvidenceLimits(tokens), top_k=6) for tokens in (400, 5_000))
    assert len(few) > 1
    assert sum(len(one.chunks) for one in few) < sum(len(one.chunks) for one in many)


def test_the_best_hit_is_there_however_long_it_is() -> None:
    world = Indexed()
    world.put("long.md", LONG)
    (passage,) = evidence(world, "topic20", EvidenceLimits(1))
    assert len(passage.chunks) == 1


def test_a_document_can_have_only_so_many_hits() -> None:
    world = Indexed()
    world.put("long.md", "\n\n".join(f"# Part {number}\n\nThe pump {number} is red." for number in range(8)))
    world.put("other.md", "A pump that is green, for a change.")
    query = "red pump"
    assert len({one.document.name for one in evidence(world, query, top_k=5)}) == 1
    spread = evidence_of(
        world.search(query, top_k=9), chunks_of=lambda _: world.chunks, limits=EvidenceLimits(10_000, 2)
    )
    assert sorted(one.document.name for one in spread) == ["long.md", "long.md", "other.md"]


def test_no_results_are_no_evidence() -> None:
    assert evidence(Indexed(), "anything") == ()


def test_a_document_that_was_replaced_meanwhile_gives_its_hit_alone() -> None:
    world = Indexed()
    world.put("long.md", LONG)
    results = world.search("topic20", top_k=1)
    world.put("long.md", LONG.replace("topic20", "something else"))
    (passage,) = evidence_of(results, chunks_of=lambda _: world.chunks, limits=LARGE)
    assert [chunk.id for chunk in passage.chunks] == [results[0].chunk.id]


def test_an_index_that_goes_meanwhile_leaves_the_hit_alone() -> None:
    world = Indexed()
    world.put("long.md", LONG)
    results = world.search("topic20", top_k=1)
    world.vectors.drop()
    (passage,) = evidence_of(results, chunks_of=lambda _: world.chunks, limits=LARGE)
    assert passage.chunks == (results[0].chunk,)


PIECES = st.sampled_from(
    ["The red pump is old. ", "Green valves leak!\n", "\n\n", "# Part\n\n", "- an item\n", "| a | b |\n", "word " * 30]
)


@given(st.lists(PIECES, min_size=1, max_size=40), st.integers(60, 300), st.integers(0, 30), st.integers(50, 2_000))
def test_evidence_is_the_text_of_its_document(pieces: list[str], size: int, overlap: int, tokens: int) -> None:
    """What is between two chunks that share nothing, blanks or rules, is line breaks, as in the text that the HTTP API
    gives."""
    world = Indexed(size, overlap)
    world.put("a.md", "".join(pieces) + "the end")
    for passage in evidence(world, "red pump part item", EvidenceLimits(tokens)):
        own = world.texts["a.md"][passage.char_start : passage.char_end]
        assert len(passage.text) == len(own)
        assert all(
            one == two or (one == "\n" and not two.isalnum()) for one, two in zip(passage.text, own, strict=True)
        )
        assert {(chunk.page, chunk.row, chunk.generation) for chunk in passage.chunks} == {(None, None, 1)}
