"""Measure whether marks cover the letters of the sentences that they are for. Prints one line of JSON.

The folder has PDFs. Of all their sentences, as `ask` cites them, some are drawn at random. Those of pages with a text
layer are read back by the boxes that PDFium gives of each letter; those of scans, by the boxes of the words that
Tesseract reads in the bench's own picture of the page. Each page of the PDFs is scanned, too. `equal` is the share of
sentences whose letters and digits are exactly those under their marks, and `others` counts the sentences under whose
marks more than one letter in ten belongs to something else. `bytes_a_word` is what is stored.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import random
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypdfium2  # type: ignore[import-untyped]  # it ships no types
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

from ragbase.chunking.sentences import sentence_spans
from ragbase.config import load_config
from ragbase.domain.errors import PermanentError
from ragbase.domain.extraction import Extraction, PageReading
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.word_boxes import PageMark, marks_on
from ragbase.formats.extraction_limits import ExtractionLimits
from ragbase.formats.extractor import FormatExtractor
from ragbase.formats.pdf import ocr_data
from scripts.bench.machine import machine
from scripts.bench.pdf_pages import DOTS, as_picture

SHARE_OF_OTHERS = 0.1
LEAST_LETTERS = 12
"""What has fewer is a number, or a word in a table."""
DRAWN = (1, 2)
"""How often a text may be drawn at one place, to look bold or as its shadow."""
FINE = 1_000_000

Letter = tuple[str, float, float]
"""One or more letters, and their middle in fractions of the page."""


@dataclass(frozen=True, slots=True)
class Sentence:
    file: str
    text: str
    letters: Counter[str]
    under: Counter[str]

    @property
    def is_equal(self) -> bool:
        return any(
            self.under == Counter({one: times * count for one, count in self.letters.items()}) for times in DRAWN
        )

    @property
    def marks_others(self) -> bool:
        return not self.is_equal and (self.under - self.letters).total() > SHARE_OF_OTHERS * self.letters.total()


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/marks", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a folder of PDFs")
    parser.add_argument("--sentences", type=int, default=300, help="how many are drawn")
    parser.add_argument("--show", action="store_true", help="the sentences that are not equal, before the figures")
    options = parser.parse_args()
    files = sorted(options.data.glob("*.pdf"))
    documents = {file.name: file.read_bytes() for file in files}
    result: dict[str, Any] = {"bench": "marks"}
    layers = measured(documents, PageReading.TEXT)
    result["text"] = figures(layers, options.sentences, show=options.show)
    scanned = dict(scans(documents))
    result["scans"] = figures(measured(scanned, PageReading.OCR), options.sentences, show=options.show)
    print(json.dumps(result | {"machine": machine()}))


def scans(documents: dict[str, bytes]) -> Iterator[tuple[str, bytes]]:
    for name, data in documents.items():
        try:
            document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError:  # with a password
            continue
        for number in range(len(document)):
            yield f"{name}, page {number + 1}", as_picture(data, number)


def measured(documents: dict[str, bytes], read: PageReading) -> tuple[list[Sentence], list[tuple[int, int]]]:
    """The sentences of all pages that were read in this way, and of each document the bytes of its boxes and how many
    words it has."""
    extractor = FormatExtractor(ExtractionLimits(ocr_data=ocr_data.folder_in(load_config().model_folder)))
    found: list[Sentence] = []
    sizes: list[tuple[int, int]] = []
    for name, data in documents.items():
        try:
            extraction = extractor.extract(data, "pdf", ProcessingConfig())
        except PermanentError:
            continue
        sizes.append((len(extraction.boxes), len(extraction.markdown.split())))
        document = pypdfium2.PdfDocument(data)
        for page in extraction.pages:
            if page.read is read:
                found += sentences(name, extraction, page.number, document[page.number - 1])
    return found, sizes


def sentences(name: str, extraction: Extraction, number: int, page: Any) -> Iterator[Sentence]:
    of_page = extraction.pages[number - 1]
    text = extraction.markdown[of_page.start : of_page.end]
    letters = list(_recognised(page) if of_page.read is PageReading.OCR else _letters(page))
    for start, end in sentence_spans(text):
        said = Counter(_alphanumeric(text[start:end]))
        if said.total() < LEAST_LETTERS:
            continue
        marks = marks_on(extraction.boxes, number, of_page.start + start, of_page.start + end)
        under = (letter for letter, x, y in letters if _is_marked(marks, x, y))
        yield Sentence(name, text[start:end], said, Counter(_alphanumeric("".join(under))))


def _letters(page: Any) -> Iterator[Letter]:
    """By PDFium's boxes of the letters' ink."""
    text_page = page.get_textpage()
    x, y = ctypes.c_int(), ctypes.c_int()
    for index in range(text_page.count_chars()):
        letter = chr(pdfium.FPDFText_GetUnicode(text_page.raw, index))
        if letter.isspace() or pdfium.FPDFText_IsGenerated(text_page.raw, index):
            continue
        left, bottom, right, top = text_page.get_charbox(index)
        middle = (left + right) / 2, (bottom + top) / 2
        pdfium.FPDF_PageToDevice(page.raw, 0, 0, FINE, FINE, 0, *middle, x, y)
        yield letter, x.value / FINE, y.value / FINE


def _recognised(page: Any) -> Iterator[Letter]:
    """By the words that Tesseract reads in a picture of the page that is drawn here."""
    os.environ["OMP_THREAD_LIMIT"] = "1"
    import tesserocr  # type: ignore[import-untyped]

    picture = page.render(scale=DOTS / 72, grayscale=True)
    folder = str(ocr_data.folder_in(load_config().model_folder))
    languages = "+".join(ocr_data.codes_of(ProcessingConfig().ocr_languages))
    with tesserocr.PyTessBaseAPI(
        path=folder, lang=languages, psm=tesserocr.PSM.AUTO, oem=tesserocr.OEM.LSTM_ONLY
    ) as engine:
        engine.SetVariable("user_defined_dpi", str(DOTS))
        engine.SetImageBytes(bytes(picture.buffer), picture.width, picture.height, 1, picture.stride)
        engine.Recognize()
        level = tesserocr.RIL.WORD
        for word in tesserocr.iterate_level(engine.GetIterator(), level):
            box = None if word.Empty(level) else word.BoundingBox(level)
            if box is not None:
                middle = (box[0] + box[2]) / 2 / picture.width, (box[1] + box[3]) / 2 / picture.height
                yield word.GetUTF8Text(level), *middle


def _alphanumeric(text: str) -> Iterator[str]:
    return filter(str.isalnum, unicodedata.normalize("NFKC", text))


def _is_marked(marks: Sequence[PageMark], x: float, y: float) -> bool:
    return any(mark.left <= x <= mark.right and mark.top <= y <= mark.bottom for mark in marks)


def figures(found: tuple[list[Sentence], list[tuple[int, int]]], count: int, *, show: bool) -> dict[str, int | float]:
    every, sizes = found
    drawn = random.Random(1).sample(every, min(count, len(every)))
    for sentence in drawn:
        if show and not sentence.is_equal:
            missing, more = sentence.letters - sentence.under, sentence.under - sentence.letters
            print(sentence.file, repr(sentence.text), "missing", dict(missing), "more", dict(more))
    return {
        "sentences": len(drawn),
        "equal": round(sum(one.is_equal for one in drawn) / max(len(drawn), 1), 4),
        "others": sum(one.marks_others for one in drawn),
        "equal_of_all": round(sum(one.is_equal for one in every) / max(len(every), 1), 4),
        "others_of_all": sum(one.marks_others for one in every),
        "all": len(every),
        "bytes_a_word": round(sum(size for size, _ in sizes) / max(sum(words for _, words in sizes), 1), 2),
    }


if __name__ == "__main__":
    main()
