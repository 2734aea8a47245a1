"""A PDF that wants to take a processor, memory or a script while one of its pages is drawn: it ends soon, as an image
or with a reason."""

from __future__ import annotations

import struct
import zlib

import pytest

from ragbase.domain.errors import PermanentError
from ragbase.formats.page_image import page_image
from tests.unit.formats.pdf.pdf_files import pdf_file

pytestmark = pytest.mark.slow  # each page is drawn in a process of its own

CATALOG, PAGES = b"<</Type /Catalog /Pages 2 0 R>>", b"<</Type /Pages /Kids [3 0 R] /Count 1>>"
FORM = b"/Type /XObject /Subtype /Form /BBox [0 0 99 99] "
PICTURE = b"/Type /XObject /Subtype /Image /Width 60000 /Height 60000 /BitsPerComponent 8 /ColorSpace /DeviceRGB "
SCRIPT = b"<</S /JavaScript /JS (while (true) {})>>"


def stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<<%s /Length %d>> stream\n%s\nendstream" % (entries, len(data), data)


def page(content: bytes, resources: bytes = b"", *more: bytes, catalog: bytes = CATALOG, entries: bytes = b"") -> bytes:
    """A page with this stream (object 4), and more objects from 5 on."""
    shown = b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents 4 0 R /Resources <<%s>> %s>>"
    return pdf_file([catalog, PAGES, shown % (resources, entries), content, *more])


def uses(number: int) -> bytes:
    return b"/XObject <</A %d 0 R>>" % number


def form(content: bytes, next: int) -> bytes:
    return stream(content, FORM + b"/Resources <<%s>>" % uses(next))


DRAW = stream(b"90 0 0 90 0 0 cm /A Do")
PACKED = b"/Filter /FlateDecode "
PATTERN = (
    b"/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 .01 .01] /XStep .001 /YStep .001 "
    b"/Resources <<>>"
)
HOSTILE = {
    "a form in itself": page(stream(b"/A Do"), uses(5), form(b"/A Do", 5)),
    "10^12 forms": page(stream(b"/A Do"), uses(5), *(form(b"/A Do " * 10, 6 + level) for level in range(12))),
    "10^10 tiles": page(stream(b"/Pattern cs /P scn 0 0 99 99 re f"), b"/Pattern <</P 5 0 R>>", stream(b"n", PATTERN)),
    "11 GB of picture": page(DRAW, uses(5), stream(zlib.compress(bytes(10**7), 9), PICTURE + PACKED)),
    "packed twice": page(
        stream(zlib.compress(zlib.compress(bytes(10**8), 9), 9), b"/Filter [/FlateDecode /FlateDecode] ")
    ),
    "pages in themselves": pdf_file([CATALOG, b"<</Type /Pages /Kids [2 0 R 2 0 R] /Count 9>>"]),
    "100,000 pages": pdf_file(
        [CATALOG, b"<</Type /Pages /Kids [%s] /Count 100000>>" % (b"3 0 R " * 10**5), b"<</Type /Page /Parent 2 0 R>>"]
    ),
    "2,000,000 states": page(stream(b"q " * 2 * 10**6)),
    "scripts": page(
        stream(b"n"),
        catalog=b"<</Type /Catalog /Pages 2 0 R /OpenAction %s>>" % SCRIPT,
        entries=b"/AA <</O %s>>" % SCRIPT,
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_page_ends_as_an_image_or_with_a_reason(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_image, "SECONDS", 2.0)
    try:
        drawn = page_image.page_image(HOSTILE[name], "pdf", 1, 200)
    except PermanentError as error:
        assert error.reason in {reason for _, reason in page_image.FAILURES.values()}
        return
    assert drawn is not None
    width, height = struct.unpack(">II", drawn[16:24])
    assert 0 < width <= 200 and 0 < height <= 300
