"""The outline of a Markdown text: where its headings and its fenced code blocks are."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragbase.chunking.heading_title import heading_title

MARK = re.compile(
    r"\n(?=[ \t]*[#`~=-])"
    r"(?:"
    r"[ \t]*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})"
    r"| {0,3}(?P<hashes>#{1,6})(?=[ \t\r\n]|\Z)"
    r"| {0,3}(?P<underline>=++|-++)[ \t\r]*+$"
    r")",
    re.MULTILINE,
)
"""A line that opens a fence, is a heading, or underlines one. A fence may be at any depth of a list, so its indentation
does not matter here, unlike in CommonMark. Each branch reads a line once, so the scan is linear."""

CLOSING_FENCE = re.compile(r"\n[ \t]*(`{3,}|~{3,})[ \t\r]*+$", re.MULTILINE)
FRONT_MATTER = re.compile(r"\n---[ \t\r]*\n(?:[^\n\S]*+\S[^\n]*+\n)*?(?:---|\.\.\.)[ \t\r]*+$", re.MULTILINE)
PARAGRAPH_LINE = re.compile(r" {0,3}(?![>#|]|[-*+](?:\s|\Z)|\d{1,9}[.)]\s)\S")
"""A line that an underline can make a heading: not a quote, a table row or a list item."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading, from its first character at `start` to the end of its last line.

    `path` holds the titles of all headings above it and its own, outermost first.
    """

    start: int
    end: int
    level: int
    path: tuple[str, ...]


class Outline:
    """The headings and fences of a text, in order. A fence is the span from its first line to the end of its last.

    `above` is the path of what stands before the first heading.
    """

    def __init__(
        self, headings: Sequence[Heading], fences: Sequence[tuple[int, int]], above: tuple[str, ...] = ()
    ) -> None:
        self.headings = headings
        self._above = above
        self._starts = [heading.start for heading in headings]
        self._fence_starts = [start for start, _ in fences]
        self._fence_ends = [end for _, end in fences]

    def headings_between(self, low: int, high: int) -> Sequence[Heading]:
        """The headings that start from `low` to `high`, both included."""
        return self.headings[bisect_left(self._starts, low) : bisect_right(self._starts, high)]

    def heading_before(self, position: int) -> Heading | None:
        """The last heading that starts before `position`."""
        index = bisect_left(self._starts, position)
        return self.headings[index - 1] if index else None

    def fence_around(self, position: int) -> tuple[int, int] | None:
        """The fence that has `position` inside it: not at its start or end."""
        index = bisect_left(self._fence_starts, position) - 1
        if index >= 0 and position < self._fence_ends[index]:
            return self._fence_starts[index], self._fence_ends[index]
        return None

    def fence_end_before(self, position: int) -> int:
        """The end of the last fence that ends at or before `position`; 0 if there is none."""
        index = bisect_right(self._fence_ends, position)
        return self._fence_ends[index - 1] if index else 0

    def path_at(self, start: int, end: int, text: str) -> tuple[str, ...]:
        """The headings above the text from `start` to `end`, and those with which it begins."""
        index = bisect_right(self._starts, start) - 1
        if index < 0:
            return self._above
        heading = self.headings[index]
        if heading.start == start:
            for deeper in self.headings_between(start + 1, end - 1):
                if deeper.level <= heading.level or text[heading.end : deeper.start].strip():
                    break
                heading = deeper
        return heading.path


def outline(text: str, document_title: str | None = None) -> Outline:
    """Read the outline of a Markdown text (ATX and setext headings, fences, YAML front matter) in one pass.

    `document_title` is from outside of the text. It stands above all headings if the text has none of level 1.
    """
    lines = "\n" + text  # so that MARK finds the first line too; positions are one more than in `text`
    headings: list[Heading] = []
    fences: list[tuple[int, int]] = []
    stack: list[tuple[int, str]] = []
    front_matter = FRONT_MATTER.match(lines)
    position = block_end = front_matter.end() if front_matter else 0
    while mark := MARK.search(lines, position):
        position = mark.end()
        if fence := mark["fence"]:
            position = _fence_end(lines, position, fence)
            fences.append((mark.start("fence") - 1, position - 1))
            block_end = position
            continue
        if hashes := mark["hashes"]:
            start, level = mark.start("hashes") - 1, len(hashes)
            position = _line_end(lines, position)
            title = lines[mark.end() : position]
        else:
            paragraph = _underlined(lines, mark.start(), block_end)
            if paragraph is None:
                continue
            start, level = paragraph - 1, 1 if mark["underline"][0] == "=" else 2
            title = lines[paragraph : mark.start()]
        while stack and stack[-1][0] >= level:
            stack.pop()
        stack.append((level, heading_title(title)))
        path = tuple(title for _, title in stack if title)
        headings.append(Heading(start, position - 1, level, path))
        block_end = position
    if document_title is not None and all(heading.level > 1 for heading in headings):
        return Outline(
            [replace(heading, path=(document_title, *heading.path)) for heading in headings], fences, (document_title,)
        )
    return Outline(headings, fences)


def _line_end(lines: str, position: int) -> int:
    end = lines.find("\n", position)
    return len(lines) if end < 0 else end


def _fence_end(lines: str, position: int, fence: str) -> int:
    """The end of the line that closes `fence`, or of the text if no line closes it."""
    for closing in CLOSING_FENCE.finditer(lines, position):
        if closing[1][0] == fence[0] and len(closing[1]) >= len(fence):
            return closing.end()
    return len(lines)


def _underlined(lines: str, underline: int, block_end: int) -> int | None:
    """Where the paragraph of one line above an underline begins, or None if there is no such paragraph.

    CommonMark makes a heading of a longer paragraph, too; but there, people mean a horizontal rule.
    """
    newline = lines.rfind("\n", block_end, underline)
    paragraph = PARAGRAPH_LINE.match(lines, newline + 1, underline) if newline >= 0 else None
    if paragraph is None:
        return None
    above = lines.rfind("\n", block_end, newline)
    if lines[block_end if above < 0 else above : newline].strip():
        return None
    return paragraph.end() - 1
