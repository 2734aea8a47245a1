"""The script that draws one page of a PDF or picture: bytes on stdin, pixels on stdout (see formats/sandbox/answer.py).

Its option is a task in JSON: {"format": NAME, "page": N, "width": N, "most_pixels": N, "max_pixels": N}, with pages
counted from 1. The picture is `width` pixels wide, or less if it would have more than `most_pixels`, and a file's own
picture has at most `max_pixels`. The answer is a head and the pixels, row by row, or the one word of a failure, which
is one of page_image.FAILURES. With page 0, the answer is the width and the height of each page, up to `most_pages`.
"""

from __future__ import annotations

import json
import struct
from typing import Any

from ragbase.formats.sandbox.answer import answer
from ragbase.formats.unreadable import Damaged, TooLarge

HEAD = struct.Struct(">4sIIB")
"""The mark below, the width and the height, and how many bytes a pixel has: one for grey, three for colours."""
MARK = b"PIXL"
GREY, COLOURS = 1, 3
SIZE = struct.Struct(">ff")


def draw_page(data: bytes, task: str) -> bytes:
    asked = json.loads(task)
    if not asked["page"]:
        return _sizes(data, asked)
    draw = _page_of_pdf if asked["format"] == "pdf" else _page_of_picture
    try:
        return draw(data, asked)
    except Damaged:
        return b"corrupt"
    except TooLarge:
        return b"too_large"


def _sizes(data: bytes, task: dict[str, Any]) -> bytes:
    sizes = _sizes_of_pdf if task["format"] == "pdf" else _sizes_of_picture
    try:
        return b"".join(SIZE.pack(width, height) for width, height in sizes(data, task))
    except Damaged:
        return b"corrupt"


def _sizes_of_pdf(data: bytes, task: dict[str, Any]) -> list[tuple[float, float]]:
    import pypdfium2  # type: ignore[import-untyped]  # it ships no types

    try:
        document = pypdfium2.PdfDocument(data)
        return [document.get_page_size(page) for page in range(min(len(document), task["most_pages"]))]
    except pypdfium2.PdfiumError as error:
        raise Damaged from error


def _sizes_of_picture(data: bytes, task: dict[str, Any]) -> list[tuple[float, float]]:
    from ragbase.formats.picture.frames import Frames

    frames = Frames(data, task["format"], task["max_pixels"])
    return [frames.size(page) for page in range(min(frames.pages, task["most_pages"]))]


def _page_of_pdf(data: bytes, task: dict[str, Any]) -> bytes:
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
        if not 1 <= task["page"] <= len(document):
            return b"no_page"
        document.init_forms()  # what is filled in is a part of the page
        page = document[task["page"] - 1]
        width, height = page.get_size()
        if width <= 0 or height <= 0:
            raise Damaged
        most = (task["most_pixels"] / (width * height)) ** 0.5
        scale = min(task["width"] / width, task["longest"] / height, most)
        bitmap = page.render(scale=scale, rev_byteorder=True)
    except pypdfium2.PdfiumError as error:
        raise Damaged from error
    row, pixels = bitmap.width * bitmap.n_channels, bytes(bitmap.buffer)
    lines = (pixels[start : start + row] for start in range(0, bitmap.stride * bitmap.height, bitmap.stride))
    return _answer(bitmap.width, bitmap.height, b"".join(lines))


def _page_of_picture(data: bytes, task: dict[str, Any]) -> bytes:
    from ragbase.formats.picture.frames import Frames

    frames = Frames(data, task["format"], task["max_pixels"])
    if not 1 <= task["page"] <= frames.pages:
        return b"no_page"
    image = frames.shown(task["page"] - 1, task["width"], task["most_pixels"])
    return _answer(image.width, image.height, image.tobytes())


def _answer(width: int, height: int, pixels: bytes) -> bytes:
    """Grey takes a third of the bytes, and most pages have no colours."""
    if len(pixels) == COLOURS * width * height:
        red, green, blue = pixels[::3], pixels[1::3], pixels[2::3]
        if red == green == blue:
            pixels = red
    return HEAD.pack(MARK, width, height, len(pixels) // (width * height)) + pixels


if __name__ == "__main__":
    answer(draw_page)
