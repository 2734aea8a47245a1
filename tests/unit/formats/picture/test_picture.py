"""Pictures with text: real files of each format, read by the real engine."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import pytest
from PIL import Image, ImageOps

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.extraction import Extraction, PageReading
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.lane import Lane
from ragbase.domain.ocr import OcrMode
from ragbase.domain.page_range import PageRange
from ragbase.domain.word_boxes import marks_on
from ragbase.extras import install_command
from ragbase.formats import libraries
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.extractor import FormatExtractor, allowed_formats
from ragbase.formats.libraries import Library, missing_libraries
from ragbase.formats.table import FORMATS, PICTURES, format_of
from tests.unit.formats.pdf.scans import ocr_folder, picture

pytestmark = pytest.mark.slow  # OCR takes its time

WIND = [
    (12, "The wind fills the sail and the boat begins to move."),
    (12, "A rope is tied to the pier when the boat comes in."),
]
TIDE = [(12, "The tide tables are at the harbour office.")]
AUTO = ProcessingConfig()


@pytest.fixture(scope="session")
def limits() -> ExtractionLimits:
    return ExtractionLimits(ocr_data=ocr_folder())


@pytest.fixture
def extractor(limits: ExtractionLimits, read_here: None, one_engine: None) -> FormatExtractor:
    return FormatExtractor(limits)


def image(lines: list[tuple[int, str]]) -> Image.Image:
    width, height, pixels = picture(lines)
    return Image.frombytes("L", (width, height), pixels)


def saved(shown: Image.Image, format: str, **options: Any) -> bytes:
    file = io.BytesIO()
    shown.save(file, format.upper(), **options)
    return file.getvalue()


def words(extraction: Extraction) -> str:
    return " ".join(extraction.markdown.replace("#", "").split())


def written(*lines: tuple[int, str]) -> str:
    return " ".join(text for _, text in lines)


def failure(extractor: FormatExtractor, data: bytes, format: str, config: ProcessingConfig = AUTO) -> PermanentError:
    with pytest.raises(PermanentError) as caught:
        assert extractor.detect(data, format) == format
        extractor.extract(data, format, config)
    return caught.value


def of_format(format: str) -> bytes:
    return saved(image(WIND), format, **({"lossless": True} if format == "webp" else {}))


@pytest.mark.parametrize("format", sorted(PICTURES))
def test_the_content_says_which_format_it_is(extractor: FormatExtractor, format: str) -> None:
    data = of_format(format)
    for promised in (format, None, "png", "pdf"):
        assert extractor.detect(data, promised) == format


READ_BELOW = {"gif", "jpeg", "tiff"}
"""Formats whose words other tests here read."""


@pytest.mark.parametrize(
    "format",
    [pytest.param(one, marks=pytest.mark.prove if one in READ_BELOW else ()) for one in sorted(PICTURES)],
)
def test_the_words_of_a_picture_are_read(extractor: FormatExtractor, format: str) -> None:
    extraction = extractor.extract(of_format(format), format, AUTO)
    assert words(extraction) == written(*WIND)
    assert [page.read for page in extraction.pages] == [PageReading.OCR]
    assert extraction.all_notes == ("OCR, which may misread words, read page 1.",)


def test_pictures_take_the_heavy_lane_by_each_of_their_names() -> None:
    for name in ("scan.PNG", "a.jpg", "a.jpeg", "a.tif", "a.tiff", "a.webp", "a.gif", "a.bmp"):
        format = format_of(name)
        assert format is not None and format.name in PICTURES and format.lane is Lane.HEAVY
    assert allowed_formats("pictures") == PICTURES
    assert set(allowed_formats("")) == set(FORMATS)


def test_the_pages_of_a_tiff_are_pages_and_can_be_read_in_parts(extractor: FormatExtractor) -> None:
    data = saved(image(WIND), "tiff", save_all=True, append_images=[image(TIDE)], compression="tiff_lzw")
    extraction = extractor.extract(data, "tiff", AUTO)
    assert [extraction.markdown[page.start : page.end].split() for page in extraction.pages] == [
        written(*WIND).split(),
        written(*TIDE).split(),
    ]
    (second,) = extractor.extract_pages(data, "tiff", AUTO, PageRange(2, 2))
    assert second.markdown == written(*TIDE)


def test_a_fax_of_many_pages_is_cut_into_parts(extractor: FormatExtractor) -> None:
    blank = Image.new("1", (64, 64), 1)
    data = saved(blank, "tiff", save_all=True, append_images=[blank] * 70)
    parts = extractor.extract_or_cut(data, "tiff", AUTO)
    assert isinstance(parts, tuple)
    assert (parts[0].first, parts[-1].last, len(parts) > 1) == (1, 71, True)


@pytest.mark.usefixtures("in_its_process")
def test_only_the_first_picture_of_a_film_is_read(extractor: FormatExtractor) -> None:
    film = saved(image(WIND), "gif", save_all=True, append_images=[image(TIDE)], duration=100)
    assert words(extractor.extract(film, "gif", AUTO)) == written(*WIND)


@pytest.mark.parametrize(
    "mode", ["RGB", "I;16", "RGBA", *(pytest.param(mode, marks=pytest.mark.prove) for mode in ("P", "1", "CMYK"))]
)
def test_colours_and_depths(extractor: FormatExtractor, mode: str) -> None:
    shown = image(WIND)
    if mode == "I;16":
        shown = Image.frombytes(
            "I;16", shown.size, b"".join(struct.pack("<H", 200 * pixel) for pixel in shown.tobytes())
        )
    elif mode == "RGBA":  # white letters, and nothing around them
        letters = ImageOps.invert(shown)
        shown = Image.new("RGBA", shown.size, (255, 255, 255, 0))
        shown.putalpha(letters)
    else:
        shown = shown.convert(mode)
    data = saved(shown, "tiff" if mode == "CMYK" else "png")
    assert words(extractor.extract(data, "tiff" if mode == "CMYK" else "png", AUTO)) == written(*WIND)


def test_a_photograph_is_turned_as_the_camera_says(extractor: FormatExtractor) -> None:
    about = Image.Exif()
    about[0x0112] = 6
    data = saved(image(WIND).rotate(90, expand=True), "jpeg", exif=about, quality=95)
    assert words(extractor.extract(data, "jpeg", AUTO)) == written(*WIND)


def test_small_letters_of_a_screen_are_read(extractor: FormatExtractor) -> None:
    shown = image(WIND)
    small = shown.resize((shown.width // 2, shown.height // 2), Image.Resampling.LANCZOS)
    assert words(extractor.extract(saved(small, "png"), "png", AUTO)) == written(*WIND)


def test_a_picture_without_text(extractor: FormatExtractor) -> None:
    slope = Image.linear_gradient("L").resize((800, 600))
    error = failure(extractor, saved(slope, "png"), "png")
    assert error.code is ErrorCode.OCR_FAILED
    assert "ocrLanguages" in error.reason


def png_of(width: int, height: int) -> bytes:
    """A picture that is far larger than its file, or than what follows says."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(bytes(min(width * height, 50_000_000)), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_a_small_file_of_too_many_pixels_is_refused_before_they_are_decoded(extractor: FormatExtractor) -> None:
    for side in (30_000, 2_000_000_000):
        error = failure(extractor, png_of(side, side), "png")
        assert error.code is ErrorCode.FILE_TOO_LARGE
        assert "89,478,485 pixels" in error.reason and "extract_memory" in error.reason


def test_damaged_pictures(extractor: FormatExtractor) -> None:
    for format in ("png", "jpeg", "gif", "tiff", "bmp"):
        data = saved(image(WIND), format)
        assert failure(extractor, data[: len(data) // 2], format).code is ErrorCode.CORRUPT_FILE
        assert failure(extractor, b"\x00\xff\x80" * 300, format).code is ErrorCode.CORRUPT_FILE
    assert failure(extractor, b"", "png").code is ErrorCode.CORRUPT_FILE


@pytest.mark.parametrize("way", ["png", "turned jpeg"])
def test_marks_cover_the_letters_of_the_page_s_image_and_no_others(extractor: FormatExtractor, way: str) -> None:
    format = way.rpartition(" ")[2]
    about = Image.Exif()
    about[0x0112] = 6  # shown turned by a quarter, clockwise
    as_it_is = saved(image(WIND), "png")
    data = as_it_is if way == "png" else saved(image(WIND).rotate(90, expand=True), "jpeg", exif=about, quality=95)
    shown = extractor.page_image(data, format, 1, 1000)
    extraction = extractor.extract(data, format, AUTO)
    (_, first), (_, second) = WIND
    assert shown is not None
    page = Image.open(io.BytesIO(shown)).convert("L")
    erase(page, extraction, second)
    left, top, right, bottom = letters(page) or (0, 0, 0, 0)
    assert bottom - top < 0.1 * page.height and right - left > 0.3 * page.width, "the other line is untouched"
    erase(page, extraction, first)
    assert letters(page) is None


def erase(page: Image.Image, extraction: Extraction, line: str) -> None:
    start = extraction.markdown.index(line)
    for mark in marks_on(extraction.boxes, 1, start, start + len(line)):
        width, height = page.size
        box = (mark.left * width, mark.top * height, mark.right * width, mark.bottom * height)
        page.paste(255, (int(box[0]) - 1, int(box[1]) - 1, int(box[2]) + 2, int(box[3]) + 2))


def letters(page: Image.Image) -> tuple[int, int, int, int] | None:
    """What surrounds all dark pixels; None if there are none."""
    return page.point(lambda value: 255 if value < 128 else 0).getbbox()


def test_want_of_memory_and_time_have_their_codes(limits: ExtractionLimits) -> None:
    data = saved(image(WIND), "png")
    little = ExtractionLimits(ocr_data=limits.ocr_data, timeout_seconds=0.001)
    error = failure(FormatExtractor(little), data, "png")
    assert (error.code, "extract_timeout" in error.reason) == (ErrorCode.TIMEOUT, True)


def test_a_document_that_shall_not_be_read_by_ocr(extractor: FormatExtractor) -> None:
    error = failure(extractor, saved(image(TIDE), "png"), "png", ProcessingConfig(ocr_mode=OcrMode.NEVER))
    assert (error.code, "ocrMode is never" in error.reason) == (ErrorCode.UNSUPPORTED_FORMAT, True)


@pytest.mark.usefixtures("in_its_process")
def test_without_ocr_a_picture_is_refused_with_the_command_that_brings_it(
    extractor: FormatExtractor, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = Library(("no_such_library",), "ocr", libraries.OCR.formats, libraries.OCR.reads)
    monkeypatch.setattr(libraries, "OCR", missing)
    error = failure(extractor, saved(image(TIDE), "png"), "png")
    assert error.code is ErrorCode.UNSUPPORTED_FORMAT
    assert "no_such_library" in error.reason and "extra ocr (`ragbase doctor`" in error.reason
    said = missing_libraries(FORMATS)
    assert said is not None and said.endswith(install_command("ocr")) and "pictures and scanned pages" in said
    assert missing_libraries({"md", "docx"}) is None
