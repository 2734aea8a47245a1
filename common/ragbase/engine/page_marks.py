"""Where the characters of a document's text stand on a page."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.domain.word_boxes import BadBoxes, PageMark, marks_on

if TYPE_CHECKING:
    from ragbase.domain.document import Document, IndexedGeneration
    from ragbase.ports import WordBoxes


def page_marks(
    record: Document, shown: IndexedGeneration, boxes: WordBoxes, *, page: int, start: int, end: int
) -> tuple[PageMark, ...] | None:
    """What covers the words of a page that stand from `start` up to `end` in the text that search shows. None if
    nobody knows where its words stand: an older version has read it, or an extractor elsewhere."""
    placed = boxes.read(record.id, shown.generation, shown.reader)
    if placed is None:
        return None
    try:
        return marks_on(placed, page, start, end)
    except BadBoxes as error:
        telemetry.log("marks.unreadable", level=logging.ERROR, document_id=record.id, reason=str(error))
        return None
