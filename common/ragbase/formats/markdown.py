"""Markdown, which is what every other format becomes: its text is taken as it is. Of its front matter, only what it
says to people is text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.domain.extraction import Extraction
from ragbase.formats.decode import beginning
from ragbase.formats.front_matter import MAX_LENGTH, has_front_matter
from ragbase.formats.front_matter_text import Front, read_front
from ragbase.formats.reader import Reader
from ragbase.formats.text import check_text_file, decode_within

if TYPE_CHECKING:
    from ragbase.formats.extraction_limits import ExtractionLimits


def has_markdown_front_matter(data: bytes) -> bool:
    return has_front_matter(beginning(data, 4 * MAX_LENGTH)[:MAX_LENGTH])


def read_markdown_file(data: bytes, limits: ExtractionLimits) -> Extraction:
    """The text as it is, and of its front matter what it says. Raises PermanentError, as `decode_within`."""
    decoded = decode_within(data, limits)
    front, notes = read_front(decoded.text), decoded.notes
    if front is None:
        return Extraction(decoded.text, notes=notes)
    utf8 = _with_front(decoded.text, front)
    del decoded  # there is room for one text, not for two
    return _extraction(utf8, front, notes)


def read_markdown(text: str) -> Extraction:
    """As `read_markdown_file`, of a text that needs no decoding. Every offset is that of the text."""
    front = read_front(text)
    if front is None:
        return Extraction(text)
    return _extraction(_with_front(text, front), front)


def _extraction(utf8: bytearray, front: Front, notes: tuple[str, ...] = ()) -> Extraction:
    return Extraction(
        utf8.decode(), metadata=front.metadata, notes=notes, left_out=front.left_out, plain_until=len(front.text)
    )


def _with_front(text: str, front: Front) -> bytearray:
    """The text, in UTF-8, with what the front matter says in its place, so that all offsets stay those of the file."""
    utf8 = bytearray(text, "utf-8")
    utf8[: len(text[: len(front.text)].encode())] = front.text.encode()
    return utf8


READER = Reader(
    version="md-v5",
    check=check_text_file,
    read=read_markdown_file,
    proves=has_markdown_front_matter,
)
