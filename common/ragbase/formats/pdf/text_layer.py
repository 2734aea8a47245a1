"""The text layer of a PDF as Markdown, page by page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # it ships no types

from ragbase.formats.pdf.columns import Item
from ragbase.formats.pdf.document_facts import DocumentFacts, facts_of, is_at_edge, running_key, sampled
from ragbase.formats.pdf.drop_caps import with_drop_caps
from ragbase.formats.pdf.page_markdown import page_markdown
from ragbase.formats.pdf.reading_order import flows
from ragbase.formats.pdf.rules import Drawing, read_drawing
from ragbase.formats.pdf.segments import Segment, segments_of
from ragbase.formats.pdf.tables import ruled_tables
from ragbase.formats.pdf.words import HYPHEN, Word, read_words

CONTROL = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class TextLayer:
    """What a page's text layer says, and whether the page shows images, or anything at all."""

    markdown: str
    images: bool
    ink: bool


def read_pages(document: object, first: int, last: int) -> Iterator[TextLayer]:
    """The pages from `first` to `last`, counted from 1, of a document that PDFium has opened."""
    reader = _Reader(document)
    for number in range(first, last + 1):
        yield reader.page(number - 1, number == 1)


class _Reader:
    def __init__(self, document: object) -> None:
        self._document = document
        self._words: dict[int, list[Word] | str] = {}
        self._facts = self._read_facts()

    def page(self, index: int, is_first: bool) -> TextLayer:
        with self._open(index) as page:
            if not page:
                return TextLayer("", images=False, ink=False)
            drawing = read_drawing(page)
            words = self._words.pop(index) if index in self._words else read_words(page)
            box = _box(page)
        if isinstance(words, str):
            return TextLayer(_plain(words), drawing.images, drawing.ink)
        main, turned = _by_turn(words)
        blocks = self._markdown(main, drawing, box, is_first)
        others = [self._markdown(some, Drawing([], [], images=False, ink=True), None, is_first) for some in turned]
        text = "\n\n".join(filter(None, [blocks, *others]))
        return TextLayer(CONTROL.sub("", text), drawing.images, drawing.ink)

    def _markdown(self, words: list[Word], drawing: Drawing, box: tuple[float, float] | None, is_first: bool) -> str:
        tables, rest = ruled_tables(with_drop_caps(words), drawing.horizontal, drawing.vertical)
        segments = segments_of(rest)
        if box is not None and not is_first:
            segments = [segment for segment in segments if not self._is_running(segment, *box)]
        items: list[Item] = [*segments, *tables]
        return page_markdown(flows(items, drawing.horizontal), self._facts)

    def _is_running(self, segment: Segment, top: float, bottom: float) -> bool:
        return is_at_edge(segment, top, bottom) and running_key(segment, segment.text) in self._facts.running

    def _read_facts(self) -> DocumentFacts:
        pages = []
        for index in sampled(pdfium.FPDF_GetPageCount(self._document)):
            with self._open(index) as page:
                if page:
                    words = self._words[index] = read_words(page)
                    if not isinstance(words, str):
                        pages.append((segments_of(_by_turn(words)[0]), *_box(page)))
        return facts_of(pages, self._document)

    @contextmanager
    def _open(self, index: int) -> Iterator[object]:
        page = pdfium.FPDF_LoadPage(self._document, index)
        try:
            yield page
        finally:
            if page:
                pdfium.FPDF_ClosePage(page)


def _plain(text: str) -> str:
    lines = CONTROL.sub("", text.replace(HYPHEN, "-")).splitlines()
    return "\n".join(filter(None, map(str.strip, lines)))


def _box(page: object) -> tuple[float, float]:
    """The y of the page's top and bottom."""
    box = pdfium.FS_RECTF()
    if pdfium.FPDF_GetPageBoundingBox(page, box):
        return -box.top, -box.bottom
    return -pdfium.FPDF_GetPageHeightF(page), 0.0


def _by_turn(words: list[Word]) -> tuple[list[Word], list[list[Word]]]:
    """The words in the direction that most letters of the page have, and those in each other direction."""
    if len({word.style.turn for word in words}) < 2:
        return words, []
    letters: Counter[int] = Counter()
    for word in words:
        letters[word.style.turn] += len(word.text)
    main, *others = (turn for turn, _ in letters.most_common())
    return [w for w in words if w.style.turn == main], [[w for w in words if w.style.turn == turn] for turn in others]
