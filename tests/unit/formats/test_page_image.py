"""Pages as images: what is drawn of PDFs and pictures, and what a hostile one gets."""

from __future__ import annotations

import io
import struct
import zlib

import pytest
from PIL import Image

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.formats.page_image import page_image
from ragbase.formats.page_image.page_image import can_be_drawn
from ragbase.formats.page_image.page_image import page_image as drawn
from ragbase.formats.sandbox import run
from tests.unit.formats.pdf.pdf_files import pdf_of_contents

pytestmark = pytest.mark.usefixtures("read_here")

RED_SQUARE = b"1 0 0 rg 0 0 306 396 re f"
"""The lower left quarter of a page."""


def opened(image: bytes | None) -> Image.Image:
    assert image is not None
    shown = Image.open(io.BytesIO(image))
    shown.load()
    return shown


def saved(image: Image.Image, format: str, **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, format, **options)
    return file.getvalue()


def test_a_page_is_drawn_as_people_see_it() -> None:
    shown = opened(drawn(pdf_of_contents(RED_SQUARE), "pdf", 1, 306))
    assert (shown.mode, shown.size) == ("RGB", (306, 396))
    assert [shown.getpixel(place) for place in ((20, 380), (280, 20))] == [(255, 0, 0), (255, 255, 255)]


def test_a_page_without_colours_is_grey() -> None:
    shown = opened(drawn(pdf_of_contents(b"0 g 0 0 306 396 re f"), "pdf", 1, 306))
    assert (shown.mode, shown.getpixel((20, 380)), shown.getpixel((280, 20))) == ("L", 0, 255)


def test_junk_before_the_header_does_no_harm() -> None:
    data = pdf_of_contents(RED_SQUARE)
    assert drawn(b"junk\n" + data, "pdf", 1, 200) == drawn(data, "pdf", 1, 200)


@pytest.mark.parametrize("page", [0, 2, 2**31])
def test_there_is_no_other_page(page: int) -> None:
    assert drawn(pdf_of_contents(RED_SQUARE), "pdf", page, 200) is None
    assert drawn(saved(Image.new("RGB", (9, 9)), "png"), "png", page, 200) is None


@pytest.mark.parametrize(
    ("data", "format"),
    [(b"", "pdf"), (b"%PDF-1.7\nnonsense", "pdf"), (b"\x89PNG\r\n\x1a\n" + bytes(99), "png"), (b"GIF89a\1\0", "gif")],
)
def test_what_is_damaged_cannot_be_drawn(data: bytes, format: str) -> None:
    with pytest.raises(PermanentError, match="cannot be drawn") as error:
        drawn(data, format, 1, 200)
    assert error.value.code is ErrorCode.CORRUPT_FILE


@pytest.mark.slow
@pytest.mark.parametrize(
    "box", [b"0 0 14400 14400", b"0 0 14400 0.01", b"0 0 0.01 14400", b"0 0 1e9 1e9", b"0 0 1 1000000000", b"0 0 0 0"]
)
def test_a_page_of_any_size_has_a_bounded_image(box: bytes) -> None:
    data = pdf_of_contents(RED_SQUARE).replace(b"/MediaBox [0 0 612 792]", b"/MediaBox [%s]" % box)
    assert box in data
    shown = opened(drawn(data, "pdf", 1, 2400))
    assert shown.width * shown.height <= 2 * page_image.MOST_PIXELS
    assert max(shown.size) <= page_image.LONGEST


def test_a_picture_is_shown_in_its_colours_and_the_right_way_up() -> None:
    image = Image.new("RGB", (40, 20), (0, 0, 255))
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    shown = opened(drawn(saved(image, "png", exif=exif), "png", 1, 200))
    assert (shown.size, shown.getpixel((5, 5))) == ((20, 40), (0, 0, 255)), "it is not enlarged"


def test_a_large_picture_is_shown_smaller() -> None:
    assert opened(drawn(saved(Image.new("RGB", (3000, 1500), (9, 99, 9)), "jpeg"), "jpeg", 1, 600)).size == (600, 300)


def test_what_is_transparent_is_white() -> None:
    image = Image.new("RGBA", (20, 20), (255, 0, 0, 0))
    image.putpixel((3, 3), (255, 0, 0, 255))
    shown = opened(drawn(saved(image, "png"), "png", 1, 200))
    assert [shown.getpixel(place) for place in ((3, 3), (9, 9))] == [(255, 0, 0), (255, 255, 255)]


def test_a_picture_that_unpacks_to_too_much_is_refused() -> None:
    data = bytearray(saved(Image.new("1", (8, 8)), "png"))
    data[16:24] = struct.pack(">II", 30_000, 30_000)
    data[29:33] = struct.pack(">I", zlib.crc32(data[12:29]))
    with pytest.raises(PermanentError) as error:
        drawn(bytes(data), "png", 1, 200)
    assert error.value.code is ErrorCode.FILE_TOO_LARGE


def test_only_pdfs_and_pictures_are_drawn() -> None:
    assert [format for format in ("pdf", "png", "tiff", "docx", "md", "html", "") if can_be_drawn(format)] == [
        "pdf",
        "png",
        "tiff",
    ]


def test_a_page_that_takes_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: object, **__: object) -> bytes:
        raise run.TimedOut

    monkeypatch.setattr(run, "run_sandboxed", late)
    with pytest.raises(PermanentError, match="within 20 seconds") as error:
        drawn(pdf_of_contents(RED_SQUARE), "pdf", 1, 200)
    assert error.value.code is ErrorCode.TIMEOUT
