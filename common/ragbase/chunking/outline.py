"""The outline of a text: where its headings, fenced code blocks, tables and list items are."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from ragbase.chunking.heading_title import MAX_TITLE
from ragbase.domain.extraction import Section


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading, from its first character at `start` to the end of its last line.

    Its section goes up to `section_end`: the next heading of its level or of one above it, or the end of the text.
    `path` holds the titles of all headings above it and its own, outermost first.
    """

    start: int
    end: int
    level: int
    section_end: int
    path: tuple[str, ...]


class Kind(Enum):
    FENCE = auto()
    TABLE = auto()
    ITEM = auto()


@dataclass(frozen=True, slots=True)
class Block:
    """A fence, a table or a list item, from its first character to its last. An item may have other blocks inside.

    `head_end` is where the rows of a table begin: after its header row and the line under it. `parent` is the place
    of the item around it in the outline's blocks.
    """

    start: int
    end: int
    kind: Kind
    parent: int | None = None
    head_end: int = 0


@dataclass(frozen=True, slots=True)
class Outline:
    """The headings and the blocks of a text, each in order of their starts. No heading is inside a block.

    `_above` is the path of what stands before the first heading. `_lead` is the heading right after what front matter
    says: the two belong together.
    """

    headings: Sequence[Heading]
    blocks: Sequence[Block]
    _heading_starts: Sequence[int]
    _block_starts: Sequence[int]
    _above: tuple[str, ...]
    _lead: Heading | None

    @classmethod
    def of(
        cls,
        headings: Sequence[Heading],
        blocks: Sequence[Block],
        above: tuple[str, ...] = (),
        lead: Heading | None = None,
    ) -> Outline:
        starts = [heading.start for heading in headings], [block.start for block in blocks]
        return cls(headings, blocks, *starts, above, lead)

    def headings_between(self, low: int, high: int) -> Sequence[Heading]:
        """The headings that start from `low` to `high`, both included."""
        return self.headings[bisect_left(self._heading_starts, low) : bisect_right(self._heading_starts, high)]

    def heading_at(self, position: int) -> Heading | None:
        """The last heading that starts at or before `position`: the one whose section `position` is in."""
        index = bisect_right(self._heading_starts, position)
        return self.headings[index - 1] if index else None

    def section_end(self, position: int) -> int | None:
        """Where the section that `position` is in ends; None before the first heading."""
        heading = self.heading_at(position) or self._lead
        return heading.section_end if heading is not None else None

    def path_of(self, start: int, end: int, text: str) -> tuple[str, ...]:
        """The headings whose sections hold all of the text from `start` to `end`, and those with which it begins."""
        heading = self.heading_at(start)
        if heading is None:
            return self._above
        if heading.start == start:
            for deeper in self.headings_between(start + 1, end - 1):
                if deeper.section_end < end or text[heading.end : deeper.start].strip():
                    break
                heading = deeper
        return heading.path

    def blocks_around(self, position: int) -> Sequence[Block]:
        """The blocks that have `position` inside them (not at their start or end), innermost first."""
        index: int | None = bisect_left(self._block_starts, position) - 1
        if index == -1:
            return ()
        around = []
        while index is not None:
            block = self.blocks[index]
            if position < block.end:
                around.append(block)
            index = block.parent
        return around


PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\S\n]*+\S[^\n]*)*+")


def outline_of_lines(text: str, sections: Sequence[Section]) -> Outline:
    """Sections as they are given. Lines without a blank line between them are a block, and are cut between lines, as
    code is."""
    blocks = [Block(found.start(), found.end(), Kind.FENCE) for found in PARAGRAPH.finditer(text)]
    return Outline.of(_headings(sections, text), blocks)


def _headings(sections: Sequence[Section], text: str) -> list[Heading]:
    """The first line of a section is its heading: it stands in the text."""
    headings: list[Heading] = []
    open_: list[int] = []
    for section in sections:
        _close(headings, open_, section.level, section.start)
        above = headings[open_[-1]].path if open_ else ()
        title = " ".join(section.title.split())[:MAX_TITLE]
        open_.append(len(headings))
        path = (*above, title) if title else above
        line_end = text.find("\n", section.start)
        end = len(text)
        headings.append(Heading(section.start, end if line_end < 0 else line_end, section.level, end, path))
    return headings


def _close(headings: list[Heading], open_: list[int], level: int, at: int) -> None:
    while open_ and headings[open_[-1]].level >= level:
        index = open_.pop()
        heading = headings[index]
        headings[index] = Heading(heading.start, heading.end, heading.level, at, heading.path)
