"""The text around a passage is the document's own, as far as search shows it, within its tokens."""

from __future__ import annotations

from random import Random

import pytest

from ragbase.chunking.tokens import TOKENS
from ragbase.domain.context import Expand, Expansion
from ragbase.domain.identity import document_id
from ragbase.domain.search_filter import SearchFilter
from ragbase.retrieval.expand import with_contexts
from ragbase.retrieval.retriever import Retriever
from ragbase.retrieval.search_result import SearchResult
from tests.unit.retrieval.indexed import Indexed


def section(name: str, sentences: int) -> str:
    lines = (
        f"The {name} gauge number {number} shows the pressure of pipe {number * 7}." for number in range(sentences)
    )
    return f"## {name}\n\n" + "\n\n\n".join(lines) + "\n"


GUIDE = "\n\n# Guide\n\n" + "\n\n".join(section(name, 12) for name in ("Boilers", "Turbines", "Valves")) + "\n\n\n"
NAME = "guide.md"


@pytest.fixture
def world() -> Indexed:
    world = Indexed()
    world.put(NAME, GUIDE)
    world.put("other.md", "# Other\n\nNothing of this is about machines.\n")
    return world


def expanded(world: Indexed, query: str, expand: Expand, tokens: int = 2_000, top_k: int = 1) -> list[SearchResult]:
    return with_contexts(world.search(query, top_k), Expansion(expand, tokens), chunks_of=lambda _: world.chunks)


QUERY = "turbines gauge number 5 pressure of pipe 35"


@pytest.mark.parametrize("expand", Expand)
@pytest.mark.parametrize("tokens", [1, 20, 60, 100, 300, 5_000])
def test_a_context_is_the_documents_text_with_the_passage_in_it(world: Indexed, expand: Expand, tokens: int) -> None:
    (result,) = expanded(world, QUERY, expand, tokens)
    context = result.context
    assert context is not None
    assert context.text == GUIDE[context.char_start : context.char_end]
    assert TOKENS.count(context.text) <= tokens
    if TOKENS.count(result.chunk.text) <= tokens:
        assert context.char_start <= result.chunk.char_start < result.chunk.char_end <= context.char_end
    else:
        assert (context.char_start, context.truncated) == (result.chunk.char_start, True)


@pytest.mark.slow
def test_two_pieces_of_odd_text_have_no_token_more_together() -> None:
    chosen = Random(2)
    signs = ("größe", "🚀", "日本語", "  ", "foo_bar", "1234567", "naïve", "ไทย", " ", ".", "ab", "x")
    world = Indexed(size=100, overlap=0)
    world.put("odd.md", "# Odd\n\n" + "".join(chosen.choices(signs, k=500)))
    for found in world.search("größe foo_bar 1234567", 8):
        for tokens in range(1, 260):
            (one,) = with_contexts([found], Expansion(Expand.SECTION, tokens), chunks_of=lambda _: world.chunks)
            assert one.context is not None
            assert TOKENS.count(one.context.text) <= tokens


def test_a_section_ends_where_the_next_one_begins(world: Indexed) -> None:
    (result,) = expanded(world, QUERY, Expand.SECTION)
    context = result.context
    assert context is not None
    assert result.chunk.header_path == ("Guide", "Turbines")
    assert "Turbines gauge number 0 " in context.text
    assert "Turbines gauge number 11 " in context.text
    assert not {"Boilers", "Valves"} & set(context.text.split())
    assert not context.truncated


def test_a_document_is_whole_if_it_fits(world: Indexed) -> None:
    (result,) = expanded(world, QUERY, Expand.DOCUMENT, 5_000)
    context = result.context
    assert context is not None
    assert (context.text, context.char_start, context.truncated) == (GUIDE.rstrip("\n"), 0, False)


def test_a_document_that_does_not_fit_is_cut_around_the_passage(world: Indexed) -> None:
    (result,) = expanded(world, QUERY, Expand.DOCUMENT, 400)
    context = result.context
    assert context is not None
    assert context.truncated
    assert context.char_start < result.chunk.char_start
    assert context.char_end > result.chunk.char_end
    assert TOKENS.count(context.text) > 350


def test_the_passage_and_its_place_stay_as_they_are(world: Indexed) -> None:
    (plain,) = world.search(QUERY, 1)
    (result,) = expanded(world, QUERY, Expand.SECTION)
    assert (result.chunk, result.score, result.rank) == (plain.chunk, plain.score, plain.rank)
    (passage,) = expanded(world, QUERY, Expand.PASSAGE)
    assert passage.context is not None
    assert (passage.context.text, passage.context.truncated) == (plain.chunk.text, False)


def test_a_context_that_two_results_share_comes_once(world: Indexed) -> None:
    results = expanded(world, "turbines gauge pressure", Expand.SECTION, top_k=4)
    inside = [one for one in results if one.chunk.header_path == ("Guide", "Turbines")]
    assert len(inside) > 1
    assert [one.context is not None for one in inside] == [True] + [False] * (len(inside) - 1)
    assert {one.context_of for one in inside[1:]} == {inside[0].rank}


def test_a_document_without_pages_gives_its_section(world: Indexed) -> None:
    (page,) = expanded(world, QUERY, Expand.PAGE)
    (own,) = expanded(world, QUERY, Expand.SECTION)
    assert page.context == own.context


def test_a_document_that_search_shows_no_more_gives_nothing(world: Indexed) -> None:
    found = world.search(QUERY, 1)
    expansion = Expansion(Expand.DOCUMENT, 100)
    refused = SearchFilter(document_ids=frozenset({document_id("bucket", "other.md")}))
    (one,) = with_contexts(found, expansion, chunks_of=lambda _: world.chunks, within=refused)
    assert one.context is None
    world.put(NAME, GUIDE + "More.\n")
    (one,) = with_contexts(found, expansion, chunks_of=lambda _: world.chunks)
    assert one.context is None
    world.delete(NAME)
    (one,) = with_contexts(found, expansion, chunks_of=lambda _: world.chunks)
    assert one.context is None


def test_a_long_document_costs_what_the_tokens_cost(world: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    world.put("long.md", "# Long\n\n" + "\n\n".join(section(f"Part {number}", 20) for number in range(60)))
    (found,) = world.search("Part 30 gauge number 5 pressure of pipe 35", 1)
    read: list[int] = []
    plain = world.vectors.chunks

    def counted(id: str, generation: int, *, first: int, limit: int) -> object:
        chunks = plain(id, generation, first=first, limit=limit)
        read.append(len(chunks))
        return chunks

    monkeypatch.setattr(world.vectors, "chunks", counted)
    (one,) = with_contexts([found], Expansion(Expand.DOCUMENT, 300), chunks_of=lambda _: world.chunks)
    assert one.context is not None
    assert one.context.truncated
    assert sum(read) < 50


def test_a_retriever_gives_contexts(world: Indexed) -> None:
    retriever = Retriever(world.embedder, world.chunks)
    (plain,) = retriever.search(QUERY, 1)
    assert plain.context is None
    (result,) = retriever.search(QUERY, 1, expand="section", expand_tokens=400)
    assert result.context is not None
    assert result.chunk == plain.chunk
    assert plain.chunk.content in result.context.text
    for wrong in ({"expand": "chapter"}, {"expand_tokens": 5}, {"expand": "page", "expand_tokens": 0}):
        with pytest.raises(ValueError, match="expand"):
            retriever.search(QUERY, 1, **wrong)
