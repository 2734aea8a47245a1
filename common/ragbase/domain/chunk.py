"""A document's text in pieces: its passages, and the chunks of an index."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragbase.domain.labels import Labels
from ragbase.domain.padding import without_padding
from ragbase.domain.searched_text import searched_text

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float32]
    """One embedding of unit length, shape (dimension,)."""
    Vectors = npt.NDArray[np.float32]
    """Several of them, shape (texts, dimension)."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk that does not belong to a document yet. Always `text == markdown[char_start:char_end]`.

    `header_path` holds the headings whose sections the whole passage is in, outermost first. `page` is the page it is
    on, and `row` the row of the file that it is from, if the file is a table. `table_header` is the header row of the
    table inside which the passage begins, in one line; empty if it begins elsewhere. Like the headings, it stands in
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
    words may lack. Padding of tables would take the place of words, and a number of a row is not the document's."""
    path, text = _without_row_numbers(passage.header_path, passage.text)
    parts = (" > ".join(path), passage.table_header, without_padding(text))
    return searched_text("\n".join(filter(None, parts)))


_HEADING = re.compile(r"(?m)^(#{1,6} )(?:row|item) \d+(?:: |$)")
_TITLE = re.compile(r"(?:row|item) \d+(?:: |$)")


def _without_row_numbers(path: tuple[str, ...], text: str) -> tuple[tuple[str, ...], str]:
    """The headings above a passage and its text, with the name that a row has, if it has one, and without its number.

    Readers write such headings above a row of a table or an item of a list: "row 12", "item 3: Sloop". Their numbers
    are ours. Nobody wrote them into the file, so a question with a year or an amount must not find them. A passage
    without such a heading above it is no row.
    """
    if not any(map(_TITLE.match, path)):
        return path, text
    return tuple(filter(None, (_TITLE.sub("", title) for title in path))), _HEADING.sub(r"\1", text)


def joined_text(chunks: Iterable[Chunk], *, start: int) -> Iterator[str]:
    """The text from character `start` to the end of the last chunk, piece by piece; what two chunks share comes once.

    The chunks are in their order. They hold all of the text but for blanks between two of them, and long runs of
    definitions of links, closing tags and rules (chunking/no_text.py): line breaks stand for those.
    """
    place = start
    for chunk in chunks:
        yield "\n" * (chunk.char_start - place)
        yield chunk.text[max(0, place - chunk.char_start) :]
        place = max(place, chunk.char_end)
