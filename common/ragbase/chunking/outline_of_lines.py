"""The outline of a text of lines, such as source code: its reader has found the sections."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragbase.chunking.heading_title import MAX_TITLE
from ragbase.chunking.outline import Block, Heading, Kind, Outline
from ragbase.domain.extraction import Section

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
