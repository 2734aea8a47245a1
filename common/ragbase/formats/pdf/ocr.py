"""The words of a page that is a picture, found by Tesseract (https://github.com/tesseract-ocr/tesseract).

It runs in the child process that reads a PDF. Only the thread that opened the document asks PDFium for pictures. They
are read in a thread a core, since Tesseract does not hold Python's lock. What a page gives depends on no other page.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from statistics import median
from typing import Any

os.environ["OMP_THREAD_LIMIT"] = "1"  # threads of Tesseract's own would only wait for each other
import tesserocr  # type: ignore[import-untyped]

from ragbase.processors import processors

RESOLUTION = 300
"""Dots an inch: Tesseract reads best from 300 on (tesseract-ocr.github.io/tessdoc/ImproveQuality.html). With 240 it
takes a tenth less time, and misses some of the small words in drawings."""
MOST_PIXELS = 12_000_000
"""A larger page is drawn more coarsely. A4 has 8.7 million at 300 dots an inch."""
POINTS = 72
"""Units of a PDF's page an inch."""

SURE = 80.0
"""Tesseract's mean confidence in percent. Below it, the page may stand on its head: in tests, upside-down pages of text
had 40 to 63, and others 88 to 97."""
SIDEWAYS = (tesserocr.Orientation.PAGE_RIGHT, tesserocr.Orientation.PAGE_LEFT)
NOISE = 25.0
"""The confidence below which a paragraph is a stain, a photograph or a pattern rather than words."""

HEADING = 1.35
"""How much taller than most lines of its page a line of a heading is."""
LONGEST_HEADING = 120
DARK = bytes(range(128, 256))
"""The values of pixels that are rather white."""
LEAST_INK = 5e-5
"""The share of dark pixels below which a page shows nothing but dust."""

CORES = min(2, processors())
HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\n(?=[^\W\d_])")
LETTER = re.compile(r"[^\W_]")


class BadData(Exception):
    """Tesseract cannot read the data of the languages."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A page in grey, a byte a pixel, in rows of `stride` bytes."""

    pixels: bytes
    width: int
    height: int
    stride: int

    @property
    def has_ink(self) -> bool:
        return len(self.pixels.translate(None, DARK)) > LEAST_INK * len(self.pixels)


@dataclass(frozen=True, slots=True)
class Recognised:
    """The Markdown of a page, and whether the page shows anything at all."""

    markdown: str
    has_ink: bool


class Ocr:
    """Reads pages in some languages, by the names that Tesseract gives them (eng, vie), from the data in a folder."""

    def __init__(self, data: str, languages: Sequence[str]) -> None:
        self._data = data
        self._languages = "+".join(languages)
        self._pool = ThreadPoolExecutor(CORES)
        self._of_thread = threading.local()
        self._free = threading.Semaphore(CORES)

    def recognise(self, page: Any) -> Future[Recognised]:
        """Begin to read one page of pypdfium2. It is drawn here, and read in another thread: as soon as one is free,
        so that few pictures are in memory. The result raises BadData."""
        return self.read(lambda: _picture(page))

    def read(self, draw: Callable[[], Picture]) -> Future[Recognised]:
        """Begin to read what `draw` draws in this thread, as soon as another one is free to read it."""
        self._free.acquire()
        try:
            picture = draw()
        except BaseException:
            self._free.release()
            raise
        reading = self._pool.submit(self._read, picture)
        reading.add_done_callback(lambda _: self._free.release())
        return reading

    def _read(self, picture: Picture) -> Recognised:
        if not picture.has_ink:
            return Recognised("", has_ink=False)
        found = [self._words(picture)]
        others = (90, 270) if found[0].is_sideways else (180,)
        for turn in others if found[0].is_sideways or found[0].sureness < SURE else ():
            found.append(self._words(_turned(picture, turn)))
            if found[-1].sureness >= SURE:
                break
        return Recognised(max(found, key=lambda words: words.sureness * len(words.markdown)).markdown, has_ink=True)

    def _words(self, picture: Picture) -> _Words:
        engine = self._engine()
        engine.SetImageBytes(picture.pixels, picture.width, picture.height, 1, picture.stride)
        try:
            engine.Recognize()
            paragraphs = list(_paragraphs(engine))
        finally:
            engine.Clear()
        if not paragraphs:
            return _Words("", 0.0, is_sideways=False)
        length = sum(len(paragraph.text) for paragraph in paragraphs)
        sureness = sum(paragraph.sureness * len(paragraph.text) for paragraph in paragraphs) / length
        sideways = sum(len(paragraph.text) for paragraph in paragraphs if paragraph.is_sideways)
        return _Words(_markdown(paragraphs), sureness, is_sideways=2 * sideways > length)

    def _engine(self) -> Any:
        engine = getattr(self._of_thread, "engine", None)
        if engine is None:
            try:
                engine = tesserocr.PyTessBaseAPI(
                    path=self._data, lang=self._languages, psm=tesserocr.PSM.AUTO, oem=tesserocr.OEM.LSTM_ONLY
                )
            except RuntimeError as error:
                raise BadData from error
            engine.SetVariable("user_defined_dpi", str(RESOLUTION))
            self._of_thread.engine = engine
        return engine


@dataclass(frozen=True, slots=True)
class _Words:
    """What stands in a picture, how sure Tesseract is of it, and whether most lines run upwards or downwards."""

    markdown: str
    sureness: float
    is_sideways: bool


@dataclass(frozen=True, slots=True)
class _Paragraph:
    text: str
    sureness: float
    line_height: float
    is_sideways: bool


def _paragraphs(engine: Any) -> Iterator[_Paragraph]:
    found = engine.GetIterator()
    if found is None:
        return
    level = tesserocr.RIL.PARA
    for paragraph in tesserocr.iterate_level(found, level):
        if paragraph.Empty(level):
            continue
        text = HYPHEN.sub("", paragraph.GetUTF8Text(level).strip())
        sureness = paragraph.Confidence(level)
        if sureness >= NOISE and LETTER.search(text):
            height = paragraph.RowAttributes()["row_height"]
            orientation, *_ = paragraph.Orientation()
            yield _Paragraph(" ".join(text.split()), sureness, height, is_sideways=orientation in SIDEWAYS)


def _markdown(paragraphs: Sequence[_Paragraph]) -> str:
    usual = median(paragraph.line_height for paragraph in paragraphs for _ in paragraph.text.split())
    parts = []
    for paragraph in paragraphs:
        is_heading = (
            len(paragraphs) > 1
            and paragraph.line_height >= HEADING * usual
            and len(paragraph.text) <= LONGEST_HEADING
            and paragraph.sureness >= SURE
        )
        parts.append(f"## {paragraph.text}" if is_heading else _plain(paragraph.text))
    return "\n\n".join(parts)


def _plain(text: str) -> str:
    """The text so that its first character is not taken for Markdown's. A list stays a list."""
    return f"\\{text}" if text[0] in "#>|`~" else text


def _picture(page: Any) -> Picture:
    width, height = page.get_size()
    scale = RESOLUTION / POINTS
    pixels = width * height * scale * scale
    if pixels > MOST_PIXELS:
        scale *= (MOST_PIXELS / pixels) ** 0.5
    bitmap = page.render(scale=scale, grayscale=True)
    try:
        return Picture(bytes(bitmap.buffer), bitmap.width, bitmap.height, bitmap.stride)
    finally:
        bitmap.close()


def _turned(picture: Picture, turn: int) -> Picture:
    import numpy as np  # only for pages that stand on their side or head

    grid = np.frombuffer(picture.pixels, np.uint8).reshape(picture.height, picture.stride)[:, : picture.width]
    turned = np.ascontiguousarray(np.rot90(grid, turn // 90))
    height, width = turned.shape
    return Picture(turned.tobytes(), width, height, width)
