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

import argparse
import io
import json
import random
import re
import resource
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import Path

import pypdfium2  # type: ignore[import-untyped]  # it ships no types

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.config import load_config
from ragbase.domain.errors import PermanentError
from ragbase.domain.job import ProcessingConfig
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.extractor import FormatExtractor
from ragbase.formats.pdf import ocr_data
from ragbase.formats.pdf.text_layer import read_pages
from scripts.bench.isolated import Figures, isolated
from scripts.bench.machine import machine
from scripts.bench.pdf_pages import as_picture, dense_columns

Reader = Callable[[bytes], str]

SHARE_ON_PAGE = 0.9
"""Of a passage's words: the two readers disagree about some."""
MIN_SECONDS = 2.0
ROUNDS = 3

WORD = re.compile(r"\w+")
HEADING = re.compile(r"^#{1,6}\s+(.+)$", re.MULTILINE)
ROW = re.compile(r"^\|(.+)\|\s*$", re.MULTILINE)
PIPE = re.compile(r"(?<!\\)\|")
NOT_TEXT = re.compile(r"<!--.*?-->|&amp;|\\(?=[_*|#])", re.DOTALL)


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/pdf", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a folder of PDFs and their expected Markdown")
    parser.add_argument("--passages", type=int, default=200, help="how many citations are checked")
    options = parser.parse_args()
    files = [file for file in sorted(options.data.glob("*.pdf")) if file.with_suffix(".expected.md").exists()]
    if not files:
        parser.error(f"{options.data} has no PDF with an expected Markdown (a.pdf and a.expected.md).")
    sides = {name: isolated(measure, name, files) for name in ("ragbase", "markitdown", "pypdf")}
    others = {
        "citations": citations(files, options.passages),
        "dense": isolated(dense, files),
        "scans": isolated(scans, files),
    }
    print(json.dumps({"bench": "pdf", **sides, **others, "machine": machine()}))


def measure(name: str, files: list[Path]) -> Figures:
    read = reader(name)
    figures: Figures = {"files": {}}
    for file in files:
        expected = file.with_suffix(".expected.md").read_text(encoding="utf-8")
        figures["files"][file.name] = scores(read(file.read_bytes()), expected)
    return figures | {"pages_per_second": speed(name, max(files, key=lambda file: file.stat().st_size).read_bytes())}


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


def speed(name: str, data: bytes) -> float:
    read = _in_this_process if name == "ragbase" else reader(name)
    pages = len(pypdfium2.PdfDocument(data))
    rounds, start = 0, time.process_time()
    while rounds == 0 or time.process_time() - start < MIN_SECONDS:
        read(data)
        rounds += 1
    return round(rounds * pages / (time.process_time() - start), 1)


def _in_this_process(data: bytes) -> str:
    document = pypdfium2.PdfDocument(data)
    return "\n\n".join(page.markdown for page in read_pages(document.raw, 1, len(document)))


def dense(files: list[Path]) -> Figures:
    data = dense_columns(" ".join(file.with_suffix(".expected.md").read_text(encoding="utf-8") for file in files))
    seconds = min(_seconds(FormatExtractor(), data).processor for _ in range(ROUNDS))
    pages = pypdfium2.PdfDocument(data)
    characters = sum(len(page.get_textpage().get_text_range()) for page in pages)
    return {"characters_a_page": characters // len(pages), "pages_per_second": round(len(pages) / seconds, 1)}


def scans(files: list[Path]) -> Figures:
    """The first page of each file as a picture: what a document of this one page takes."""
    folder = ocr_data.folder_in(load_config().model_folder)
    ocr_data.prepare(ProcessingConfig().ocr_languages, folder)
    extractor = FormatExtractor(ExtractionLimits(ocr_data=folder))
    figures: Figures = {}
    for file in files:
        picture = as_picture(file.read_bytes())
        taken = [_seconds(extractor, picture) for _ in range(ROUNDS)]
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


if __name__ == "__main__":
    main()
