"""The text of a document, as its file gives it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ragbase.domain.left_out import LeftOut
from ragbase.domain.metadata import NO_METADATA, DocumentMetadata


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


@dataclass(frozen=True, slots=True)
class Page:
    """The part of the extracted Markdown that is on one page: from `start` up to `end`. `number` counts from 1."""

    number: int
    start: int
    end: int
    read: PageReading = PageReading.TEXT


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a text that is no Markdown: it begins at `start`, and goes up to the next section of its level or of
    a level above. One without a title ends the section before it."""

    start: int
    level: int
    title: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """The text of a document as Markdown. All offsets count characters (code points) of `markdown`.

    `pages` is empty for formats without pages. `entries` are the places, in order, where an entry of a table or of
    a list begins, or the last one ends: a passage belongs to one entry. `rows` are the entries of a table's file:
    row n, counted from 1, goes from `rows[n - 1]` to `rows[n]`. `notes` say, for a person, what was doubtful or damaged
    in the file. `left_out` is the text that the reader left out on purpose.

    Up to `plain_until`, `markdown` is plain text, in which no sign has a meaning as Markdown: all of a plain text, or
    what the front matter of a Markdown file says. `sections` is None where the headings of `markdown` say where its
    sections are. A text of lines, such as source code, has the sections that its reader found, and no sign in it has a
    meaning as Markdown.

    `boxes` say where the words of `markdown` stand on the pages (domain/word_boxes.py); empty where nobody knows.
    """

    markdown: str
    pages: tuple[Page, ...] = ()
    entries: tuple[int, ...] = ()
    rows: Sequence[int] = ()
    metadata: DocumentMetadata = NO_METADATA
    notes: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    plain_until: int = 0
    sections: tuple[Section, ...] | None = None
    boxes: bytes = b""

    @property
    def all_notes(self) -> tuple[str, ...]:
        """What the document's status says of the text: `notes`, and one for each text that was left out."""
        return (*self.notes, *(left_out.note for left_out in self.left_out))

    @property
    def ocr_pages(self) -> int:
        """How many pages were read by OCR."""
        return sum(page.read is PageReading.OCR for page in self.pages)

    @property
    def textless_pages(self) -> int:
        """How many pages gave no text."""
        return sum(page.start == page.end for page in self.pages)

    def row_at(self, position: int) -> int | None:
        """The row of a table's file that `position` is in; None outside of rows."""
        row = bisect_right(self.rows, position)
        return row if 0 < row < len(self.rows) else None
