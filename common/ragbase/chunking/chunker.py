"""Extraction → passages."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from ragbase.chunking.boundaries import best_cut, overlap_start
from ragbase.chunking.outline import Outline, outline
from ragbase.domain.chunk import Extraction, Passage
from ragbase.domain.errors import ConfigurationError

VERSION = "markdown-v1"
"""Raise it with every change that cuts any text differently."""

NOT_BLANK = re.compile(r"\S")


@dataclass(frozen=True, slots=True)
class Chunker:
    """Cuts Markdown into passages of at most `size` characters, of which consecutive ones share up to `overlap`.

    A passage begins at a heading if one is near, else where a block, an item, a sentence, a line or a word does, in
    this order of preference. Passages overlap only inside of a section, and never inside of a code block. Every
    character that is not blank is in some passage, and the same text is always cut in the same way.
    """

    size: int = 1000
    overlap: int = 200

    def __post_init__(self) -> None:
        if self.size < 1 or not 0 <= self.overlap <= self.size // 2:
            raise ConfigurationError(
                f"Chunks of {self.size} characters with an overlap of {self.overlap} cannot be made: the size must be "
                "at least 1, and the overlap between 0 and half the size."
            )

    @property
    def fingerprint(self) -> str:
        return f"{VERSION}-{self.size}/{self.overlap}"

    def split(self, extraction: Extraction) -> list[Passage]:
        """The passages in order of their starts, which strictly increase. A blank text has none."""
        text = extraction.markdown
        shape = outline(text)
        page_starts = [page.start for page in extraction.pages]
        passages = []
        fresh = _skip_blank(text, 0)  # what no passage has yet begins here; the passage itself may begin before it
        start = fresh
        while fresh < len(text):
            cut = self._end(text, start, fresh, shape)
            passage = text[start:cut].rstrip()
            end = start + len(passage)
            page = extraction.pages[bisect_right(page_starts, start) - 1].number if page_starts else None
            passages.append(Passage(passage, start, end, shape.path_at(start, end, text), page))
            previous, fresh = fresh, _skip_blank(text, cut)
            start = self._start(text, previous + 1, fresh, shape)
        return passages

    def _end(self, text: str, start: int, fresh: int, shape: Outline) -> int:
        """Where a passage ends that begins at `start`."""
        high = start + self.size
        if high >= len(text):
            return len(text)
        headings = shape.headings_between(max(start + self.size // 4, fresh + 1), high)
        if headings:
            outermost = min(heading.level for heading in headings)
            return next(heading.start for heading in reversed(headings) if heading.level == outermost)
        return best_cut(text, max(start + self.size // 2, fresh + 1), high, shape)

    def _start(self, text: str, low: int, fresh: int, shape: Outline) -> int:
        """Where a passage begins whose own text begins at `fresh`."""
        if self.overlap == 0 or shape.fence_around(fresh):
            return fresh
        low = max(low, fresh - self.overlap, shape.fence_end_before(fresh))
        heading = shape.heading_before(fresh + 1)
        if heading is not None:
            low = max(low, heading.end)
        return overlap_start(text, low, fresh) if low < fresh else fresh


def _skip_blank(text: str, position: int) -> int:
    found = NOT_BLANK.search(text, position)
    return found.start() if found else len(text)
