"""What a chunker promises of every Markdown text, whatever the sizes."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.domain.extraction import Extraction
from ragbase.domain.padding import without_padding
from tests.unit.chunking.documents import Written, documents, says_nothing

SENTENCE = "The wind fills the sail and the boat begins to move. "

fragments = st.one_of(
    st.text(max_size=60),
    st.text(st.characters(categories=["L", "M", "Zs"]), max_size=200),
    st.sampled_from(
        [
            "\n",
            "\n\n",
            "\n" * 50,
            "\r\n",
            "\r\n\r\n",
            "\n# One\n\n",
            "\n## Two ##\n",
            "\n###### Six {#six}\n",
            "\n#\n",
            "\nUnder\n=====\n",
            "\nLine\n---\n",
            "\n---\n",
            "\n* * *\n",
            "\n```\n",
            "\n````python\n# no heading\n",
            "\n~~~\n",
            "\n> ```\n> x\n",
            "\n| a | b |\n|---|---|\n| 1 | 2 |\n",
            "\na | b\n--|--\n",
            "| 1 | 2 |\n",
            "\n| a           | b                    |\n|-------------|:---------------------|\n",
            "| 1           |                    2 |\n",
            "\r\r# One\r\r",
            "\n[boats]: ../boats.md 'All boats'\n",
            "\n</Note>\n\n</Step>\n",
            "\n<div>\n# One\n",
            "\n:::tip\n",
            "\n:::\n",
            "\n$$\n",
            "\n- item\n  - nested\n1. one\n",
            "\n- ```\n  x\n",
            "\n    more\n",
            "\n> quoted\n> - item\n",
            "\n<!--\n",
            "\n-->\n",
            "\n<pre>\n",
            "e\u0301\u0301",
            "👩‍👩‍👧",
            "中文没有空格，但是有标点。",
            "x" * 70,
            SENTENCE,
        ]
    ),
)
markdown = st.one_of(st.lists(fragments, max_size=40).map("".join), documents().map(lambda document: document.text))
chunkers = st.builds(
    lambda size, share: MarkdownChunker(size, int(size * share)),
    st.integers(1, 300),
    st.floats(0, 0.5, allow_nan=False),
)


@given(markdown, chunkers)
def test_every_passage_is_an_exact_trimmed_piece_of_the_text_and_fits(text: str, chunker: MarkdownChunker) -> None:
    for passage in chunker.split(Extraction(text)):
        assert passage.text == text[passage.char_start : passage.char_end]
        assert passage.text == passage.text.strip()
        assert 0 < len(without_padding(passage.text.replace("\r", "\n"))) <= chunker.size


@given(markdown, chunkers)
def test_passages_advance_and_leave_nothing_out(text: str, chunker: MarkdownChunker) -> None:
    covered, last_start = 0, -1
    for passage in chunker.split(Extraction(text)):
        assert passage.char_start > last_start
        assert passage.char_end > covered
        assert says_nothing(text[covered : passage.char_start])
        covered, last_start = passage.char_end, passage.char_start
    assert says_nothing(text[covered:])


@pytest.mark.slow
@example("[00000]:/0", MarkdownChunker(9, 0), [0.95])
@given(markdown, chunkers, st.lists(st.floats(0, 1, exclude_min=True, exclude_max=True), max_size=8))
def test_no_passage_goes_over_the_end_of_an_entry_wherever_it_is(
    text: str, chunker: MarkdownChunker, places: list[float]
) -> None:
    entries = tuple(sorted({int(place * len(text)) for place in places} - {0}))
    covered = 0
    for passage in chunker.split(Extraction(text, entries=entries)):
        assert passage.text == text[passage.char_start : passage.char_end]
        assert len(without_padding(passage.text.replace("\r", "\n"))) <= chunker.size
        assert not any(passage.char_start < entry < passage.char_end for entry in entries)
        assert says_nothing(text[covered : passage.char_start])
        covered = passage.char_end
    assert says_nothing(text[covered:])


@given(markdown, chunkers)
def test_consecutive_passages_share_at_most_the_overlap(text: str, chunker: MarkdownChunker) -> None:
    passages = chunker.split(Extraction(text))
    for before, after in pairwise(passages):
        shared = text[after.char_start : before.char_end]
        assert len(without_padding(shared)) <= chunker.overlap


@given(markdown, chunkers)
def test_the_same_text_is_always_cut_the_same_way(text: str, chunker: MarkdownChunker) -> None:
    assert chunker.split(Extraction(text)) == MarkdownChunker(chunker.size, chunker.overlap).split(Extraction(text))


@pytest.mark.slow
@given(documents(), chunkers)
def test_no_passage_goes_on_into_the_next_section_of_its_level(document: Written, chunker: MarkdownChunker) -> None:
    for passage in chunker.split(Extraction(document.text)):
        assert passage.char_end <= document.section_end(passage.char_start)


@given(documents(), chunkers)
def test_fences_tables_and_items_that_fit_stay_whole(document: Written, chunker: MarkdownChunker) -> None:
    passages = chunker.split(Extraction(document.text))
    for start, end in document.blocks:
        if end - start <= chunker.size:
            whole = any(passage.char_start <= start and end <= passage.char_end for passage in passages)
            assert whole or says_nothing(document.text[start:end])
            for passage in passages:
                assert not start < passage.char_start < end
                assert not start < passage.char_end < end


@given(documents(), chunkers)
def test_every_piece_of_a_cut_table_has_the_header_row(document: Written, chunker: MarkdownChunker) -> None:
    for passage in chunker.split(Extraction(document.text)):
        inside = [header for start, end, header in document.tables if start < passage.char_start < end]
        assert passage.table_header == (inside[0] if inside else "")
