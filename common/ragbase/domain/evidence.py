"""The passages that an answer may stand on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from ragbase.domain.chunk import Chunk, joined_text
from ragbase.domain.document import Document


@dataclass(frozen=True, kw_only=True)
class EvidencePassage:
    """Chunks of one generation that follow each other, joined: `text` is the document's text from `char_start` to
    `char_end`.

    `id` names it in one answer. `score` is that of its best hit (0 to 1). All of its chunks are on one page, in one row
    of a table's file and under the same headings, or share text with their neighbours.
    """

    id: str
    document: Document
    chunks: tuple[Chunk, ...]
    score: float

    @property
    def generation(self) -> int:
        return self.chunks[0].generation

    @property
    def char_start(self) -> int:
        return self.chunks[0].char_start

    @property
    def char_end(self) -> int:
        return max(chunk.char_end for chunk in self.chunks)

    @cached_property
    def text(self) -> str:
        return "".join(joined_text(self.chunks, start=self.char_start))

    @property
    def gaps(self) -> Sequence[int]:
        """The places in `text` after which a chunk begins that shares nothing with the one before. The blanks there are
        not known exactly, so no quotation goes beyond one."""
        return [after.char_start - self.char_start for _, after in _apart(self.chunks)]

    def chunks_between(self, start: int, end: int) -> tuple[Chunk, ...]:
        """The chunks that have this part of `text`, each of which begins before the one before it ends."""
        first, last = self.char_start + start, self.char_start + end
        return tuple(chunk for chunk in self.chunks if chunk.char_start < last and chunk.char_end > first)


def _apart(chunks: Sequence[Chunk]) -> list[tuple[Chunk, Chunk]]:
    return [(before, after) for before, after in pairwise(chunks) if after.char_start > before.char_end]
