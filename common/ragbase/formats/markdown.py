"""Markdown, which is what every other format becomes: its text is taken as it is. Of its front matter, only what it
says to people is text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragbase.domain.extraction import Extraction
from ragbase.domain.left_out import LeftOut
from ragbase.domain.metadata import NO_METADATA, DocumentMetadata
from ragbase.formats.decode import beginning
from ragbase.formats.front_matter import MAX_LENGTH, has_front_matter
from ragbase.formats.front_matter_text import blanks, read_front
from ragbase.formats.mdx_modules import module_spans
from ragbase.formats.reader import Reader
from ragbase.formats.text import check_text_file, decode_within

if TYPE_CHECKING:
    from ragbase.formats.extraction_limits import ExtractionLimits


def has_markdown_front_matter(data: bytes) -> bool:
    return has_front_matter(beginning(data, 4 * MAX_LENGTH)[:MAX_LENGTH])


@dataclass(frozen=True, slots=True)
class _Edited:
    """A text in UTF-8, of which something is replaced, and what was found in that. All offsets stay those of the
    file."""

    utf8: bytearray
    metadata: DocumentMetadata
    left_out: tuple[LeftOut, ...]
    plain_until: int

    def extraction(self, notes: tuple[str, ...] = ()) -> Extraction:
        return Extraction(
            self.utf8.decode(),
            metadata=self.metadata,
            notes=notes,
            left_out=self.left_out,
            plain_until=self.plain_until,
        )


def read_markdown_file(data: bytes, limits: ExtractionLimits) -> Extraction:
    """The text as it is, but for the code of MDX and what front matter does not say to people. Raises PermanentError,
    as `decode_within`."""
    decoded = decode_within(data, limits)
    notes, edited = decoded.notes, _edited(decoded.text)
    if edited is None:
        return Extraction(decoded.text, notes=notes)
    del decoded  # there is room for one text, not for two
    return edited.extraction(notes)


def read_markdown(text: str) -> Extraction:
    """As `read_markdown_file`, of a text that needs no decoding. Every offset is that of the text."""
    edited = _edited(text)
    return edited.extraction() if edited is not None else Extraction(text)


def _edited(text: str) -> _Edited | None:
    """None if all of the text stays."""
    front = read_front(text)
    modules = module_spans(text, len(front.text) if front is not None else 0)
    if front is None and not modules:
        return None
    code = [text[start:end] for start, end in modules]
    left_out = [LeftOut("lines of code that import or export", "\n".join(code))] if code else []
    pieces = [(start, end, blanks(piece)) for (start, end), piece in zip(modules, code, strict=True)]
    if front is None:
        return _Edited(_with(text, pieces), NO_METADATA, tuple(left_out), 0)
    end = len(front.text)
    utf8 = _with(text, [(0, end, front.text), *pieces])
    return _Edited(utf8, front.metadata, (*front.left_out, *left_out), end)


def _with(text: str, pieces: Sequence[tuple[int, int, str]]) -> bytearray:
    """The text in UTF-8, with pieces in the place of others. Each says where it begins and ends in the text."""
    utf8, at, last = bytearray(text, "utf-8"), 0, 0
    for start, end, instead in pieces:
        at += len(text[last:start].encode())
        encoded = instead.encode()
        utf8[at : at + len(text[start:end].encode())] = encoded
        at, last = at + len(encoded), end
    return utf8


READER = Reader(
    version="md-v5",
    check=check_text_file,
    read=read_markdown_file,
    proves=has_markdown_front_matter,
    looks_like=("rst", "adoc", "man"),
)
