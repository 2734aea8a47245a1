"""Measure whether marks cover the letters of the citations that they are for. Prints one line of JSON.

The folder has PDFs. They are ingested, and each of their sentences is a question. Of what the answers cite, some places
are drawn at random. Those of pages with a text layer are read back by the boxes that PDFium gives of each letter; those
of scans, by the boxes of the words that Tesseract reads in the bench's own picture of the page. Each page of the PDFs
is scanned, too. `equal` is the share of citations whose letters and digits are exactly those under their marks, and
`others` counts the citations under whose marks more than one letter in ten belongs to something else. `bytes_a_word` is
what is stored.
"""

from __future__ import annotations

import ctypes
import os
import random
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pypdfium2  # type: ignore[import-untyped]  # it ships no types
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

from ragbase import RAGEngine, load_config
from ragbase.chunking.sentences import sentence_spans
from ragbase.domain.extraction import Page, PageReading
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.limits import MAX_QUERY_LENGTH
from ragbase.domain.word_boxes import PageMark
from ragbase.engine.page_marks import page_marks
from ragbase.formats.pdf import ocr_data
from scripts.bench.harness import Bench, Figures, share
from scripts.bench.pdf import DOTS, as_picture

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.answer import VerifiedCitation
    from ragbase.domain.document import Document as Record

SHARE_OF_OTHERS = 0.1
LEAST_LETTERS = 12
"""What has fewer is a number, or a word in a table."""
DRAWN = (1, 2)
"""How often a text may be drawn at one place, to look bold or as its shadow."""
FINE = 1_000_000

Letter = tuple[str, float, float]
"""One or more letters, and their middle in fractions of the page."""


@dataclass(frozen=True, slots=True)
class Cited:
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
    bench = Bench("marks", __doc__, data="a folder of PDFs")
    bench.number("--citations", 300, "how many are drawn")
    bench.add_argument("--show", action="store_true", help="the citations that are not equal, before the figures")
    options = bench.parse_args()
    documents = {file.name: file.read_bytes() for file in bench.files(options.data, "*.pdf", "PDFs")}
    ways = {"text": (documents, PageReading.TEXT), "scans": (dict(scans(documents)), PageReading.OCR)}
    bench.say({way: figures(*measured(*of), options.citations, show=options.show) for way, of in ways.items()})


def scans(documents: dict[str, bytes]) -> Iterator[tuple[str, bytes]]:
    for name, data in documents.items():
        try:
            document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError:  # with a password
            continue
        for number in range(len(document)):
            yield f"{number + 1}-{name}", as_picture(data, number)


def measured(documents: Mapping[str, bytes], read: PageReading) -> tuple[list[Cited], float]:
    """What answers cite of the pages that are read in this way, and the bytes that the boxes of a word take."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in documents]
        for file in files:
            file.write_bytes(documents[file.name])
        with RAGEngine(load_config(home=Path(folder, "home"))) as engine:
            engine.ingest(files)
            return _measured(engine, read)


def _measured(engine: RAGEngine, read: PageReading) -> tuple[list[Cited], float]:
    profile = engine.profile
    records = [record for record in profile.documents.page(limit=1000) if record.active is not None]
    read_again = {record.id: Document(record, profile) for record in records}
    citations = {
        (one.document.id, one.char_start, one.char_end): one
        for document in read_again.values()
        for question in document.sentences()
        for sentence in engine.generate(question[:MAX_QUERY_LENGTH]).sentences
        for one in sentence.citations
    }
    found = []
    for one in citations.values():
        cited = read_again[one.document.id].cited(one, read)
        if cited is not None and cited.letters.total() >= LEAST_LETTERS:
            found.append(cited)
    size = sum(document.boxes for document in read_again.values())
    return found, size / max(sum(document.words for document in read_again.values()), 1)


class Document:
    """A PDF that the engine has ingested, and what the bench itself sees of its pages."""

    def __init__(self, record: Record, profile: Profile) -> None:
        assert record.active is not None
        self._record, self._shown, self._stored = record, record.active, profile.word_boxes
        data = profile.bucket.read(record.name, record.active.of_file)
        self._extraction = profile.extractor.extract(data, "pdf", ProcessingConfig())
        self._pdf = pypdfium2.PdfDocument(data)
        self._letters: dict[int, list[Letter]] = {}
        self.words = len(self._extraction.markdown.split())
        self.boxes = len(profile.word_boxes.read(record.id, self._shown.generation, self._shown.reader) or b"")

    def sentences(self) -> Iterator[str]:
        for start, end in sentence_spans(self._extraction.markdown):
            text = self._extraction.markdown[start:end]
            if len(list(_alphanumeric(text))) >= LEAST_LETTERS:
                yield text

    def cited(self, citation: VerifiedCitation, read: PageReading) -> Cited | None:
        """What stands under the marks of the citation; None if its pages were not read in this way."""
        start, end = citation.char_start, citation.char_end
        pages = [page for page in self._extraction.pages if page.start < end and start < page.end]
        if any(page.read is not read for page in pages):
            return None
        under = Counter[str]()
        for page in pages:
            marks = page_marks(self._record, self._shown, self._stored, page=page.number, start=start, end=end) or ()
            for letter, x, y in self._letters_of(page):
                if _is_marked(marks, x, y):
                    under.update(_alphanumeric(letter))
        return Cited(self._record.source, citation.text, Counter(_alphanumeric(citation.text)), under)

    def _letters_of(self, page: Page) -> list[Letter]:
        if page.number not in self._letters:
            drawn = self._pdf[page.number - 1]
            self._letters[page.number] = list(_recognised(drawn) if page.read is PageReading.OCR else _letters(drawn))
        return self._letters[page.number]


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


def figures(every: Sequence[Cited], bytes_a_word: float, count: int, *, show: bool) -> Figures:
    drawn = random.Random(1).sample(every, min(count, len(every)))
    for one in every:
        if show and not one.is_equal:
            missing, more = one.letters - one.under, one.under - one.letters
            print(one.file, repr(one.text), "missing", dict(missing), "more", dict(more))
    return {
        "citations": len(drawn),
        "equal": share((one.is_equal for one in drawn), 4),
        "others": sum(one.marks_others for one in drawn),
        "equal_of_all": share((one.is_equal for one in every), 4),
        "others_of_all": sum(one.marks_others for one in every),
        "all": len(every),
        "bytes_a_word": round(bytes_a_word, 2),
    }


if __name__ == "__main__":
    main()
