"""The text of a document, put together from its chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.domain.chunk import Chunk


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
