"""The text of a document: extracted, cut into passages, and as chunks of an index."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragbase.domain.labels import Labels
from ragbase.domain.metadata import NO_METADATA, DocumentMetadata
from ragbase.domain.page_text import PageReading

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float32]
    """One embedding of unit length, shape (dimension,)."""

    Vectors = npt.NDArray[np.float32]
    """Several of them, shape (texts, dimension)."""


@dataclass(frozen=True, slots=True)
class Page:
    """The part of the extracted Markdown that is on one page: from `start` up to `end`. `number` counts from 1."""

    number: int
    start: int
    end: int
    read: PageReading = PageReading.TEXT


@dataclass(frozen=True, slots=True)
class Extraction:
    """The text of a document as Markdown. All offsets count characters (code points) of `markdown`.

    `pages` is empty for formats without pages. `entries` are the places, in order, where an entry of a table or of
    a list begins, or the last one ends: a passage belongs to one entry. `rows` are the entries of a table's file:
    row n, counted from 1, goes from `rows[n - 1]` to `rows[n]`. `notes` say, for a person, what was doubtful or damaged
    in the file.
    """

    markdown: str
    pages: tuple[Page, ...] = ()
    entries: tuple[int, ...] = ()
    rows: Sequence[int] = ()
    metadata: DocumentMetadata = NO_METADATA
    notes: tuple[str, ...] = ()

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


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk that does not belong to a document yet. Always `text == markdown[char_start:char_end]`.

    `header_path` holds the headings whose sections the whole passage is in, outermost first. `page` is the page it is
    on, and `row` the row of the file that it is from, if the file is a table. `table_header` is the header row of the
    table in whose rows the passage begins, in one line; empty if it begins elsewhere. Like the headings, it stands in
    front of what is embedded and shown, and is no part of `text`.
    """

    text: str
    char_start: int
    char_end: int
    header_path: tuple[str, ...] = ()
    page: int | None = None
    row: int | None = None
    table_header: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A passage of one generation of a document, as the index holds it. `text_hash` hashes the embedded text."""

    id: str
    document_id: str
    generation: int
    part: int
    ordinal: int
    text: str
    char_start: int
    char_end: int
    header_path: tuple[str, ...]
    page: int | None
    text_hash: str
    row: int | None = None
    table_header: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class EmbeddedChunk:
    """A chunk, its embedding, and its analysed text: the stemmed terms, separated by spaces. `labels` are those of its
    document; None if it was written without them."""

    chunk: Chunk
    vector: Vector
    terms: str
    labels: Labels | None = None


def embedding_text(passage: Passage | Chunk) -> str:
    """The text that is embedded for a passage. Its headings and its table's header row give it the context that its own
    words may lack."""
    return "\n".join(filter(None, (" > ".join(passage.header_path), passage.table_header, passage.text)))
