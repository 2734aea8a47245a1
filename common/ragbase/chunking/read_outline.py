"""Read the outline of a Markdown text in one pass."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from ragbase.chunking.heading_title import heading_title
from ragbase.chunking.line_patterns import (
    BLANK_LINE,
    CLOSING_FENCE,
    CLOSING_FENCE_IN_QUOTE,
    CONTAINER,
    FENCE_IN_ITEM,
    FRONT_MATTER,
    HEADER_ROW,
    HEADING_PREFIX,
    LEVELS,
    LONGEST_CONTAINER,
    LONGEST_FORMULA,
    MARK,
    MARK_IN_LIST,
    NEXT_LINE,
    PARAGRAPH_LINE,
    PIPE,
    QUOTED_ROW,
    ROW,
    UNDERLINED,
    end_of_raw,
    is_component,
    is_title,
)
from ragbase.chunking.open_item import TAB, OpenItem, columns
from ragbase.chunking.outline import Block, Heading, Kind, Outline


def read_outline(text: str, document_title: str | None = None, plain_until: int = 0) -> Outline:
    """The headings (ATX and setext), fences, tables (of GitHub's Markdown) and list items of a text.

    Front matter, quotes, code, HTML, admonitions and formulas have no headings. `document_title` is from outside of the
    text. It stands above all headings if the text has none of level 1, and above what is plain text in front of
    Markdown. Up to `plain_until`, the text has no headings but underlined ones, and no blocks.
    """
    headings, blocks = _Reader(text, plain_until).read()
    above = (document_title,) if document_title is not None else ()
    if any(heading.level == 1 for heading in headings):
        above = above if plain_until else ()
    elif above:
        headings = [replace(heading, path=above + heading.path) for heading in headings]
    lead = next((heading for heading in headings if heading.start >= plain_until), None) if plain_until else None
    if lead is not None and text[plain_until : lead.start].strip():
        lead = None
    return Outline.of(headings, blocks, above, lead)


class _Reader:
    def __init__(self, text: str, plain_until: int) -> None:
        self._plain_end = plain_until + 1 if plain_until else 0
        self._lines = "\n" + text  # so that a pattern finds the first line too; positions are one more than in `text`
        self._headings: list[Heading] = []
        self._blocks: list[Block] = []
        self._sections: list[int] = []  # the headings whose sections are open, outermost first
        self._items: list[OpenItem] = []
        self._never_closed: set[str] = set()  # what would end an HTML block and does not come any more
        self._block_end = 0  # no heading and no table begins before it
        self._html_end = 0  # no underline makes a heading before it,
        self._html_tag = ""  # and no line is one, if this tag is none of MDX
        self._headless_end = 0  # no line is a heading before it

    def read(self) -> tuple[list[Heading], list[Block]]:
        position = self._plain_end
        if position:
            self._read_plain()
        elif front_matter := FRONT_MATTER.match(self._lines):
            position = front_matter.end()
        self._block_end = position
        while mark := (MARK_IN_LIST if self._items else MARK).search(self._lines, position):
            position = _READERS[mark.lastgroup or ""](self, mark)
        self._leave_all(len(self._lines))
        self._close_sections(0, len(self._lines))
        return self._headings, self._blocks

    def _read_plain(self) -> None:
        for title in UNDERLINED.finditer(self._lines, 0, self._plain_end):
            if is_title(title["title"], title["underline"]):
                self._heading(title.start("title"), title.end(), LEVELS[title["underline"][0]], title["title"])

    def _read_hashes(self, mark: re.Match[str]) -> int:
        start = mark.start()
        if not HEADING_PREFIX.match(mark["prefix"]) or start < self._headless_end:
            return mark.end()
        if start < self._html_end and not is_component(self._html_tag):
            return mark.end()
        end = self._line_end(mark.end())
        return self._heading(mark.start("hashes"), end, len(mark["hashes"]), self._lines[mark.end() : end])

    def _read_underline(self, mark: re.Match[str]) -> int:
        """The underline of a heading, an empty list item or a rule."""
        paragraph = self._underlined(mark.start()) if HEADING_PREFIX.match(mark["prefix"]) else None
        if paragraph is not None:
            level = 1 if mark["underline"][0] == "=" else 2
            return self._heading(paragraph, mark.end(), level, self._lines[paragraph : mark.start()])
        return self._read_item(mark) if mark["underline"] == "-" else self._read_rule(mark)

    def _read_rule(self, mark: re.Match[str]) -> int:
        self._leave(mark["prefix"], mark.start())
        return mark.end()

    def _read_blank(self, mark: re.Match[str]) -> int:
        following = NEXT_LINE.match(self._lines, mark.end())
        if following is None:
            return mark.end()
        self._leave(following["prefix"], mark.start())
        return following.start("line")

    def _read_fence(self, mark: re.Match[str]) -> int:
        self._leave(mark["prefix"], mark.start())
        return self._fence(mark, quoted=">" in mark["prefix"])

    def _heading(self, start: int, end: int, level: int, line: str) -> int:
        self._leave_all(start)
        self._close_sections(level, start)
        above = self._headings[self._sections[-1]].path if self._sections else ()
        title = heading_title(line)
        self._sections.append(len(self._headings))
        self._headings.append(Heading(start - 1, end - 1, level, 0, (*above, title) if title else above))
        self._block_end = end
        return end

    def _close_sections(self, level: int, at: int) -> None:
        while self._sections and self._headings[self._sections[-1]].level >= level:
            index = self._sections.pop()
            open_ = self._headings[index]
            self._headings[index] = Heading(open_.start, open_.end, open_.level, at - 1, open_.path)

    def _fence(self, mark: re.Match[str], *, quoted: bool) -> int:
        """A fence ends with the line that closes it, else with its quote, else with the text."""
        start, position, fence = mark.start("fence"), mark.end(), mark["fence"]
        end = len(self._lines)
        for closing in (CLOSING_FENCE_IN_QUOTE if quoted else CLOSING_FENCE).finditer(self._lines, position):
            if closing["fence"] is None:
                end = closing.start()
                break
            if closing["fence"].startswith(fence):
                end = closing.end()
                break
        self._add(start, Kind.FENCE, self._text_end(end))
        self._block_end = end
        return end

    def _read_raw(self, mark: re.Match[str]) -> int:
        """A comment, an element whose text is no Markdown, or a formula. One that is not closed is text."""
        position, opening = mark.end(), mark["raw"]
        closing = end_of_raw(opening)
        if closing in self._never_closed:
            return position
        end = re.compile(closing, re.IGNORECASE).search(self._lines, position)
        if end is None:
            self._never_closed.add(closing)
            return position
        if opening == "$$" and end.end() - position > LONGEST_FORMULA:
            return position
        self._block_end = self._line_end(end.end())
        return self._block_end

    def _read_tag(self, mark: re.Match[str]) -> int:
        """An HTML block up to the next blank line. Code, tables and lists in it stay what they are: not all programs
        that show Markdown agree about those."""
        start = mark.start()
        if start < self._html_end or not HEADING_PREFIX.match(mark["prefix"]):
            return mark.end()
        if mark.lastgroup == "tag" and not self._is_after_blank(start):
            return mark.end()
        end = BLANK_LINE.search(self._lines, start + 1)
        self._html_end = end.start() if end else len(self._lines)
        self._html_tag = mark[mark.lastgroup or ""]
        return mark.end()

    def _is_after_blank(self, line: int) -> bool:
        """Whether the line before the one at `line` is blank, or ends a block."""
        above = self._lines.rfind("\n", self._block_end, line)
        return not self._lines[self._block_end if above < 0 else above : line].strip()

    def _read_container(self, mark: re.Match[str]) -> int:
        """An admonition such as `:::tip`, up to the line of as many colons that closes it."""
        colons = len(mark["container"])
        if mark.start() >= self._headless_end:
            for line in CONTAINER.finditer(self._lines, mark.end(), mark.end() + LONGEST_CONTAINER):
                if len(line["colons"]) >= colons:
                    if not line["name"]:
                        self._headless_end = line.end()
                    break
        return mark.end()

    def _read_delimiter(self, mark: re.Match[str]) -> int:
        """The line that makes the line above it a table's header, if both have as many cells."""
        delimiter, delimiter_end = mark.start(), mark.end()
        above = self._lines.rfind("\n", self._block_end, delimiter)
        header = HEADER_ROW.match(self._lines, above + 1, delimiter) if above >= 0 else None
        if header is None or _cells(header["row"]) != _cells(self._lines[delimiter:delimiter_end].lstrip("\n\t >")):
            return delimiter_end
        if header.end("prefix") == header.start("row"):  # else the table begins its item
            self._leave(header["prefix"], above)
        row = QUOTED_ROW if ">" in header["prefix"] else ROW
        end = delimiter_end
        while found := row.match(self._lines, end):
            end = found.end()
        self._add(header.start("row"), Kind.TABLE, self._text_end(end), head_end=delimiter_end)
        self._block_end = end
        return end

    def _read_item(self, mark: re.Match[str]) -> int:
        prefix, start, marker_end = mark["prefix"], mark.end("prefix"), mark.end(mark.lastgroup or 0)
        self._leave(prefix, mark.start())
        depth = prefix.count(">")
        after = self._lines[marker_end : marker_end + TAB + 1]
        blanks = columns(after[: len(after) - len(after.lstrip(" \t"))], 0)
        offset = columns(prefix.rpartition(">")[2], depth) + marker_end - start + (blanks if blanks <= TAB else 1)
        parent = self._items[-1].index if self._items else None
        self._items.append(OpenItem(len(self._blocks), depth, max(offset, 1)))
        self._blocks.append(Block(start - 1, start - 1, Kind.ITEM, parent))
        fence = FENCE_IN_ITEM.match(self._lines, mark.end())
        if fence:
            return self._fence(fence, quoted=depth > 0)
        return mark.end()

    def _add(self, start: int, kind: Kind, end: int, *, head_end: int = 1) -> None:
        parent = self._items[-1].index if self._items else None
        self._blocks.append(Block(start - 1, end - 1, kind, parent, head_end - 1))

    def _leave(self, prefix: str, at: int) -> None:
        """End the items that do not hold the line at `at`, which begins with `prefix`."""
        if self._items and not self._items[-1].holds(prefix):
            end = self._text_end(at)
            while self._items and not self._items[-1].holds(prefix):
                self._end_item(end)

    def _leave_all(self, at: int) -> None:
        if self._items:
            end = self._text_end(at)
            while self._items:
                self._end_item(end)

    def _end_item(self, end: int) -> None:
        index = self._items.pop().index
        open_ = self._blocks[index]
        self._blocks[index] = Block(open_.start, end - 1, open_.kind, open_.parent)

    def _text_end(self, position: int) -> int:
        """`position`, or the end of the text before it if there are only blanks between."""
        while position and self._lines[position - 1].isspace():
            position -= 1
        return position

    def _line_end(self, position: int) -> int:
        end = self._lines.find("\n", position)
        return len(self._lines) if end < 0 else end

    def _underlined(self, underline: int) -> int | None:
        """Where the paragraph of one line above an underline begins, or None if there is no such paragraph.

        CommonMark makes a heading of a longer paragraph, too; but there, people mean a horizontal rule.
        """
        if underline < max(self._html_end, self._headless_end):
            return None
        newline = self._lines.rfind("\n", self._block_end, underline)
        paragraph = PARAGRAPH_LINE.match(self._lines, newline + 1, underline) if newline >= 0 else None
        if paragraph is None:
            return None
        return paragraph.end() - 1 if self._is_after_blank(newline) else None


_READERS: dict[str, Callable[[_Reader, re.Match[str]], int]] = {
    "fence": _Reader._read_fence,
    "hashes": _Reader._read_hashes,
    "underline": _Reader._read_underline,
    "delimiter": _Reader._read_delimiter,
    "rule": _Reader._read_rule,
    "marker": _Reader._read_item,
    "raw": _Reader._read_raw,
    "block_tag": _Reader._read_tag,
    "tag": _Reader._read_tag,
    "container": _Reader._read_container,
    "blank": _Reader._read_blank,
}
"""What reads a line, by the group of the pattern that has found it."""


def _cells(row: str) -> int:
    inner = row.strip().removeprefix("|")
    pipes = len(PIPE.findall(inner))
    return pipes if PIPE.search(inner, len(inner) - 1) else pipes + 1
