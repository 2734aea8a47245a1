"""What is text is decided by a parser, whatever stands in scripts, attributes and drawings."""

from __future__ import annotations

import pytest

from ragbase.formats.extractor import FormatExtractor
from tests.unit.formats.html_pages import SENTENCE, body, left_out, read

XHTML = '<?xml version="1.0"?>\n<html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="a.js"/></head>'


@pytest.mark.parametrize(
    "odd",
    [
        "<svg class='icon' width='16'/>",
        "<p><svg><style/><path d='M0'/></svg></p>",
        "<script>var s = '<svg>';</script>",
        "<!-- <svg> is drawn by the theme -->",
        "<style>.i { background: url('data:image/svg+xml,<svg>') }</style>",
        "<p title='<svg>'></p>",
        "<script>/* </style> <!-- */</script>",
        "<p data-a='<script>'></p>",
    ],
)
def test_no_characters_of_the_source_end_the_text(odd: str) -> None:
    page = f"<main><h1>Pump</h1><p>{SENTENCE}</p>{odd}<p>It opens at 4.2 bar.</p></main>"
    assert body(page).markdown == f"# Pump\n\n{SENTENCE}\n\nIt opens at 4.2 bar."


def test_a_text_field_may_show_tags() -> None:
    assert body("<main><p>Copy:</p><textarea><svg> & <b></textarea><p>End.</p></main>").markdown.split("\n\n") == [
        "Copy:",
        "<svg> & <b>",
        "End.",
    ]


def test_labels_of_a_drawing_are_read_and_names_of_icons_are_left_out() -> None:
    drawing = (
        "<svg><title>Flow</title><defs><text>never</text></defs><text><tspan x=1>Tank</tspan><tspan x=1>one</tspan>"
        "</text><text>Pump</text></svg>"
    )
    extraction = body(f"<main><h1>Plan</h1>{drawing}<p>{SENTENCE}<svg><title>Search</title><path/></svg></p></main>")
    assert extraction.markdown == f"# Plan\n\nFlow  \nTank one  \nPump\n\n{SENTENCE}"
    assert left_out(extraction) == {"text for browsers without scripts, pictures or frames": "Search"}


@pytest.mark.parametrize("deep", ["<div>", "<div class='a>b'>", "<span><i>", "<ul><li>"])
def test_a_page_that_no_parser_may_have_is_read_without_its_scripts(deep: str) -> None:
    page = (
        f"<!doctype html><html><head><title>t</title></head><body>{deep * 3000}<script>if (a < b) no('<p>')</script>"
        "<!-- no --><style>no</style>Some w<b>or</b>ds &amp; <textarea>a <field></textarea><p title='>no'>more"
        "<svg><style>no</style><text>label</text></svg><div style='display: none'>secret</div><p>end<!-- no"
    )
    extraction = read(page)
    assert " ".join(extraction.markdown.split()) == "Some words & a <field> more label end"
    assert left_out(extraction) == {"hidden text": "secret"}
    assert "plain text" in extraction.notes[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "hostile",
    [
        "<svg" * 75_000,
        "<svg><title>" * 25_000,
        "<!--" * 75_000,
        "<a b='c' " * 33_000,
        '<a b="' * 50_000,
        "<script></scrip>" * 18_000,
        "</" * 150_000,
        "<div a='></div>'>" * 18_000,
        "<style>" + "{" * 300_000,
        "<article>x</article>" * 15_000,
        "<button aria-controls=x>y</button>" * 9_000,
        "<p style='color:white'>x" * 12_000,
        "".join(f"<font size={n}>" for n in range(900)) + "<p>w" * 1_000,
    ],
    ids=range(13),
)
def test_300_kb_of_one_thing_are_read(hostile: str) -> None:
    body(f"<main><h1>Pump</h1>{hostile}")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("<body><h1>Canteen</h1><p>It opens.</p></body></html>", "# Canteen\n\nIt opens."),
        ("<body><p>1 <![CDATA[< 2 & <b>]]></p><div/><p>a&nbsp;b &eacute;</p></body></html>", "1 < 2 & <b>\n\na b é"),
        ("<body><svg:svg xmlns:svg='s'><svg:text>label</svg:text></svg:svg><p>x</p></body></html>", "label\n\nx"),
    ],
)
def test_xhtml_is_read_by_the_rules_of_xml(content: str, text: str) -> None:
    assert read(XHTML + content).markdown.replace("\xa0", " ") == text


def test_what_is_not_well_formed_is_html() -> None:
    page = '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body><p>one<br>two<div/></body>'
    assert read(page).markdown == "one  \ntwo"


@pytest.mark.parametrize(
    ("declared", "text"),
    [
        ('<!ENTITY maker "Kiln Ltd">', "Made by Kiln Ltd."),
        ('<!ENTITY maker SYSTEM "file:///etc/hostname">', "Made by ."),
        ('<!ENTITY a "aaaaaaaaaa"><!ENTITY maker "&a;&a;&a;&a;">', ""),
    ],
    ids=["own", "file", "within each other"],
)
def test_entities_of_a_page_reach_no_files_and_do_not_multiply(declared: str, text: str) -> None:
    page = f"<?xml version='1.0'?><!DOCTYPE html [{declared}]><html xmlns='http://www.w3.org/1999/xhtml'><head><title/>"
    extraction = read(f"{page}</head><body><p>Made by &maker;.</p></body></html>")
    assert extraction.markdown == text or (not text and "aaaa" not in extraction.markdown)


def test_front_matter_of_a_page_is_metadata() -> None:
    page = (
        "---\nlayout: default\ntitle: Pump manual\ntags: [pump]\n---\n<div class='hero'>\n  <h1>Pump manual</h1>\n"
        "  <p>Close valve three.</p>\n</div>\n<script>var tracker = 'site';</script>\n"
    )
    extractor = FormatExtractor()
    assert [extractor.detect(page.encode(), promised) for promised in ("html", None)] == ["html", "html"]
    assert extractor.detect(page.encode(), "md") == "md"
    extraction = read(page)
    assert extraction.markdown == "# Pump manual\n\nClose valve three."
    assert (extraction.metadata.title, extraction.metadata.tags) == ("Pump manual", ("pump",))
    assert ("layout", "default") in extraction.metadata.front_matter


@pytest.mark.parametrize(
    "start",
    [
        "<pre>\n# a comment\n</pre><script>\n# no\n</script>\n",
        "{% include head.html %}\n<section>",
        "<!-- a -->\n<!doctype html>\n<html>",
        "{{ content }}\n<ul>",
        "<table>",
    ],
)
def test_a_page_may_begin_with_what_a_generator_fills_in(start: str) -> None:
    assert FormatExtractor().detect(f"+++\ntitle = 'a'\n+++\n{start}\n<p>x".encode(), None) == "html"


@pytest.mark.parametrize(
    "text", ["<div align=center>\n\n# Title\n\n</div>\n", "Words.\n\n<p>x</p>\n", "<b>a</b>\n\n```\nx\n```\n"]
)
def test_markdown_with_front_matter_may_begin_with_elements(text: str) -> None:
    assert FormatExtractor().detect(f"---\ntitle: a\n---\n{text}".encode(), None) == "md"


def test_a_page_of_frames_is_what_browsers_without_frames_show() -> None:
    frames = "<html><head></head><frameset><frame src=a><noframes><body><p>No <b>frames</b>.</p></noframes></frameset>"
    assert read(frames).markdown == "No **frames**."
