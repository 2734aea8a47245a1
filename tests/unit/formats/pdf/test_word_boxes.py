"""Where the words of the Markdown stand on their pages: what is under a mark is read back from the page itself."""

from __future__ import annotations

import base64
import ctypes
import zlib
from collections.abc import Iterator

import pypdfium2  # type: ignore[import-untyped]  # it ships no types
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]
import pytest

from ragbase.domain.extraction import Extraction
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.word_boxes import BadBoxes, PageMark, PlacedPage, document_boxes, marks_on
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.extractor import FormatExtractor
from tests.unit.formats.pdf.pdf_files import pdf, pdf_of_contents, pdf_with_font
from tests.unit.formats.pdf.scans import ocr_folder, scan

pytestmark = pytest.mark.usefixtures("read_here", "one_engine")

FINE = 1_000_000
PROSE = [
    "The ferry crosses the wide river twice a day, and the timeta-",
    "ble hangs at the pier. Nobody has read it since the winter, for",
    "the captain comes when the bell has rung. Then all go on board.",
]


def text(x: float, y: float, words: str, size: float = 10, matrix: str = "1 0 0 1") -> str:
    return f"BT /F1 {size} Tf {matrix} {x} {y} Tm ({words}) Tj ET\n"


def read(data: bytes) -> Extraction:
    return FormatExtractor().extract(data, "pdf", ProcessingConfig())


def marks(extraction: Extraction, phrase: str) -> tuple[int, tuple[PageMark, ...]]:
    """The page that the only place with these words is on, and their marks."""
    assert extraction.markdown.count(phrase) == 1, extraction.markdown
    start = extraction.markdown.index(phrase)
    (page,) = [page.number for page in extraction.pages if page.start <= start < page.end]
    return page, marks_on(extraction.boxes, page, start, start + len(phrase))


def under(data: bytes, phrase: str) -> list[str]:
    """The letters under each mark, by PDFium's own boxes."""
    number, found = marks(read(data), phrase)
    letters = list(_letters(pypdfium2.PdfDocument(data)[number - 1]))
    return ["".join(c for c, x, y in letters if m.left <= x <= m.right and m.top <= y <= m.bottom) for m in found]


def _letters(page: pypdfium2.PdfPage) -> Iterator[tuple[str, float, float]]:
    text_page, x, y = page.get_textpage(), ctypes.c_int(), ctypes.c_int()
    for index in range(text_page.count_chars()):
        left, bottom, right, top = text_page.get_charbox(index)
        middle = (left + right) / 2, (bottom + top) / 2
        pdfium.FPDF_PageToDevice(page.raw, 0, 0, FINE, FINE, 0, *middle, x, y)
        letter = text_page.get_text_range(index, 1)
        if letter.strip():
            yield letter.replace("\ufffe", "-"), x.value / FINE, y.value / FINE


def test_a_mark_covers_each_line_of_a_sentence() -> None:
    data = pdf([(10, line) for line in PROSE])
    assert under(data, "The ferry crosses the wide river twice a day, and the timetable hangs at the pier.") == [
        "Theferrycrossesthewiderivertwiceaday,andthetimeta-",
        "blehangsatthepier.",
    ]
    assert under(data, "Then all go on board.") == ["Thenallgoonboard."]


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_page_that_is_shown_turned_is_marked_as_it_is_shown(turn: int) -> None:
    content = "".join(text(72, 700 - 12 * number, line) for number, line in enumerate(PROSE))
    data = pdf_of_contents(content.encode()).replace(b"/Type /Page ", b"/Type /Page /Rotate %d " % turn)
    assert data.count(b"/Rotate") == 1
    assert "".join(under(data, "Nobody has read it since the winter")) == "Nobodyhasreaditsincethewinter,"


def test_words_that_run_upwards_or_on_a_slant_are_marked() -> None:
    prose = "".join(text(72, 700 - 12 * number, line) for number, line in enumerate(PROSE))
    up = text(500, 200, "along the margin", matrix="0 1 -1 0")
    slant = text(200, 300, "aslant", matrix="0.866 0.5 -0.5 0.866")
    data = pdf_of_contents((prose + up + slant).encode())
    assert sorted("".join(under(data, "along the margin"))) == sorted("alongthemargin")
    assert under(data, "aslant") == ["aslant"]


def test_a_drop_cap_is_marked_where_it_is_drawn() -> None:
    cap = text(72, 676, "T", 46)
    lines = ["he ferry crosses the wide river", "harbour towards the hills and", "nobody goes to the other side"]
    beside = "".join(text(102, 700 - 12 * number, line) for number, line in enumerate(lines))
    data = pdf_of_contents((cap + beside).encode())
    assert "".join(under(data, "The ferry crosses")) == "Theferrycrosses"


def test_cells_of_a_table_that_goes_on_are_marked_on_their_own_page() -> None:
    rules = "72 730 m 400 730 l S 72 700 m 400 700 l S 72 670 m 400 670 l S 72 640 m 400 640 l S "
    rules += "72 730 m 72 640 l S 236 730 m 236 640 l S 400 730 m 400 640 l S "

    def page(*rows: tuple[str, str]) -> bytes:
        cells = "".join(text(80, 710 - 30 * y, a) + text(244, 710 - 30 * y, b) for y, (a, b) in enumerate(rows))
        return (rules + cells).encode()

    data = pdf_of_contents(
        page(("Boat", "Length"), ("Sloop", "nine | ten"), ("Ketch", "12")),
        page(("Boat", "Length"), ("Yawl", "eleven"), ("Brig", "30")),
    )
    assert read(data).markdown.count("Boat") == 1
    assert "".join(under(data, "nine \\| ten")) == "nine|ten"
    assert "".join(under(data, "Yawl | eleven")) == "Yawleleven"
    assert "".join(under(data, "Brig")) == "Brig"


def test_a_line_from_right_to_left_is_marked_by_its_words() -> None:
    shalom, olam = "\u05e9\u05dc\u05d5\u05dd", "\u05e2\u05d5\u05dc\u05dd"
    glyphs = [(f"{ord(letter):04x}", 5) for letter in f"{olam[::-1]} {shalom[::-1]}"]
    data = pdf_with_font(glyphs, 12)
    assert read(data).markdown == f"{shalom} {olam}"
    assert sorted("".join(under(data, olam))) == sorted(olam)


def test_a_text_without_blanks_is_marked_letter_by_letter() -> None:
    first, second = "\u6211\u4eec\u5750\u8239\u3002", "\u98ce\u5f88\u5927\u3002"
    data = pdf_with_font([(f"{ord(letter):04x}", 10) for letter in first + second], 12)
    assert under(data, second) == [second]


@pytest.mark.slow
@pytest.mark.parametrize("turn", [90, *(pytest.param(turn, marks=pytest.mark.prove) for turn in (0, 180, 270))])
def test_words_of_a_scan_are_marked_however_it_lay_on_the_scanner(turn: int) -> None:
    lines = [(12, "The wind fills the sail and the boat begins to move."), (12, "A rope is tied to the pier.")]
    extractor = FormatExtractor(ExtractionLimits(ocr_data=ocr_folder()))
    straight = extractor.extract(scan(lines), "pdf", ProcessingConfig())
    turned = extractor.extract(scan(lines, turn=turn), "pdf", ProcessingConfig())
    _, (upright,) = marks(straight, "A rope is tied")
    _, (mark,) = marks(turned, "A rope is tied")
    middle = (upright.left + upright.right) / 2, (upright.top + upright.bottom) / 2
    expected = {
        0: middle,
        90: (1 - middle[1], middle[0]),
        180: (1 - middle[0], 1 - middle[1]),
        270: (middle[1], 1 - middle[0]),
    }[turn]
    assert ((mark.left + mark.right) / 2, (mark.top + mark.bottom) / 2) == pytest.approx(expected, abs=0.01)


@pytest.mark.slow
def test_boxes_that_nobody_of_ours_has_written_are_refused() -> None:
    bomb = base64.b64encode(zlib.compress(bytes(100_000_000))).decode()
    for boxes in (b"", b"\x02\0\0\0\0", document_boxes([PlacedPage(1, 0, bomb)]), b"\x01\xff\xff\xff\xff"):
        with pytest.raises(BadBoxes):
            marks_on(boxes, 1, 0, 10)
    assert document_boxes([PlacedPage(1, 0, "no base64!")]) == b""
