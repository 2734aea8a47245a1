"""The text layer of a PDF as Markdown, page by page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # it ships no types

from ragbase.domain.left_out import LeftOut
from ragbase.formats.pdf.columns import Item
from ragbase.formats.pdf.directions import by_direction
from ragbase.formats.pdf.document_facts import DocumentFacts, facts_of, sampled
from ragbase.formats.pdf.drop_caps import with_drop_caps
from ragbase.formats.pdf.form_values import FormValues
from ragbase.formats.pdf.hidden_text import split_hidden
from ragbase.formats.pdf.page_box import Box, page_box
from ragbase.formats.pdf.page_markdown import page_markdown
from ragbase.formats.pdf.reading_order import flows
from ragbase.formats.pdf.rules import Drawing, read_drawing
from ragbase.formats.pdf.running_lines import edge_lines
from ragbase.formats.pdf.segments import Segment, segments_of
from ragbase.formats.pdf.tables import ruled_tables
from ragbase.formats.pdf.usable_text import is_garbage
from ragbase.formats.pdf.word_boxes import boxes_of, shown_turn
from ragbase.formats.pdf.words import HYPHEN, Word, read_words
from ragbase.formats.pdf.written import Written, joined, replaced, written

CONTROL = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")
LINE_END_HYPHEN = re.compile(rf"(?<=[^\W\d_]){HYPHEN}(?=[^\W\d_]|\Z)")

NO_DRAWING = Drawing([], [], images=False, ink=False)
"""Of a page that only tells about others."""
RUNNING, WATERMARK, HIDDEN = "running lines", "a watermark", "hidden text"


@dataclass(frozen=True, slots=True)
class TextLayer:
    """What a page's text layer says, and whether the page shows images, or anything at all."""

    markdown: str
    images: bool
    ink: bool
    is_garbage: bool = False
    """Whether the layer, as it is in the file, does not say which letters the page shows."""
    says_more: bool = True
    """Whether the page has more text than running lines."""
    values: str = ""
    """What is filled into the page's forms: it stands in the Markdown, too."""
    left_out: tuple[LeftOut, ...] = ()
    boxes: str = ""
    """Where the words of the Markdown stand on the page (domain/word_boxes.py)."""


def read_pages(document: object, first: int, last: int) -> Iterator[TextLayer]:
    """The pages from `first` to `last`, counted from 1, of a document that PDFium has opened."""
    values = FormValues(document)
    try:
        reader = _Reader(document, values, range(first - 1, last))
        for number in range(first, last + 1):
            yield reader.page(number - 1)
    finally:
        values.close()


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a page: those that can be seen, with those of forms, and the others."""

    raw: str
    seen: list[Word]
    values: list[Word]
    hidden: list[Word]
    has_layout: bool
    box: Box
    turn: int
    drawing: Drawing


class _Reader:
    def __init__(self, document: object, values: FormValues, wanted: range) -> None:
        self._document = document
        self._wanted = wanted
        self._values = values
        self._words: dict[int, _Words] = {}
        self._facts = self._read_facts()
        self._facts_of_turned = replace(self._facts, has_headings=False)

    def page(self, index: int) -> TextLayer:
        words = self._words.pop(index, None)
        if words is None:
            with self._open(index) as page:
                if not page:
                    return TextLayer("", images=False, ink=False)
                words = self._read_words(page, index)
        drawing = words.drawing
        garbage = is_garbage(LINE_END_HYPHEN.sub("-", words.raw))
        if not words.has_layout:
            text = _plain(words.raw)
            return TextLayer(text, drawing.images, drawing.ink, garbage)
        text, says_more, left_out = self._text(index, words, drawing)
        boxes = boxes_of(text, words.box, words.turn)
        return TextLayer(
            str(text), drawing.images, drawing.ink, garbage, says_more, _joined(words.values), left_out, boxes
        )

    def _text(self, index: int, words: _Words, drawing: Drawing) -> tuple[Written, bool, tuple[LeftOut, ...]]:
        """The Markdown of a page, whether it says more than running lines do, and what is left out."""
        facts, box = self._facts, words.box
        stamped, written = facts.watermarks.split(words.seen, box)
        directions = by_direction(written)
        tables, free = ruled_tables(with_drop_caps(directions.main), drawing.horizontal, drawing.vertical)
        segments = segments_of(free)
        running = facts.running.on_page(index, edge_lines(segments, box)) if index else []
        beside = [
            [word for word in some if facts.watermarks.is_running(word, box, index)] for some in directions.turned
        ]
        kept = _without(segments, running)
        turned = [_without(some, side) for some, side in zip(directions.turned, beside, strict=True)]
        says_more = bool(tables) or _says(kept) or _says(directions.slanted) or any(map(_says, turned))
        if not says_more:  # the page would be empty without what it has in common with others
            kept, turned, running, beside = segments, directions.turned, [], []
        items: list[Item] = [*kept, *tables]
        blocks = [page_markdown(flows(items, drawing.horizontal), facts)]
        blocks += [page_markdown(flows(segments_of(some), ()), self._facts_of_turned) for some in turned if some]
        blocks.append(_joined(directions.slanted))
        lines = [segment.text for segment in running] + [_joined(some) for some in beside if some]
        texts = (
            (RUNNING, "\n".join(lines), True),
            (WATERMARK, _joined(stamped), True),
            (HIDDEN, _joined(words.hidden), False),
        )
        return (
            replaced(CONTROL, "", joined("\n\n", filter(None, blocks))),
            says_more,
            tuple(LeftOut(what, CONTROL.sub("", text), shown) for what, text, shown in texts if text),
        )

    def _read_words(self, page: object, index: int) -> _Words:
        found, box = read_words(page), page_box(page)
        seen, hidden = split_hidden(self._document, page, found, box)
        values = self._values.words(page, seen)
        drawing = read_drawing(page) if index in self._wanted else NO_DRAWING
        seen = seen + values if values else seen
        return _Words(found.text, seen, values, hidden, found.has_layout, box, shown_turn(page), drawing)

    def _read_facts(self) -> DocumentFacts:
        pages = {}
        for index in sorted({0, *sampled(pdfium.FPDF_GetPageCount(self._document))}):
            with self._open(index) as page:
                if page:
                    words = self._words[index] = self._read_words(page, index)
                    if words.has_layout:
                        pages[index] = (words.seen, words.box)
        return facts_of(pages, self._document)

    @contextmanager
    def _open(self, index: int) -> Iterator[object]:
        page = pdfium.FPDF_LoadPage(self._document, index)
        try:
            yield page
        finally:
            if page:
                pdfium.FPDF_ClosePage(page)


T = TypeVar("T", Segment, Word)


def _without(some: Sequence[T], others: Sequence[T]) -> list[T]:
    left = set(map(id, others))
    return [one for one in some if id(one) not in left]


def _says(parts: Sequence[Segment | Word]) -> bool:
    return any(any(map(str.isalnum, part.text)) for part in parts)


def _joined(words: Sequence[Word]) -> Written:
    return joined(" ", [written(word.text, [(0, len(word.text), word)]) for word in words])


def _plain(text: str) -> str:
    lines = CONTROL.sub("", text.replace(HYPHEN, "-")).splitlines()
    return "\n".join(filter(None, map(str.strip, lines)))
