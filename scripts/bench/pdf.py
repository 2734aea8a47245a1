"""Measure how well and how fast PDFs become Markdown, beside markitdown and pypdf. Prints one line of JSON.

The folder has PDFs, and `NAME.expected.md` for each `NAME.pdf` that is compared. Words count as often as they stand in
the text (F1). A heading is found if a line of Markdown that is a heading has its words; a cell, if a table has a cell
with its words. A cell that says the same as the one on its left or above it counts as one with it, because Markdown has
no merged cells, and some readers repeat their text. Speed is pages a second of processor time, the longest file over
and over. `citations` are passages of all files, drawn at random: those whose words stand on the page that they name, by
pypdf's reading. `dense` are pages in two columns, and `scans` the files' first pages as pictures, each a document: what
ragbase's processes take for them.
"""

from __future__ import annotations

import ctypes
import io
import random
import re
import resource
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pypdfium2  # type: ignore[import-untyped]  # it ships no types
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.config import load_config
from ragbase.domain.errors import PermanentError
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.extractor import FormatExtractor
from ragbase.formats.pdf import ocr_data
from ragbase.formats.pdf.text_layer import read_pages
from scripts.bench.harness import Bench, Figures, isolated

Reader = Callable[[bytes], str]

SHARE_ON_PAGE = 0.9
"""Of a passage's words: the two readers disagree about some."""
SECONDS = 0.7
"""Of each round, for which the speed is measured."""

WIDTH, HEIGHT = 612, 792
"""Points of a page."""
COLUMNS = (50, 312)
"""Where they begin, in points from the left."""
LINES, CHARACTERS = 54, 56
"""Of each column, and at most of each line."""
SIZE, LEADING = 8, 12.5
"""Points: of a letter, and from line to line."""
DOTS = 300
"""Dots an inch of a scan."""

WORD = re.compile(r"\w+")
HEADING = re.compile(r"^#{1,6}\s+(.+)$", re.MULTILINE)
ROW = re.compile(r"^\|(.+)\|\s*$", re.MULTILINE)
PIPE = re.compile(r"(?<!\\)\|")
NOT_TEXT = re.compile(r"<!--.*?-->|&amp;|\\(?=[_*|#])", re.DOTALL)


def main() -> None:
    bench = Bench("pdf", __doc__, data="a folder of PDFs and their expected Markdown")
    bench.number("--passages", 200, "how many citations are checked")
    bench.number("--pages", 200, "of dense text")
    bench.number("--rounds", 3, "how often each is measured; the least time counts")
    options = bench.parse_args()
    expected = bench.files(options.data, "*.expected.md", "PDFs with an expected Markdown")
    files = [file.with_name(file.name.replace(".expected.md", ".pdf")) for file in expected]
    sides = {name: isolated(measure, name, files, options.rounds) for name in ("ragbase", "markitdown", "pypdf")}
    others = {
        "citations": citations(files, options.passages),
        "dense": isolated(dense, files, options.pages, options.rounds),
        "scans": isolated(scans, files, options.rounds),
    }
    bench.say(sides | others)


def measure(name: str, files: list[Path], rounds: int) -> Figures:
    read = reader(name)
    figures: Figures = {"files": {}}
    for file in files:
        expected = file.with_suffix(".expected.md").read_text(encoding="utf-8")
        figures["files"][file.name] = scores(read(file.read_bytes()), expected)
    return figures | {
        "pages_per_second": speed(name, max(files, key=lambda file: file.stat().st_size).read_bytes(), rounds * SECONDS)
    }


def reader(name: str) -> Reader:
    if name == "ragbase":
        return _ragbase
    if name == "pypdf":
        import pypdf

        return lambda data: "\n".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages)
    from markitdown import MarkItDown

    converter = MarkItDown()
    return lambda data: converter.convert_stream(io.BytesIO(data), file_extension=".pdf").text_content


def _ragbase(data: bytes) -> str:
    try:
        return FormatExtractor().extract(data, "pdf", ProcessingConfig()).markdown
    except PermanentError:
        return ""


def speed(name: str, data: bytes, least: float) -> float:
    """Pages a second of processor time, over so many seconds."""
    read = _in_this_process if name == "ragbase" else reader(name)
    pages = len(pypdfium2.PdfDocument(data))
    rounds, start = 0, time.process_time()
    while rounds == 0 or time.process_time() - start < least:
        read(data)
        rounds += 1
    return round(rounds * pages / (time.process_time() - start), 1)


def _in_this_process(data: bytes) -> str:
    document = pypdfium2.PdfDocument(data)
    return "\n\n".join(page.markdown for page in read_pages(document.raw, 1, len(document)))


def dense(files: list[Path], count: int, rounds: int) -> Figures:
    data = dense_columns(
        " ".join(file.with_suffix(".expected.md").read_text(encoding="utf-8") for file in files), count
    )
    seconds = min(_seconds(FormatExtractor(), data).processor for _ in range(rounds))
    pages = pypdfium2.PdfDocument(data)
    characters = sum(len(page.get_textpage().get_text_range()) for page in pages)
    return {"characters_a_page": characters // len(pages), "pages_per_second": round(len(pages) / seconds, 1)}


def scans(files: list[Path], rounds: int) -> Figures:
    """The first page of each file as a picture: what a document of this one page takes."""
    folder = ocr_data.folder_in(load_config().model_folder)
    ocr_data.prepare(ProcessingConfig().ocr_languages, folder)
    extractor = FormatExtractor(ExtractionLimits(ocr_data=folder))
    figures: Figures = {}
    for file in files:
        picture = as_picture(file.read_bytes())
        taken = [_seconds(extractor, picture) for _ in range(rounds)]
        figures[file.name] = {
            "characters": taken[0].characters,
            "seconds": round(min(run.wall for run in taken), 2),
            "processor_seconds": round(min(run.processor for run in taken), 2),
        }
    return figures


@dataclass(frozen=True, slots=True)
class _Run:
    characters: int
    wall: float
    processor: float


def _seconds(extractor: FormatExtractor, data: bytes) -> _Run:
    """What a document takes from its bytes to its text, the start of its process included."""
    start, before = time.perf_counter(), _processor_seconds()
    characters = len(extractor.extract(data, "pdf", ProcessingConfig()).markdown)
    return _Run(characters, time.perf_counter() - start, _processor_seconds() - before)


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def scores(markdown: str, expected: str) -> dict[str, float | None]:
    ours, theirs = (_merged_once(NOT_TEXT.sub("", text)) for text in (markdown, expected))
    found, wanted = Counter(words(ours)), Counter(words(theirs))
    same = (found & wanted).total()
    return {
        "word_f1": round(2 * same / max(found.total() + wanted.total(), 1), 4),
        "headings": _share(_headings(ours), _headings(theirs)),
        "cells": _share(_cells(ours), _cells(theirs)),
    }


def words(text: str) -> list[str]:
    return WORD.findall(text.lower())


def _merged_once(markdown: str) -> str:
    lines: list[str] = []
    above = [""]
    for line in markdown.splitlines():
        row = ROW.match(line)
        cells = [" ".join(cell.split()) for cell in PIPE.split(row[1])] if row else [""]
        beside = zip(cells, ["", *cells], chain(above, repeat("")), strict=False)
        once = ["" if cell in (left, top) else cell for cell, left, top in beside]
        lines.append(f"|{'|'.join(once)}|" if row else line)
        above = above if row and not "".join(cells).strip("-: ") else cells
    return "\n".join(lines)


def _headings(markdown: str) -> Counter[str]:
    return Counter(" ".join(words(title)) for title in HEADING.findall(markdown))


def _cells(markdown: str) -> Counter[str]:
    return Counter(cell for row in ROW.findall(markdown) for part in PIPE.split(row) if (cell := " ".join(words(part))))


def _share(found: Counter[str], wanted: Counter[str]) -> float | None:
    return round((found & wanted).total() / wanted.total(), 4) if wanted else None


def citations(files: list[Path], count: int) -> dict[str, int]:
    import pypdf

    drawn = []
    for file in files:
        data = file.read_bytes()
        try:
            extraction = FormatExtractor().extract(data, "pdf", ProcessingConfig())
        except PermanentError:
            continue
        pages = [Counter(words(page.extract_text())) for page in pypdf.PdfReader(io.BytesIO(data)).pages]
        drawn += [
            (pages[(passage.page or 1) - 1], passage.text) for passage in MarkdownChunker(300, 50).split(extraction)
        ]
    chosen = random.Random(1).sample(drawn, min(count, len(drawn)))
    right = sum(_stands_on(page, text) for page, text in chosen)
    return {"checked": len(chosen), "on_their_page": right}


def _stands_on(page: Counter[str], text: str) -> bool:
    wanted = words(text)
    return sum(word in page for word in wanted) >= SHARE_ON_PAGE * len(wanted)


def dense_columns(text: str, pages: int) -> bytes:
    """A PDF of so many pages in two columns, as full as a paper's, which go through the ASCII words of this text."""
    lines = textwrap.wrap(" ".join(word for word in text.split() if word.isascii()), CHARACTERS)
    document = pypdfium2.PdfDocument.new()
    font = pdfium.FPDFText_LoadStandardFont(document.raw, b"Helvetica")
    for number in range(pages):
        page = document.new_page(WIDTH, HEIGHT)
        for column, left in enumerate(COLUMNS):
            first = (len(COLUMNS) * number + column) * LINES
            _write(document, page, font, left, [lines[(first + line) % len(lines)] for line in range(LINES)])
        page.gen_content()
    return _saved(document)


def _write(document: Any, page: Any, font: object, left: float, lines: Sequence[str]) -> None:
    for number, line in enumerate(lines):
        written = pdfium.FPDFPageObj_CreateTextObj(document.raw, font, SIZE)
        text = ctypes.create_string_buffer(line.encode("utf-16-le") + b"\0")
        pdfium.FPDFText_SetText(written, ctypes.cast(text, pdfium.FPDF_WIDESTRING))
        pdfium.FPDFPageObj_Transform(written, 1, 0, 0, 1, left, HEIGHT - 50 - LEADING * number)
        pdfium.FPDFPage_InsertObject(page.raw, written)


def as_picture(data: bytes, index: int = 0) -> bytes:
    """A page of a PDF as a scanner would make it: a page that is a grey picture."""
    page = pypdfium2.PdfDocument(data)[index]
    width, height = page.get_size()
    document = pypdfium2.PdfDocument.new()
    picture = pypdfium2.PdfImage.new(document)
    picture.set_bitmap(page.render(scale=DOTS / 72, grayscale=True))
    picture.set_matrix(pypdfium2.PdfMatrix().scale(width, height))
    scan = document.new_page(width, height)
    scan.insert_obj(picture)
    scan.gen_content()
    return _saved(document)


def _saved(document: Any) -> bytes:
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


if __name__ == "__main__":
    main()
