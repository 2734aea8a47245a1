"""Text layers that do not say which letters the page shows are no text, with OCR and without."""

from __future__ import annotations

import pytest

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.ocr import OcrMode
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.extractor import FormatExtractor
from tests.unit.formats.pdf.pdf_files import pdf, pdf_file, pdf_of_contents
from tests.unit.formats.pdf.scans import ocr_folder, pdf_of_pictures, picture

pytestmark = pytest.mark.usefixtures("read_here", "one_engine")

WIND = "The wind fills the sail, and then 2024 boats begin to move"
NEVER = ProcessingConfig(ocr_mode=OcrMode.NEVER)


def garbled(*lines: str, readable: str = "") -> bytes:
    """A page of Helvetica whose letters are called control characters, and one that is readable."""
    codes = sorted({code for code in "".join(lines).encode() if chr(code).isalpha()})
    named = "\n".join(f"<{code:02X}> <{number % 25 + 1:04X}>" for number, code in enumerate(codes))
    to_unicode = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n1 begincodespacerange <00> <FF> "
        f"endcodespacerange\n{len(codes)} beginbfchar\n{named}\nendbfchar\nendcmap end end"
    ).encode()
    content = "".join(
        f"BT /F1 14 Tf 72 {700 - 20 * index} Td ({line}) Tj ET\n" for index, line in enumerate(lines)
    ).encode()
    other = f"BT /F2 14 Tf 72 700 Td ({readable}) Tj ET".encode()
    kids = b"3 0 R 8 0 R" if readable else b"3 0 R"
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 4 0 R /F2 7 0 R >> >> "
    return pdf_file(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, kids.count(b"R")),
            page + b"/Contents 6 0 R >>",
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 5 0 R >>",
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(to_unicode), to_unicode),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            page + b"/Contents 9 0 R >>",
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(other), other),
        ]
    )


@pytest.fixture(scope="module")
def extractor() -> FormatExtractor:
    return FormatExtractor(ExtractionLimits(ocr_data=ocr_folder()))


@pytest.mark.slow
def test_ocr_reads_what_such_a_page_shows(extractor: FormatExtractor) -> None:
    extraction = extractor.extract(garbled(WIND), "pdf", ProcessingConfig())
    assert extraction.markdown == WIND
    assert extraction.all_notes == ("OCR, which may misread words, read page 1.",)


def test_without_ocr_the_page_has_no_text_and_the_status_says_so() -> None:
    extraction = FormatExtractor().extract(garbled(WIND, readable="The tide tables."), "pdf", NEVER)
    assert extraction.markdown.strip() == "The tide tables."
    assert [page.read for page in extraction.pages] == ["unread", "text"]
    unread, left_out = extraction.all_notes
    assert unread.startswith("No text of page 1: pictures without a text layer that can be read.")
    assert left_out.startswith("Left out: a text layer that does not say which letters it shows on page 1 (")


def test_a_document_of_such_pages_is_refused_with_the_remedy() -> None:
    with pytest.raises(PermanentError) as caught:
        FormatExtractor().extract(garbled(WIND), "pdf", NEVER)
    assert caught.value.code is ErrorCode.UNSUPPORTED_FORMAT
    assert "do not say which letters they show" in caught.value.reason
    assert "extra ocr is installed (`ragbase doctor`" in caught.value.reason


@pytest.mark.slow
def test_a_layer_that_says_what_the_page_shows_is_never_replaced(extractor: FormatExtractor) -> None:
    """Short lines on all pages, which are running lines but for being all that is there, and one over a picture."""
    line = b"BT /F1 12 Tf 72 770 Td (Watchman151zed saw it) Tj ET"
    extraction = extractor.extract(pdf_of_contents(*[line] * 5), "pdf", ProcessingConfig())
    assert extraction.markdown.count("Watchman151zed saw it") == 5
    assert {page.read for page in extraction.pages} == {"text"}
    shown = pdf_of_pictures(
        [picture([(12, "Watchman151zed saw it")]), b"BT 3 Tr /F1 12 Tf 72 200 Td (Watchman151zed) Tj ET"]
    )
    assert extractor.extract(shown, "pdf", ProcessingConfig()).pages[0].read == "text"


def test_a_page_with_hyphens_at_the_ends_of_its_lines_is_a_text() -> None:
    lines = [(12, f"{word}-") for word in ("har", "bo", "sai", "ro", "pi", "win")]
    assert "har" in FormatExtractor().extract(pdf([*lines, (12, "bour")]), "pdf", NEVER).markdown
