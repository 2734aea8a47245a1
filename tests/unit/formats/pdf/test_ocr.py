"""Pages that are pictures: real scans, read by the real engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.extraction import Extraction
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.ocr import OcrMode
from ragbase.domain.page_range import PageRange
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.extractor import FormatExtractor
from tests.unit.formats.pdf.pdf_files import pdf, pdf_of_contents
from tests.unit.formats.pdf.scans import ocr_folder, pdf_of_pictures, picture, scan

pytestmark = pytest.mark.usefixtures("read_here", "one_engine")

DATA = Path(__file__).parents[3] / "data" / "pdf"
WIND = [
    (18, "Sailing in the evening"),
    (12, "The wind fills the sail and the boat begins to move."),
    (12, "A rope is tied to the pier when the boat comes in."),
]
ROPE = [(12, "Every rope on board has a name and a place of its own."), (12, "Nobody may leave one lying about.")]
TIDE = b"BT /F1 12 Tf 72 200 Td (The tide tables are at the harbour office.) Tj ET"
BOX = b"100 100 200 120 re f"
FORCE, NEVER = ProcessingConfig(ocr_mode=OcrMode.FORCE), ProcessingConfig(ocr_mode=OcrMode.NEVER)


@pytest.fixture(scope="session")
def limits() -> ExtractionLimits:
    return ExtractionLimits(ocr_data=ocr_folder())


@pytest.fixture
def extractor(limits: ExtractionLimits) -> FormatExtractor:
    return FormatExtractor(limits)


def words(extraction: Extraction) -> str:
    return " ".join(extraction.markdown.replace("#", "").split())


def written(lines: list[tuple[int, str]]) -> str:
    return " ".join(text for _, text in lines)


def failure(extractor: FormatExtractor, data: bytes, config: ProcessingConfig) -> PermanentError:
    with pytest.raises(PermanentError) as caught:
        extractor.extract(data, "pdf", config)
    return caught.value


@pytest.mark.slow
@pytest.mark.parametrize("turn", [90, 180, *(pytest.param(turn, marks=pytest.mark.prove) for turn in (0, 270))])
def test_a_scan_is_read_however_it_lay_on_the_scanner(extractor: FormatExtractor, turn: int) -> None:
    extraction = extractor.extract(scan(WIND, turn=turn), "pdf", ProcessingConfig())
    assert words(extraction) == written(WIND)
    assert [page.read for page in extraction.pages] == ["ocr"]
    assert extraction.notes == ("OCR, which may misread words, read page 1.",)


@pytest.mark.slow
@pytest.mark.usefixtures("in_its_process")
def test_vietnamese_keeps_its_marks(extractor: FormatExtractor) -> None:
    extraction = extractor.extract((DATA / "vietnamese-scan.pdf").read_bytes(), "pdf", ProcessingConfig())
    assert words(extraction) == (
        "Quy định về đọc công tơ điện Công ty ghi chỉ số công tơ vào ngày đầu tiên của mỗi tháng. Khách hàng có thể "
        "gửi ảnh chụp đồng hồ qua thư điện tử trước mười hai giờ trưa."
    )


@pytest.mark.slow
def test_of_a_partly_scanned_document_no_page_is_lost(extractor: FormatExtractor) -> None:
    extraction = extractor.extract(pdf_of_pictures([TIDE], [picture(WIND)], [], [BOX]), "pdf", ProcessingConfig())
    assert [page.read for page in extraction.pages] == ["text", "ocr", "blank", "ocr_failed"]
    assert words(extraction) == f"The tide tables are at the harbour office. {written(WIND)}"
    assert extraction.notes == (
        "OCR, which may misread words, read page 2.",
        "OCR_FAILED: OCR found no text on page 4.",
    )
    assert (extraction.ocr_pages, extraction.textless_pages) == (1, 2)


def test_without_ocr_the_pages_that_were_not_read_are_named(extractor: FormatExtractor) -> None:
    data = pdf_of_pictures([TIDE], [picture(WIND)], [picture(ROPE)], [TIDE], [picture(WIND)])
    extraction = extractor.extract(data, "pdf", NEVER)
    assert [page.read for page in extraction.pages] == ["text", "unread", "unread", "text", "unread"]
    (note,) = extraction.notes
    assert "pages 2–3, 5" in note and "extra ocr is installed (`ragbase doctor`" in note


def test_a_page_with_text_and_a_picture_stays_text(extractor: FormatExtractor) -> None:
    """As a page that another OCR has read: its invisible text lies over the picture."""
    layer = b"BT 3 Tr /F1 12 Tf 72 200 Td (This text layer was made by somebody who read the page with care.) Tj ET"
    extraction = extractor.extract(pdf_of_pictures([picture(WIND), layer]), "pdf", ProcessingConfig())
    assert [page.read for page in extraction.pages] == ["text"]
    assert words(extraction) == "This text layer was made by somebody who read the page with care."


@pytest.mark.slow
def test_a_number_stamped_on_a_scan_does_not_hide_its_text(extractor: FormatExtractor) -> None:
    stamp = b"BT /F1 12 Tf 500 20 Td (ACME-0017) Tj ET"
    extraction = extractor.extract(pdf_of_pictures([picture(WIND), stamp]), "pdf", ProcessingConfig())
    assert [page.read for page in extraction.pages] == ["ocr"]
    assert written(WIND) in words(extraction)


@pytest.mark.slow
def test_force_reads_the_picture_of_a_page_with_a_text_layer(extractor: FormatExtractor) -> None:
    layer = b"BT 3 Tr /F1 12 Tf 72 200 Td (This text layer was made by somebody who read another page.) Tj ET"
    data = pdf_of_pictures([picture(WIND), layer])
    assert words(extractor.extract(data, "pdf", FORCE)) == written(WIND)


@pytest.mark.slow
@pytest.mark.parametrize("turn", [0, pytest.param(180, marks=pytest.mark.prove)])
def test_what_pages_give_does_not_depend_on_the_range(extractor: FormatExtractor, turn: int) -> None:
    data, config = scan(WIND, ROPE, WIND, turn=turn), ProcessingConfig()
    whole = extractor.extract(data, "pdf", config)
    parts = [extractor.extract_pages(data, "pdf", config, PageRange(*range)) for range in ((1, 1), (2, 3))]
    assert extractor.join("pdf", [page for part in parts for page in part]) == whole


@pytest.mark.slow
def test_pages_for_ocr_make_a_document_long_before_pages_of_text_do(extractor: FormatExtractor) -> None:
    drawings, texts = pdf_of_contents(TIDE, *[BOX] * 30), pdf_of_contents(*[TIDE] * 31)
    assert extractor.extract_or_cut(drawings, "pdf", ProcessingConfig()) == (PageRange(1, 16), PageRange(17, 31))
    for data, config in ((texts, ProcessingConfig()), (drawings, NEVER)):
        assert extractor.extract_or_cut(data, "pdf", config) == extractor.extract(data, "pdf", config)
    assert isinstance(extractor.extract_or_cut(texts, "pdf", FORCE), tuple)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("data", "config", "code", "says"),
    [
        (pdf_of_contents(BOX), ProcessingConfig(), ErrorCode.OCR_FAILED, "OCR found no text"),
        (pdf_of_contents(BOX), NEVER, ErrorCode.UNSUPPORTED_FORMAT, "pictures or drawings"),
        (pdf([]), ProcessingConfig(), ErrorCode.UNSUPPORTED_FORMAT, "blank"),
        (scan([(12, "")]), ProcessingConfig(), ErrorCode.UNSUPPORTED_FORMAT, "blank"),
        (scan(WIND), NEVER, ErrorCode.UNSUPPORTED_FORMAT, "pictures or drawings"),
    ],
    ids=["drawing", "drawing, never", "blank", "blank scan", "scan, never"],
)
def test_a_document_without_text_says_why(
    extractor: FormatExtractor, data: bytes, config: ProcessingConfig, code: ErrorCode, says: str
) -> None:
    error = failure(extractor, data, config)
    assert error.code is code
    assert says in error.reason


def test_a_language_without_data_is_named_with_its_file(extractor: FormatExtractor, limits: ExtractionLimits) -> None:
    error = failure(extractor, scan(WIND), ProcessingConfig(ocr_languages=("fr", "en")))
    assert error.code is ErrorCode.OCR_FAILED
    assert "language fra" in error.reason and "fra.traineddata" in error.reason and str(limits.ocr_data) in error.reason


def test_a_text_needs_no_data_of_languages(limits: ExtractionLimits) -> None:
    french = ProcessingConfig(ocr_languages=("fr",))
    extraction = FormatExtractor(limits).extract(pdf([*WIND]), "pdf", french)
    assert extraction.pages[0].read == "text"


def test_data_that_is_damaged_is_named(tmp_path: Path) -> None:
    for code in ("eng", "vie"):
        (tmp_path / f"{code}.traineddata").write_bytes(b"this is no data")
    error = failure(FormatExtractor(ExtractionLimits(ocr_data=tmp_path)), scan(WIND), ProcessingConfig())
    assert error.code is ErrorCode.OCR_FAILED
    assert str(tmp_path) in error.reason


def test_force_without_ocr_says_what_to_install() -> None:
    error = failure(FormatExtractor(), scan(WIND), FORCE)
    assert error.code is ErrorCode.OCR_FAILED
    assert "extra ocr (`ragbase doctor`" in error.reason


def test_the_version_names_what_decides_the_text(extractor: FormatExtractor) -> None:
    versions = {
        config: extractor.version("pdf", config)
        for config in (ProcessingConfig(), FORCE, NEVER, ProcessingConfig(ocr_languages=("vi",)))
    }
    assert len(set(versions.values())) == len(versions)
    assert FormatExtractor().version("pdf", ProcessingConfig()) == versions[NEVER]
    assert extractor.version("md", FORCE) == extractor.version("md", NEVER)
