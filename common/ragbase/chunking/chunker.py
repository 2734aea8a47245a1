"""Cuts an extraction into passages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from ragbase.chunking.boundaries import best_cut, overlap_start
from ragbase.chunking.outline import Outline, outline
from ragbase.domain.chunk import Extraction, Passage
from ragbase.domain.errors import ConfigurationError

VERSION = "markdown-v1"
"""Raise it with every change after which any text is cut differently."""

NOT_BLANK = re.compile(r"\S")


@dataclass(frozen=True, slots=True)
class MarkdownChunker:
    """Cuts Markdown into passages of at most `size` characters. Each repeats up to `overlap` of the passage before it.

    A passage begins at a heading if one is near. Otherwise it begins at a block of code that would be cut, or at
    another block, an item, a sentence, a line or a word, in this order. Passages overlap only inside a section, and
    never inside a block of code. No passage goes over the end of a page, so that all of it is on one page, nor over the
    end of an entry of a table. Every character that is not blank is in a passage. The same text is always cut in the
    same way.
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
        shape = outline(text, extraction.metadata.title)
        if extraction.pages:
            return [
                passage
                for page in extraction.pages
                for passage in self._split(text, page.start, page.end, shape, page.number)
            ]
        bounds = (0, *extraction.entries, len(text))
        return [
            passage for begin, limit in pairwise(bounds) for passage in self._split(text, begin, limit, shape, None)
        ]

    def _split(self, text: str, begin: int, limit: int, shape: Outline, page: int | None) -> Iterator[Passage]:
        fresh = _skip_blank(text, begin)  # where the passage's new text begins; the passage itself may begin earlier
        start = fresh
        while fresh < limit:
            cut = self._end(text, start, fresh, limit, shape)
            passage = text[start:cut].rstrip()
            end = start + len(passage)
            yield Passage(passage, start, end, shape.path_at(start, end, text), page)
            previous, fresh = fresh, _skip_blank(text, cut)
            start = self._start(text, previous + 1, fresh, shape)

    def _end(self, text: str, start: int, fresh: int, limit: int, shape: Outline) -> int:
        """Where a passage that begins at `start` ends: at `limit` or earlier."""
        high = start + self.size
        if high >= limit:
            return limit
        early = max(start + self.size // 4, fresh + 1)
        headings = shape.headings_between(early, high)
        if headings:
            outermost = min(heading.level for heading in headings)
            return next(heading.start for heading in reversed(headings) if heading.level == outermost)
        fence = shape.fence_around(high)
        if fence is not None and fence[0] >= early:
            return fence[0]
        return best_cut(text, max(start + self.size // 2, fresh + 1), high, shape)

    def _start(self, text: str, low: int, fresh: int, shape: Outline) -> int:
        """Where a passage begins whose new text begins at `fresh`."""
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
