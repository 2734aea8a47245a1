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

from ragbase.domain.word_boxes import UNITS, packed_boxes
from ragbase.formats.grey_picture import MOST_PIXELS, Picture
from ragbase.formats.pdf.written import (
    PlacedWord,
    Written,
    joined,
    replaced,
    with_single_blanks,
    words_in,
    written,
)
from ragbase.processors import processors

RESOLUTION = 300
"""Dots an inch: Tesseract reads best from 300 on (tesseract-ocr.github.io/tessdoc/ImproveQuality.html). With 240 it
takes a tenth less time, and misses some of the small words in drawings."""
POINTS = 72
"""Units of a PDF's page an inch."""

SURE = 80.0
"""Tesseract's mean confidence in percent. Below it, the page may stand on its head: in tests, upside-down pages of text
had 40 to 63, and others 88 to 97."""
SIDEWAYS = (tesserocr.Orientation.PAGE_RIGHT, tesserocr.Orientation.PAGE_LEFT)
NOISE = 25.0
"""The confidence below which a paragraph is a stain, a photograph or a pattern rather than words."""

LEAST_FLAT = 0.3
"""How steep the foot of a word is that does not run from left to right."""

HEADING = 1.35
"""How much taller than most lines of its page a line of a heading is."""
LONGEST_HEADING = 120
CORES = min(2, processors())
HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]\n(?=[^\W\d_])")
LETTER = re.compile(r"[^\W_]")


class BadData(Exception):
    """Tesseract cannot read the data of the languages."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """The Markdown of a page, whether the page shows anything at all, and where its words stand on it
    (domain/word_boxes.py)."""

    markdown: str
    has_ink: bool
    boxes: str = ""


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
        found = [self._words(picture, 0)]
        others = (90, 270) if found[0].is_sideways else (180,)
        for turn in others if found[0].is_sideways or found[0].sureness < SURE else ():
            found.append(self._words(_turned(picture, turn), turn))
            if found[-1].sureness >= SURE:
                break
        best = max(found, key=lambda words: words.sureness * len(words.markdown))
        return Recognised(best.markdown, has_ink=True, boxes=best.boxes)

    def _words(self, picture: Picture, turn: int) -> _Words:
        """`turn` is by how many degrees the picture was turned, counter-clockwise."""
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
        markdown = _markdown(paragraphs)
        is_sideways = 2 * sideways > length
        return _Words(str(markdown), sureness, is_sideways=is_sideways, boxes=_boxes(markdown, picture, turn))

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
    boxes: str = ""


@dataclass(frozen=True, slots=True)
class _Paragraph:
    text: Written
    sureness: float
    line_height: float
    is_sideways: bool


def _paragraphs(engine: Any) -> Iterator[_Paragraph]:
    found = engine.GetIterator()
    if found is None:
        return
    level, of_word = tesserocr.RIL.PARA, tesserocr.RIL.WORD
    said, sureness, height, orientation, place = "", 0.0, 0.0, None, 0
    words: list[PlacedWord] = []
    for word in tesserocr.iterate_level(found, of_word):
        if word.Empty(of_word):
            continue
        if word.IsAtBeginningOf(level):
            said = word.GetUTF8Text(level)
            sureness, height = word.Confidence(level), word.RowAttributes()["row_height"]
            orientation, *_ = word.Orientation()
            words, place = [], 0
        text = word.GetUTF8Text(of_word)
        place = len(said) - len(said[place:].lstrip())
        box = _box(word, of_word)
        if box is not None and said.startswith(text, place):
            words.append((place, place + len(text), box))
            place += len(text)
        if word.IsAtFinalElement(level, of_word):
            read = with_single_blanks(replaced(HYPHEN, "", written(said, words)))
            if sureness >= NOISE and LETTER.search(read):
                yield _Paragraph(read, sureness, height, is_sideways=orientation in SIDEWAYS)


def _box(word: Any, level: int) -> tuple[float, float, float, float] | None:
    """Left, top, right and bottom in pixels. A word reaches as high and as low as any on its line."""
    ink, foot, row = word.BoundingBox(level), word.Baseline(level), word.RowAttributes()
    if ink is None or foot is None:
        return ink  # type: ignore[no-any-return]  # of a library without types
    left, top, right, bottom = ink
    (x, y), (end, end_y) = foot
    if abs(end_y - y) > LEAST_FLAT * abs(end - x):
        return left, top, right, bottom
    middle, below = (y + end_y) / 2, abs(row["descenders"])
    return left, min(top, middle + below - row["row_height"]), right, max(bottom, middle + below)


def _markdown(paragraphs: Sequence[_Paragraph]) -> Written:
    usual = median(paragraph.line_height for paragraph in paragraphs for _ in paragraph.text.split())
    parts = []
    for paragraph in paragraphs:
        is_heading = (
            len(paragraphs) > 1
            and paragraph.line_height >= HEADING * usual
            and len(paragraph.text) <= LONGEST_HEADING
            and paragraph.sureness >= SURE
        )
        parts.append(joined("## ", ("", paragraph.text)) if is_heading else _plain(paragraph.text))
    return joined("\n\n", parts)


def _plain(text: Written) -> Written:
    """The text so that its first character is not taken for Markdown's. A list stays a list."""
    return joined("\\", ("", text)) if text[0] in "#>|`~" else text


def _boxes(markdown: Written, picture: Picture, turn: int) -> str:
    """Where the words stand on the page, whose picture was turned counter-clockwise by `turn` degrees."""
    words = words_in(markdown)
    across, down = UNITS / picture.width, UNITS / picture.height
    sides = (
        [round(box[0] * across) for _, _, box in words],
        [round(box[1] * down) for _, _, box in words],
        [round(box[2] * across) for _, _, box in words],
        [round(box[3] * down) for _, _, box in words],
    )
    return packed_boxes([start for start, _, _ in words], [end for _, end, _ in words], sides, turn=turn // 90)


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
