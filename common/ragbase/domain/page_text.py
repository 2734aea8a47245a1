"""The text of one page, before the pages of a document become one text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ragbase.domain.left_out import LeftOut


class PageReading(StrEnum):
    """How the text of a page was read, or why it has none."""

    TEXT = "text"
    """From its text layer."""
    OCR = "ocr"
    """From its picture."""
    OCR_FAILED = "ocr_failed"
    """It has ink, but OCR gives no text."""
    BLANK = "blank"
    """It has no ink."""
    UNREAD = "unread"
    """It is a picture or a drawing, and OCR was not applied."""
    DAMAGED = "damaged"
    """It cannot be opened."""


@dataclass(frozen=True, slots=True)
class PageText:
    """What a reader has made of a page: its Markdown, how it was read, the text that was left out on purpose, and where
    the words of the Markdown stand on the page (domain/word_boxes.py)."""

    markdown: str
    read: PageReading = PageReading.TEXT
    left_out: tuple[LeftOut, ...] = ()
    boxes: str = ""
