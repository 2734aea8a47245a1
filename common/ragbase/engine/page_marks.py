"""Where the characters of a document's text stand on its pages."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.domain.word_boxes import BadBoxes, PageMark, marks_on, page_starts

if TYPE_CHECKING:
    from ragbase.domain.document import Document, IndexedGeneration
    from ragbase.ports import WordBoxes


def page_marks(
    record: Document,
    shown: IndexedGeneration,
    boxes: WordBoxes,
    *,
    page: int,
    start: int,
    end: int,
    breaks: Sequence[int] = (),
) -> tuple[PageMark, ...] | None:
    """What covers the words of a page that stand from `start` up to `end` in the text that search shows; none of it
    goes on over one of the `breaks`. None if nobody knows where its words stand: an older version has read it, or an
    extractor elsewhere."""
    placed = boxes.read(record.id, shown.generation, shown.reader)
    if placed is None:
        return None
    try:
        return marks_on(placed, page, start, end, breaks)
    except BadBoxes as error:
        _tell(record, error)
        return None


def starts_of_pages(record: Document, shown: IndexedGeneration, boxes: WordBoxes) -> Mapping[int, int] | None:
    """Where the text of each page that has words begins in the text that search shows. None as for `page_marks`."""
    placed = boxes.read(record.id, shown.generation, shown.reader)
    if placed is None:
        return None
    try:
        return page_starts(placed)
    except BadBoxes as error:
        _tell(record, error)
        return None


def _tell(record: Document, error: BadBoxes) -> None:
    telemetry.log("marks.unreadable", level=logging.ERROR, document_id=record.id, reason=str(error))
