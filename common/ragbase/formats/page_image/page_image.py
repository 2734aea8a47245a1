"""A page of a PDF or of a picture as a PNG. It is drawn in a process of its own, since either can break any parser, and
written here, from its pixels alone: nothing else of the file reaches a browser."""

from __future__ import annotations

import json
import struct
import zlib
from itertools import starmap
from math import inf
from pathlib import Path
from typing import NamedTuple

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.formats.file_types import PICTURE_CONTENT_TYPES
from ragbase.formats.page_image import child_process
from ragbase.formats.page_image.child_process import COLOURS, GREY, HEAD, MARK, SIZE

CHILD_PROCESS = Path(child_process.__file__)

SECONDS = 20.0
"""A page of a plan takes some."""
MEMORY = 384 * 1024 * 1024
"""Bytes of address space. The function api draws two pages at a time in 1 GB."""
MOST_PIXELS = 8_000_000
"""Of an image. With colours it takes 24 MB in memory before it is packed."""
LONGEST = 16_384
"""Pixels of a side of a PDF's page: a strip would else be as high as it has pixels, and no browser shows that."""
BYTES_PER_PIXEL = 12
"""What decoding a picture takes, as formats/picture/picture.py counts."""

MOST_PAGES = 20_000
"""Whose sizes are told."""

FAILURES = {
    "corrupt": (ErrorCode.CORRUPT_FILE, "The page is damaged and cannot be drawn. Download the file instead."),
    "too_large": (ErrorCode.FILE_TOO_LARGE, "The picture has too many pixels to be drawn. Download the file instead."),
    "crashed": (
        ErrorCode.CORRUPT_FILE,
        f"The page broke what draws it, or needs more than {MEMORY} bytes of memory. Download the file instead.",
    ),
    "slow": (
        ErrorCode.TIMEOUT,
        f"The page could not be drawn within {SECONDS:g} seconds. Download the file instead.",
    ),
}
"""What each word of the script, and of this module, means."""
NO_PAGE = b"no_page"

SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOUR_TYPES = {GREY: 0, COLOURS: 2}  # of 8 bits (www.w3.org/TR/png-3, 11.2.1)
LEVEL = 1
"""Of packing: most of a page is white, and somebody waits."""


class PageSize(NamedTuple):
    """Of a page as people see it: in points of a PDF, or in pixels of a picture."""

    width: float
    height: float


def can_be_drawn(format: str) -> bool:
    """Whether files of this format have pages that can be drawn."""
    return format == "pdf" or format in PICTURE_CONTENT_TYPES


def page_image(data: bytes, format: str, page: int, width: int) -> bytes | None:
    """A PNG of the page, which is counted from 1, some `width` pixels wide; None if there is no such page.

    Raises PermanentError if it cannot be drawn, and MissingExtra.
    """
    if page < 1:  # which asks the process for something else
        return None
    said = _ask(data, format, page, width, most_bytes=COLOURS * 2 * MOST_PIXELS)
    if said == NO_PAGE:
        return None
    drawn = _pixels(said)
    if drawn is None:
        raise _failure(_word(said))
    return _png(*drawn)


def page_sizes(data: bytes, format: str) -> tuple[PageSize, ...]:
    """Those of the first MOST_PAGES pages. Raises as `page_image`."""
    said = _ask(data, format, 0, 0, most_bytes=SIZE.size * MOST_PAGES)
    if len(said) % SIZE.size:
        raise _failure(_word(said))
    sizes = tuple(starmap(PageSize, SIZE.iter_unpack(said)))
    if not all(0 < size.width < inf and 0 < size.height < inf for size in sizes):
        raise _failure("corrupt")
    return sizes


def _ask(data: bytes, format: str, page: int, width: int, *, most_bytes: int) -> bytes:
    """What the process says that draws. Raises PermanentError and MissingExtra."""
    from ragbase.formats.sandbox.run import Crashed, TimedOut, run_sandboxed

    if format == "pdf":
        from ragbase.formats.pdf.pdf import from_header, require_libraries

        require_libraries()
        data = from_header(data)
    else:
        from ragbase.formats.libraries import PICTURES, require

        require(PICTURES, format)
    task = {
        "format": format,
        "page": page,
        "width": width,
        "most_pages": MOST_PAGES,
        "most_pixels": MOST_PIXELS,
        "longest": LONGEST,
        "max_pixels": MEMORY // BYTES_PER_PIXEL,
    }
    try:
        return run_sandboxed(
            CHILD_PROCESS,
            data,
            memory_bytes=MEMORY,
            output_bytes=most_bytes,
            seconds=SECONDS,
            options=(json.dumps(task),),
        )
    except Crashed as error:
        raise _failure("crashed") from error
    except TimedOut as error:
        raise _failure("slow") from error


def _word(said: bytes) -> str:
    word = said.decode(errors="replace")
    return word if word in FAILURES else "crashed"


def _pixels(said: bytes) -> tuple[int, int, int, bytes] | None:
    """The width, the height, the bytes of a pixel, and the pixels; None for what is no drawing. The file may have taken
    over the process that draws it."""
    if len(said) < HEAD.size:
        return None
    mark, width, height, depth = HEAD.unpack_from(said)
    pixels = said[HEAD.size :]
    is_drawing = mark == MARK and depth in COLOUR_TYPES and 0 < width * height <= 2 * MOST_PIXELS
    return (width, height, depth, pixels) if is_drawing and len(pixels) == width * height * depth else None


def _png(width: int, height: int, depth: int, pixels: bytes) -> bytes:
    row = width * depth
    lines = b"".join(b"\0" + pixels[start : start + row] for start in range(0, len(pixels), row))
    head = struct.pack(">IIBBBBB", width, height, 8, COLOUR_TYPES[depth], 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(lines, LEVEL)), (b"IEND", b""))
    return SIGNATURE + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _failure(word: str) -> PermanentError:
    return PermanentError(*FAILURES[word])
