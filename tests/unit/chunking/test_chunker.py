"""Where a chunker cuts, and what it says of each passage."""

from __future__ import annotations

from itertools import pairwise

import pytest

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.domain.chunk import Passage
from ragbase.domain.errors import ConfigurationError
from ragbase.domain.extraction import Extraction, Page
from ragbase.domain.metadata import DocumentMetadata

SENTENCE = "The wind fills the sail and the boat begins to move. "
PARAGRAPH = SENTENCE * 8


def split(text: str, size: int = 1000, overlap: int = 200) -> list[Passage]:
    return MarkdownChunker(size, overlap).split(Extraction(text))


@pytest.mark.parametrize("text", ["", " \n\t\r\n\u00a0"])
def test_a_blank_text_has_no_passages(text: str) -> None:
    assert split(text) == []


def test_a_short_document_is_one_passage() -> None:
    text = "# Boats\n\n## Sails\n\nThey catch the wind.\n\n## Oars\n\nThey do not."
    assert [passage.text for passage in split(text)] == [text]


def test_a_passage_begins_at_a_heading_rather_than_before_it() -> None:
    text = f"# Boats\n\n{PARAGRAPH}\n\n## Sails\n\n{PARAGRAPH}\n\n## Oars\n\n{PARAGRAPH}"
    passages = split(text, size=600)
    assert [passage.text.split("\n")[0] for passage in passages] == ["# Boats", "## Sails", "## Oars"]
    assert [passage.header_path for passage in passages] == [("Boats",), ("Boats", "Sails"), ("Boats", "Oars")]


def test_the_outermost_of_several_headings_begins_the_next_passage() -> None:
    text = (
        f"# A\n\n{SENTENCE * 6}\n\n# B\n\n{SENTENCE * 2}\n\n## B1\n\n{SENTENCE * 2}\n\n## B2\n\n{PARAGRAPH}{PARAGRAPH}"
    )
    assert split(text)[1].text.startswith("# B\n")


def test_a_heading_is_never_left_alone_above_its_text() -> None:
    text = f"# Boats\n\n{PARAGRAPH * 5}"
    first = split(text)[0]
    assert len(first.text) > 500


def test_running_text_overlaps_from_a_sentence() -> None:
    first, second, *_ = split(PARAGRAPH * 5)
    shared = first.char_end - second.char_start
    assert len(SENTENCE) < shared <= 200
    assert second.text.startswith("The wind")


def test_running_text_without_sentences_overlaps_from_a_word() -> None:
    first, second, *_ = split("alpha beta gamma delta " * 200)
    assert 150 < first.char_end - second.char_start <= 200
    assert second.text.split()[0] in {"alpha", "beta", "gamma", "delta"}


def test_text_without_blanks_is_cut_at_its_own_punctuation() -> None:
    passages = split("船在风中航行，然后转向。" * 200)
    assert all(passage.text.endswith("。") and passage.text.startswith("船") for passage in passages)


def test_nothing_overlaps_across_a_heading() -> None:
    first, second = split(f"# Boats\n\n{PARAGRAPH}\n\n# Ports\n\n{PARAGRAPH * 2}")[:2]
    assert second.text.startswith("# Ports")
    assert first.char_end <= second.char_start


def test_a_passage_after_a_heading_does_not_repeat_the_heading() -> None:
    long_sentence = "and so the boat went on " * 60
    second = split(f"# Boats\n\n{long_sentence}")[1]
    assert "# Boats" not in second.text
    assert second.header_path == ("Boats",)


def test_a_code_block_that_fits_is_kept_whole() -> None:
    code = "```python\n" + "sail = 1\n\n" * 60 + "```"
    passages = split(f"{PARAGRAPH}\n\n{code}\n\n{PARAGRAPH}")
    assert any(code in passage.text for passage in passages)


def test_a_code_block_that_does_not_fit_is_cut_between_lines_without_overlap() -> None:
    code = "```python\n" + "hoist(sail, 'main')\n" * 200 + "```"
    passages = split(f"# Code\n\n{code}")
    assert len(passages) > 3
    for before, after in pairwise(passages):
        assert before.char_end <= after.char_start
        assert after.text.startswith("hoist(")


def test_no_overlap_begins_inside_a_code_block() -> None:
    code = "```\n" + "hoist(sail)\n" * 70 + "```"
    passages = split(f"{code}\n\n{PARAGRAPH * 3}")
    after_code = next(passage for passage in passages if passage.text.startswith("The wind"))
    assert "hoist" not in after_code.text


def test_a_table_is_cut_between_rows() -> None:
    table = "| boat | length |\n|---|---|\n" + "| sloop. No. 5 | 7 m |\n" * 120
    for passage in split(table, overlap=0):
        assert passage.text.startswith("|")
        assert passage.text.endswith("|")


def test_a_list_is_cut_between_items() -> None:
    items = "- a sail of canvas. It is white,\n  with a red stripe\n" * 60
    assert all(passage.text.startswith("- ") for passage in split(items, overlap=0))


def test_graphemes_stay_whole() -> None:
    family = "👩‍👩‍👧"
    for passage in split(family * 100, size=32, overlap=0):
        assert passage.text.replace(family, "") == ""


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("# Boats", "Boats"),
        ("#\tBoats  ", "Boats"),
        ("  ## Boats ##  ", "Boats"),
        ("# Boats\r", "Boats"),
        ("# C#", "C#"),
        ("# Boats {#boats}", "Boats"),
        ("# [Boats](http://boats.example/a_b)", "Boats"),
        ("# The `Vec<T>` **type** and _its_ __init__ of snake_case", "The Vec<T> type and its init of snake_case"),
        ("# `__init__`", "__init__"),
        ("# [`Vec`](v.html) in <em>Rust</em> <!-- ignore -->", "Vec in Rust"),
        (r"# 2 \* 3 \_x", "2 * 3 _x"),
        ("# ![logo](logo.png) Boats", "logo Boats"),
        ("Boats\n=====", "Boats"),
        ("Boats\r\n-----\r", "Boats"),
    ],
)
def test_a_heading_gives_its_words_to_the_header_path(line: str, title: str) -> None:
    (passage,) = split(f"{line}\n\nThey sail.")
    assert passage.header_path == (title,)


@pytest.mark.parametrize(
    "text",
    [
        "#Boats\n\nThey sail.",
        "####### Boats\n\nThey sail.",
        "    # Boats\n\nThey sail.",
        "```\n# Boats\n```\n\nThey sail.",
        "~~~\n```\n# Boats\n~~~\n\nThey sail.",
        "- a list\n\n    ```sh\n    # a comment\n# another\n    ```\n\nThey sail.",
        "```\n# never closed",
        "---\ntitle: Boats\n---\n\nThey sail.",
        "- item\n---\n\nThey sail.",
        "| a |\n---\n\nThey sail.",
        "A paragraph of\ntwo lines\n---\n\nThey sail.",
        "#\n\nThey sail.",
    ],
)
def test_what_only_looks_like_a_heading_is_none(text: str) -> None:
    tail = " and on, and on" * 100
    assert {passage.header_path for passage in split(text + tail)} == {()}


def test_inline_code_in_three_backticks_opens_no_fence() -> None:
    assert split("```x``` is code\n\n# Boats\n\nThey sail.")[-1].header_path == ()
    assert split(f"```x``` is code.\n\n{PARAGRAPH}\n\n# Boats\n\n{PARAGRAPH * 2}")[-1].header_path == ("Boats",)


def test_the_header_path_follows_the_levels() -> None:
    headings = ["# A", "### A3", "## A2", "# B", "### B3"]
    passages = split("\n\n".join(f"{heading}\n\n{PARAGRAPH}" for heading in headings), size=500, overlap=0)
    assert [passage.header_path for passage in passages] == [("A",), ("A", "A3"), ("A", "A2"), ("B",), ("B", "B3")]


def test_headings_that_begin_a_passage_together_all_belong_to_it() -> None:
    assert split("# Boats\n\n## Sails\n\nThey catch the wind.")[0].header_path == ("Boats", "Sails")
    assert split("# Boats\n\nOf all kinds.\n\n## Sails\n\nThey catch the wind.")[0].header_path == ("Boats",)


def test_a_passage_is_on_the_page_on_which_it_starts() -> None:
    pages = ["first " * 150, "", "third " * 150]
    text = "\n\n".join(pages)
    third = len(pages[0]) + 4
    extraction = Extraction(text, (Page(1, 0, len(pages[0])), Page(2, third - 2, third - 2), Page(3, third, len(text))))
    for passage in MarkdownChunker(200, 40).split(extraction):
        assert passage.page == (1 if passage.char_start < third - 2 else 3)


def test_the_fingerprint_distinguishes_settings() -> None:
    assert (
        len({MarkdownChunker().fingerprint, MarkdownChunker(500).fingerprint, MarkdownChunker(1000, 100).fingerprint})
        == 3
    )


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (100, 51), (100, -1)])
def test_impossible_settings_are_refused(size: int, overlap: int) -> None:
    with pytest.raises(ConfigurationError, match="overlap between 0 and half the size"):
        MarkdownChunker(size, overlap)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "word " * 100_000,
        "#" * 300_000,
        ">" * 300_000,
        "-" * 300_000 + "x",
        "a" * 300_000,
        "中" * 300_000,
        "\u0301" * 100_000,
        "\n" * 300_000,
        "# " + "[" * 300_000,
        "# " + "`" * 300_000 + "x",
        "# " + "<a " * 100_000,
        "---\n" + "a: b\n" * 60_000,
        "```\n" * 60_000,
        "|a|b|\n" * 60_000,
        "a\n-\n\n" * 40_000,
        "| " + " " * 300_000 + "x |",
        "|" * 300_000,
        "| a  " * 60_000,
        "|----" * 60_000 + "x",
        "- | --- | " * 60_000,
        ":::a\n" * 60_000,
        "".join(":" * colons + "a\n" for colons in range(700, 2, -1)),
        "$$\na\n" * 60_000,
        "<div>\n" * 60_000,
        "<a " * 100_000 + "\n<b\n" * 60_000,
        "{/*\n" * 60_000 + "<?\n" * 60_000 + "<!a\n" * 60_000,
        "[a]: b\n" * 60_000 + "x",
        "[a" * 100_000,
        "</a> " * 60_000 + "x",
        "# a\r" * 60_000,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_hostile_texts_take_linear_time(text: str) -> None:
    """Each ran for minutes, or without end, under some splitter or pattern that was tried here."""
    read = sum(letter.isalnum() for passage in split(text) for letter in passage.text)
    assert read >= sum(letter.isalnum() for letter in text.replace("</a>", "")) * 0.9


def test_the_title_of_the_document_stands_above_headings_of_lower_levels() -> None:
    metadata = DocumentMetadata.of(title="Boats")
    first, second = MarkdownChunker(20, 0).split(Extraction("They all sail.\n\n## Sails\n\nWhite.", metadata=metadata))
    assert (first.header_path, second.header_path) == (("Boats",), ("Boats", "Sails"))
    (alone,) = MarkdownChunker().split(Extraction("# Ships\n\nThey sail.", metadata=metadata))
    assert alone.header_path == ("Ships",)


def test_no_passage_goes_over_the_end_of_an_entry() -> None:
    text = "one\n\ntwo\n\n" + "long " * 60 + "\n\nend"
    entries = (text.index("two"), text.index("long"), text.index("end"))
    passages = MarkdownChunker(100, 20).split(Extraction(text, entries=entries))
    assert [passage.text for passage in (passages[0], passages[1], passages[-1])] == ["one", "two", "end"]
    assert all(not set(entries) & set(range(one.char_start + 1, one.char_end)) for one in passages)
