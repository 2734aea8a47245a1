"""Lines at the edge of many pages: those that say the same go, and those that say something of their page stay."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ragbase.domain.extraction import Extraction
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.page_range import PageRange
from ragbase.formats.extractor import FormatExtractor
from tests.unit.formats.pdf.pdf_files import pdf_of_contents

pytestmark = pytest.mark.usefixtures("read_here")

TOP, BOTTOM = 770, 30
BODY = (
    "The wind fills the sail, and the boat begins to move towards the other side of the bay, where the old pier is.",
    "A rope is tied to the pier when the boat comes in, and the crew goes home before the rain begins to fall.",
)


def text(x: float, y: float, words: str, font: str = "F1") -> str:
    return f"BT /{font} 10 Tf {x} {y} Td ({words}) Tj ET\n"


def document(pages: int, edge: Callable[[int], str], first: int = 1) -> bytes:
    """Pages of a text, each with what `edge` writes on it, by its number."""
    body = "".join(text(60, 600 - 12 * index, line) for index, line in enumerate(BODY))
    return pdf_of_contents(*((edge(number) + body).encode("latin-1") for number in range(first, first + pages)))


def extract(data: bytes) -> Extraction:
    return FormatExtractor().extract(data, "pdf", ProcessingConfig())


ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")


@pytest.mark.parametrize(
    "edge",
    [
        lambda n: text(300, BOTTOM, str(n)),
        lambda n: text(300, BOTTOM, f"- {n + 40} -"),
        lambda n: text(300, BOTTOM, ROMAN[n - 1]),
        lambda n: text(60, TOP, f"Page {n} of 6"),
        lambda n: text(60, TOP, f"Seite {n % 2 + 1} von 2"),  # letters of two pages in one file
        lambda n: text(60, TOP, f"Handbook of boats {n}"),
        lambda n: text(60, TOP, f"{n} Handbook of boats"),
        lambda n: text(60, TOP, "Handbook of boats") + text(500, TOP, str(n)),
        lambda n: text(60, TOP, "ACME | Annual report 2023") + text(500, TOP, f"Page {n}/6"),
        lambda n: text(60, TOP, "The harbour" if n % 2 else "A handbook"),
        lambda n: text(60, TOP, "Handbook of boats", "F2"),
    ],
)
def test_what_says_no_more_than_the_page_s_number_is_left_out(edge: Callable[[int], str]) -> None:
    extraction = extract(document(6, edge))
    body = " ".join(BODY)
    pages = [extraction.markdown[page.start : page.end] for page in extraction.pages]
    assert pages[2:] == [body] * 4
    (left_out,) = extraction.left_out
    assert left_out.what.startswith("running lines on pages ") and left_out.what.endswith("–6")
    assert any("Left out: running lines on pages" in note for note in extraction.all_notes)


def test_a_running_line_is_read_where_it_is_first_seen() -> None:
    extraction = extract(document(6, lambda n: text(60, TOP, "Handbook of boats") if n > 1 else ""))
    second = extraction.pages[1]
    assert extraction.markdown.count("Handbook of boats") == 1
    assert extraction.markdown[second.start : second.end].startswith("Handbook of boats")


NAMES = ("Ann", "Bob", "Carl", "Dora", "Emil", "Fay")


@pytest.mark.parametrize(
    "edge",
    [
        lambda n: text(60, BOTTOM, f"Net pay: {1423 + 77 * n} EUR"),
        lambda n: text(60, BOTTOM, f"Net pay: {1500 if n < 5 else 1731} EUR"),  # some have the same
        lambda n: text(60, BOTTOM, "Net pay") + text(300, BOTTOM, f"{1423 + 77 * n} EUR"),
        lambda n: text(60, BOTTOM, f"Invoice no. 2024-{116 + n}"),
        lambda n: text(60, BOTTOM, f"Invoice no. {n}"),
        lambda n: text(60, BOTTOM, "Invoice no.") + text(300, BOTTOM, str(116 + n)),
        lambda n: text(60, TOP, f"Article {n}"),
        lambda n: text(60, TOP, f"Article {n}", "F2"),
        lambda n: text(60, TOP, f"The law of boats, part {n}", "F2"),
        lambda n: text(60, TOP, f"Lecci\363n {n}"),
        lambda n: text(60, TOP, f"Employee {NAMES[n - 1]}"),
        lambda n: text(60, TOP, f"Employee {'Ann' if n < 5 else 'Bob'}"),
        lambda n: text(60, TOP, "Customer") + text(300, TOP, NAMES[n - 1]),
        lambda n: text(60, TOP, f"Report of 2024-03-{n:02}"),
        lambda n: text(60, TOP, f"Pump {17 * n % 23} was serviced"),
    ],
)
def test_what_says_something_of_its_page_stays(edge: Callable[[int], str]) -> None:
    extraction = extract(document(6, edge))
    assert extraction.left_out == ()
    for number, page in enumerate(extraction.pages, start=1):
        lines = [line.split(") Tj")[0] for line in edge(number).split("Td (")[1:]]
        said = extraction.markdown[page.start : page.end]
        assert all(line in said for line in lines), said


def test_a_page_whose_only_line_is_a_running_one_keeps_it() -> None:
    extraction = extract(pdf_of_contents(*(text(60, TOP, "This page is left blank").encode() for _ in range(6))))
    assert extraction.markdown.count("This page is left blank") == 6
    assert extraction.left_out == ()


@pytest.mark.slow
def test_lines_with_something_of_their_own_on_very_many_pages_stay() -> None:
    pages = [text(60, TOP, f"Watchman {7 * number + 151} saw nothing").encode() for number in range(300)]
    extraction = extract(pdf_of_contents(*pages))
    assert all(f"Watchman {7 * number + 151} saw" in extraction.markdown for number in range(300))
    assert {page.read for page in extraction.pages} == {"text"}


def test_page_numbers_of_a_book_of_which_some_pages_are_left() -> None:
    numbers = (1, 2, 4, 10, 11, 15, 19, 20, 27, 28)
    pages = [
        text(560 if number % 2 else 40, BOTTOM, str(number)) + text(60, 600, f"Words of {number}, and the wind.")
        for number in numbers
    ]
    extraction = extract(pdf_of_contents(*(page.encode() for page in pages)))
    third = extraction.pages[2]
    assert extraction.markdown[third.start : third.end] == "Words of 4, and the wind."


def test_pages_are_read_alike_whichever_are_read_with_them() -> None:
    data = document(40, lambda n: text(60, TOP, f"Handbook of boats {n}") + text(60, BOTTOM, "The harbour"))
    extractor, config = FormatExtractor(), ProcessingConfig()
    whole = extractor.extract(data, "pdf", config)
    parts = [extractor.extract_pages(data, "pdf", config, PageRange(*part)) for part in ((1, 7), (8, 8), (9, 40))]
    assert extractor.join("pdf", [page for part in parts for page in part]) == whole
    assert whole.markdown.count("The harbour") == 1
