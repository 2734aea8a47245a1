"""Books."""

from __future__ import annotations

import pytest

from ragbase.domain.extraction import Extraction
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extractor import FormatExtractor
from tests.office_documents import ROPE, epub

pytestmark = pytest.mark.usefixtures("read_here")

PUBLIC = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">'


def read(first: str) -> Extraction:
    return FormatExtractor().extract(epub({"a.xhtml": first}), "epub", ProcessingConfig())


def page(body: str, head: str = "<title/>", before: str = "") -> str:
    return f'{before}<html xmlns="http://www.w3.org/1999/xhtml"><head>{head}</head><body>{body}</body></html>'


def test_chapters_are_pages_in_the_order_of_reading() -> None:
    table = "<table><tr><th>Part</th></tr><tr><td>a | b</td></tr></table>"
    body = f"<h1>Sails</h1><p>H<sub>2</sub>O, 10<sup>6</sup> l</p>{table}"
    markdown = read(page(body, '<title/><script src="x.js"/>')).markdown
    assert markdown == f"# Sails\n\nH2O, 10^6 l\n\n| Part |\n| --- |\n| a \\| b |\n\n# Mooring\n\n{ROPE}"


def test_notes_beside_the_text_are_part_of_the_chapter() -> None:
    body = "<header><h1>Sails</h1></header><p>Wind</p><aside><p>Since May.</p></aside><footer>End</footer>"
    assert read(page(body)).markdown.startswith("# Sails\n\nWind\n\nSince May.\n\nEnd")


def test_letters_by_name_and_pages_that_are_no_xml() -> None:
    assert read(page("<p>a caf&eacute;&nbsp;here</p>", before=PUBLIC)).markdown.startswith("a café")
    assert read(page("<p>a caf&eacute; here<br>below", head="")).markdown.startswith("a café here")


def test_a_chapter_that_is_missing_is_noted() -> None:
    book = epub({"book.opf": (
        '<package><manifest><item id="a" href="gone.xhtml"/><item id="b" href="b.xhtml"/></manifest>'
        '<spine><itemref idref="a"/><itemref idref="b"/></spine></package>'
    )})  # fmt: skip
    extraction = FormatExtractor().extract(book, "epub", ProcessingConfig())
    assert extraction.markdown == f"# Mooring\n\n{ROPE}"
    assert extraction.all_notes == ("The chapter gone.xhtml is not in the file.",)
