"""No file costs a time or a text that grows with the square of its bytes."""

from __future__ import annotations

import json
from functools import partial

import pytest

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.extraction import Extraction
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.limits import READ_HERE
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.extractor import FormatExtractor
from ragbase.formats.html.parser_limits import MAX_ATTRIBUTES, MAX_FRAMES, MAX_OPTIONS, within_limits
from ragbase.formats.html.tokenizer import attributes_of, tokens
from ragbase.formats.markdown_text import MarkdownText
from ragbase.formats.office.markdown import table_of
from ragbase.formats.readers import READERS
from tests.unit.formats.limited import limited

pytestmark = pytest.mark.slow

PAGE = "<!doctype html><html><body><main><h1>Sail</h1><p>Wind fills the sail of a boat.</p>"
NAMES = [f"a{number}" for number in range(60_000)]


def read_here(text: str, format: str) -> Extraction:
    """In this process, however long it is."""
    return READERS[format].extract(text.encode(), ExtractionLimits(), ProcessingConfig())


@pytest.mark.parametrize("tag", ["p", "/p", "b", "svg", "body", "html", "x-y"])
def test_a_tag_keeps_its_first_attributes(tag: str) -> None:
    source, notes = within_limits(f"{PAGE}<{tag} {' '.join(NAMES)}>text</p>")
    names = max((attributes_of(one[0], 1 + len(one["tag"])) for one in tokens(source) if one["tag"]), key=len)
    assert list(names) == NAMES[:MAX_ATTRIBUTES]
    assert "more than 500 attributes" in notes[0]
    assert source.endswith(">text</p>")


@pytest.mark.parametrize(
    "hidden",
    [
        'x=">" ' + " ".join(NAMES),
        " ".join(f'{name}=">"' for name in NAMES[:9_000]),
        " ".join(f"<{name}" for name in NAMES),
        "/".join(NAMES),
    ],
)
def test_attributes_count_however_they_are_written(hidden: str) -> None:
    for before in ("", "<!-- <a b=' -->", "<script>if (a <b c='d</script>"):
        source, notes = within_limits(f"{PAGE}{before}<p {hidden}>text</p>")
        assert notes
        assert max(len(attributes_of(one[0], 2)) for one in tokens(source) if one["tag"] == "p") == MAX_ATTRIBUTES


def test_the_attributes_of_all_frames_are_those_of_one_element() -> None:
    source, _ = within_limits(PAGE + "".join(f"<body {name}>w " for name in NAMES))
    assert source.count("<body") == MAX_FRAMES - 1  # and <html>
    assert source.count("w ") == len(NAMES)


def test_the_options_of_a_long_menu_are_its_text() -> None:
    source, _ = within_limits(PAGE + "<select>" + "<option>a" * 20_000 + "</select>")
    assert (source.count("<option"), source.count("\na")) == (MAX_OPTIONS, 20_000 - MAX_OPTIONS)


@pytest.mark.parametrize(
    "part",
    [f"<p {' '.join(NAMES[:400])}>text</p>", "<p title='" + "a " * 9_000 + "'>text</p>", "<option>a" * 400],
)
def test_other_pages_are_read_as_they_are(part: str) -> None:
    page = f"{PAGE}<!-- {' '.join(NAMES)} -->{part}<p><!-- a --><script>{' '.join(NAMES)}</script>"
    assert within_limits(page) == (page, ())


@pytest.mark.parametrize(
    "hostile",
    [
        f"<p {' '.join(NAMES)}>",
        "".join(f"<body {name}>" for name in NAMES[:20_000]),
        "<select>" + "<option>a" * 20_000,
        "<a" * 75_000,
        f"<div>{'<i></i>' * 10_000}</div>{'<p hidden>a</p>' * 5_000}",
        f"{'<button aria-controls=p>a</button>' * 4_000}<div id=p>{'<a>b</a>c ' * 12_500}</div>",
        f"<h2>{'a<button>b</button>' * 15_000}</h2>",
        "<style>a{opacity:" + "0" * 150_000 + "</style>",
        "<style>a{opacity:0;" + "transition" * 15_000 + "}</style>",
        "<style>display:none" + "@media screen{a{b:c}" * 7_500 + "</style>",
    ],
    ids=["attributes", "frames", "options", "names", "hidden", "panel", "heading", "blanks", "moving", "rules"],
)
def test_a_page_takes_no_time_that_grows_with_its_square(hostile: str) -> None:
    page = PAGE + hostile + "<p>The end.</p>"
    assert "Wind fills the sail" in limited(lambda: read_here(page, "html").markdown)


@pytest.mark.parametrize("hostile", [f"<p {' '.join(NAMES)}>", "<div>" * 50_000], ids=["attributes", "nested"])
def test_a_page_within_a_text_has_the_same_limits(hostile: str) -> None:
    frames = f"<html><frameset><noframes>{hostile}Wind fills the sail.</noframes></frameset></html>"
    output = {"output_type": "display_data", "data": {"text/html": f"{hostile}Wind fills the sail."}}
    cells = [{"cell_type": "code", "source": "sail()", "metadata": {}, "outputs": [output]}]
    notebook = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})
    for text, format in ((frames, "html"), (notebook, "ipynb")):
        assert "Wind fills the sail." in limited(partial(read_here, text, format)).markdown


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("<tr>" + "<td colspan=1000>word" * 10_000, 10_000),
        ("<tr><td colspan=1000 rowspan=1000>word" * 5_000, 5_000),
        ("<tr>" + "<td rowspan=1000>word" * 5_000 + "<tr><td>word" * 5_000, 10_000),
        ("<tr>" + "<th>word" * 5_000 + "<tr><td>word<td>word" * 5_000, 15_000),
        ("<tr>" + "<td>word" * 10_000 + "<tr><td>word" * 10_000, 20_000),
    ],
    ids=["columns", "both", "rows", "header", "ragged"],
)
def test_a_table_becomes_a_text_of_its_size(table: str, words: int) -> None:
    extraction = read_here(f"{PAGE}<table>{table}</table>", "html")
    assert extraction.markdown.count("word") == words
    assert len(extraction.markdown) < 250_000
    assert len(MarkdownChunker().split(extraction)) < 300
    assert "many more places than cells" in extraction.notes[0]


def test_many_tables_share_one_limit() -> None:
    table = "<table>" + "<tr><td colspan=900>word" * 50 + "</table>"
    assert len(read_here(PAGE + table * 100, "html").markdown) < 400_000


def test_a_large_table_keeps_its_places() -> None:
    rows = "".join(f"<tr><th colspan=40>Year {year}</tr><tr>{'<td>1' * 40}</tr>" for year in range(400))
    extraction = read_here(
        f"{PAGE}<table>{rows}<tr><td rowspan=2>a{'<td>b' * 39}</tr><tr>{'<td>c' * 39}</table>", "html"
    )
    assert extraction.notes == ()
    assert "| Year 1 | | | " in extraction.markdown


def test_rows_of_a_ragged_table_have_their_own_length() -> None:
    rows = [["a"] * 5_000, *[["b"]] * 5_000]
    out = MarkdownText(10**9)
    out.table(rows, has_header=True)
    for text in (out.extraction().markdown, table_of(rows)):
        assert len(text) < 100_000
        assert text.count("b") == 5_000


@pytest.mark.parametrize("deep", ["<blockquote>", "<ul><li>", "<ol><li><ul><li>"])
@pytest.mark.parametrize("line", ["<p>word", "<p>word</p>"])
def test_lists_in_lists_do_not_multiply(deep: str, line: str) -> None:
    page = f"{PAGE}<script>'<ul>'</script>{deep * 200}{line * 20_000}"
    extraction = read_here(page, "html")
    assert extraction.markdown.count("word") == 20_000
    assert len(extraction.markdown) < 200_000
    assert "Lists more than 50 levels deep: read as plain text" in extraction.notes[0]


def test_lists_of_a_page_that_are_not_deep() -> None:
    page = f"{PAGE}<!-- {'<ul>' * 60} --><script>{'<ul>' * 60}</script>{'<ul><li>word</ul>' * 100}{'<ul><li>a' * 20}"
    extraction = read_here(page, "html")
    assert extraction.notes == ()
    assert extraction.markdown.count("- word") == 100


def test_a_number_that_is_no_character() -> None:
    page = PAGE + "<div>" * 2_000 + "before &#" + "9" * 5_000 + "; after"
    assert "before \ufffd after" in read_here(page, "html").markdown


def test_strings_of_a_man_page_that_grow() -> None:
    strings = "".join(f".ds a{number} \\*[a{number - 1}]\\*[a{number - 1}]\n" for number in range(1, 200))
    page = f".TH SAIL 1\n.SH NAME\nsail \\- wind\n.ds a0 xxxxxxxxxx\n{strings}\\*[a3] and \\*[a199]\n"
    text = read_here(page, "man").markdown
    assert "x" * 80 in text
    assert len(text) < 500


def test_a_long_substitution_stands_once() -> None:
    page = f".. |a| replace:: {'wind ' * 20_000}\n\n.. |b| replace:: sail\n\n{'|a| |b| ' * 10_000}\n"
    text = read_here(page, "rst").markdown
    assert (text.count("wind"), text.count("sail"), text.count("|a|")) == (20_000, 10_000, 9_999)


def test_a_line_of_many_macros() -> None:
    page = ".Dd 1\n.Dt SAIL 1\n.Sh NAME\n.Fl " + "word Fl " * 30_000 + "\n"
    assert limited(lambda: read_here(page, "man").markdown.count("-word")) == 30_000


@pytest.mark.parametrize("size", [READ_HERE - 50_000, READ_HERE + 1])
def test_a_text_above_a_size_has_a_limit_of_time(size: int) -> None:
    page = (PAGE + "<p>Wind</p>" * (size // 11)).encode()[:size]
    extractor = FormatExtractor(ExtractionLimits(timeout_seconds=0.001))
    if size <= READ_HERE:
        assert extractor.extract(page, "html", ProcessingConfig()).markdown
        return
    with pytest.raises(PermanentError, match="the setting extract_timeout; at most 60") as caught:
        extractor.extract(page, "html", ProcessingConfig())
    assert caught.value.code is ErrorCode.TIMEOUT


def test_a_small_text_has_less_time_than_an_attempt() -> None:
    limits = ExtractionLimits(timeout_seconds=300)
    assert (limits.for_text(READ_HERE).timeout_seconds, limits.for_text(50_000_000).timeout_seconds) == (60, 300)
    assert ExtractionLimits(timeout_seconds=20).for_text(READ_HERE).timeout_seconds == 20


@pytest.mark.parametrize("size", [100_000, READ_HERE + 1])
def test_a_text_may_grow_so_far_and_no_further(size: int) -> None:
    page = f"= Sail\n:a: {'b ' * 499}\n\n" + "{a}" * (size // 3)
    with pytest.raises(PermanentError, match="64 for each byte of the file") as caught:
        FormatExtractor().extract(page.encode(), "adoc", ProcessingConfig())
    assert caught.value.code is ErrorCode.FILE_TOO_LARGE
    assert len(read_here(page[:5_000], "adoc").markdown) > 600_000


def test_a_page_of_entities_grows_no_further() -> None:
    page = f"<!DOCTYPE html [<!ENTITY a '{'a' * 199}'>]><html xmlns='http://www.w3.org/1999/xhtml'><p/>{'&a;' * 80_000}"
    with pytest.raises(PermanentError, match="64 for each byte of the file"):
        FormatExtractor().extract(f"{page}</html>".encode(), "html", ProcessingConfig())


def test_a_text_of_too_many_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragbase.chunking.chunker.MAX_CHUNKS", 100)
    assert len(MarkdownChunker().split(Extraction("# a\n\nb\n\n" * 100))) == 100
    for text in ("# a\n\nb\n\n" * 101, "# a\n\n---\n\n" * 200):
        with pytest.raises(PermanentError, match="more than 100 chunks") as caught:
            MarkdownChunker().split(Extraction(text))
        assert caught.value.code is ErrorCode.FILE_TOO_LARGE


def test_a_wide_table_is_cut_in_a_time_that_grows_with_it() -> None:
    text = "|a" * 400_000 + "|\n" + "|-" * 400_000 + "|\n" + "|b" * 400_000 + "|\n"
    assert limited(lambda: len(MarkdownChunker().split(Extraction(text)))) > 1_000
