"""Consecutive passages of a document overlap. What a reader sees of one need not be shown again with the next."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.domain.chunk import Chunk


class Shown:
    """The passages that are shown already."""

    def __init__(self) -> None:
        self._by_document: defaultdict[tuple[str, int], list[Chunk]] = defaultdict(list)

    def adds_little(self, chunks: Iterable[Chunk]) -> bool:
        """Whether each of these, which have the same text, stands by more than half in one that was seen."""
        return all(any(_has_most_of(seen, chunk) for seen in self._by_document[text_of(chunk)]) for chunk in chunks)

    def add(self, chunks: Iterable[Chunk]) -> None:
        for chunk in chunks:
            self._by_document[text_of(chunk)].append(chunk)


def text_of(chunk: Chunk) -> tuple[str, int]:
    """The text that its characters are counted in."""
    return (chunk.document_id, chunk.generation)


def _has_most_of(seen: Chunk, chunk: Chunk) -> bool:
    """Of the characters of `chunk`, not of both: a long passage must not give way to a short one."""
    start, end = max(seen.char_start, chunk.char_start), min(seen.char_end, chunk.char_end)
    return 2 * (end - start) > chunk.char_end - chunk.char_start
