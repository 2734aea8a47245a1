"""Read the outline of a Markdown text in one pass."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from ragbase.chunking.heading_title import heading_title
from ragbase.chunking.outline import Block, Heading, Kind, Outline

_FENCE = r"(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})"
_MARKER = r"(?:[-*+]|\d{1,9}[.)])"
_CELL = r"[ \t]*+:?+-++:?+[ \t]*+"
_KINDS = (
    rf"{_FENCE}"
    r"|(?P<hashes>#{1,6})(?=[ \t\r\n]|\Z)"
    r"|(?P<underline>=++|-++)[ \t\r]*+$"
    rf"|(?P<delimiter>(?=[^\n]*\|)\|?+{_CELL}(?:\|{_CELL})*+\|?+[ \t\r]*+$)"
    r"|(?P<rule>(?:-[ \t]*+){3,}+\r?$|(?:\*[ \t]*+){3,}+\r?$|(?:_[ \t]*+){3,}+\r?$)"
    rf"|(?P<marker>{_MARKER})(?=[ \t\r\n]|\Z)"
    r"|(?P<raw><!--|<(?:pre|script|style|textarea)(?=[\s>]))"
)
_MARK = re.compile(rf"\n(?=[ \t>]*[#`~=\-*+_|:<\d])(?P<prefix>[ \t>]*+)(?:{_KINDS})", re.MULTILINE | re.IGNORECASE)
"""A line that has a meaning: it opens a fence or a list item, is a heading or a rule, underlines a heading or a table's
header. A fence may be at any depth of a list, so its indentation does not matter here, unlike in CommonMark. Each
branch reads a line once, so the scan is linear."""
_MARK_IN_LIST = re.compile(rf"\n(?P<prefix>[ \t>]*+)(?:(?P<blank>\r?(?=\n))|{_KINDS})", re.MULTILINE | re.IGNORECASE)
_NEXT_LINE = re.compile(r"(?:\n[ \t\r>]*+(?=\n))*+(?P<line>\n)(?P<prefix>[ \t>]*+)")

_FENCE_IN_ITEM = re.compile(rf"[ \t]+{_FENCE}", re.MULTILINE)
_CLOSING_FENCE = re.compile(r"\n[ \t]*+(?P<fence>`{3,}|~{3,})[ \t\r]*+$", re.MULTILINE)
_CLOSING_FENCE_IN_QUOTE = re.compile(r"\n(?:(?![ \t]*>)|[ \t>]*+(?P<fence>`{3,}|~{3,})[ \t\r]*+$)", re.MULTILINE)
"""The line that closes a fence, or the first line that is not in its quote."""
_FRONT_MATTER = re.compile(r"\n---[ \t\r]*\n(?:[^\n\S]*+\S[^\n]*+\n)*?(?:---|\.\.\.)[ \t\r]*+$", re.MULTILINE)
_HEADING_PREFIX = re.compile(r" {0,3}\Z")
_PARAGRAPH_LINE = re.compile(rf" {{0,3}}(?![>#|]|{_MARKER}(?:\s|\Z))\S")
"""A line that an underline can make a heading: not a quote, a table row or a list item."""
_HEADER_ROW = re.compile(rf"(?P<prefix>[ \t>]*+)(?:{_MARKER}[ \t]+)*+(?P<row>\S[^\n]*)")
_OTHER = rf"(?:\r?$|#{{1,6}}(?:[ \t\r]|$)|`{{3}}|~{{3}}|{_MARKER}[ \t])"
_ROW = re.compile(rf"\n(?![ \t]*+(?:>|{_OTHER}))[^\n]*+", re.MULTILINE)
_QUOTED_ROW = re.compile(rf"\n[ \t]*+>(?![ \t>]*+{_OTHER})[^\n]*+", re.MULTILINE)
_PIPE = re.compile(r"(?<!\\)\|")

TAB = 4
"""Columns from one tab stop to the next (CommonMark, section 2.2)."""


def read_outline(text: str, document_title: str | None = None) -> Outline:
    """The headings (ATX and setext), fences, tables (of GitHub's Markdown) and list items of a text.

    Front matter, quotes, code, HTML comments and HTML's own code have no headings. `document_title` is from outside of
    the text. It stands above all headings if the text has none of level 1.
    """
    headings, blocks = _Reader(text).read()
    if document_title is None or any(heading.level == 1 for heading in headings):
        return Outline.of(headings, blocks)
    above = (document_title,)
    return Outline.of([replace(heading, path=above + heading.path) for heading in headings], blocks, above)


@dataclass(frozen=True, slots=True)
class _OpenItem:
    """A list item whose end is not read yet. Its content begins `offset` columns after `depth` quote marks."""

    index: int
    depth: int
    offset: int

    def holds(self, prefix: str) -> bool:
        """Whether a line that begins with `prefix`, and continues no paragraph, is in this item."""
        if not self.depth and ">" not in prefix:
            return _columns(prefix, 0) >= self.offset
        quotes = prefix.split(">", self.depth + 1)
        return len(quotes) > self.depth and _columns(quotes[self.depth], self.depth) >= self.offset


class _Reader:
    def __init__(self, text: str) -> None:
        self._lines = "\n" + text  # so that a pattern finds the first line too; positions are one more than in `text`
        self._headings: list[Heading] = []
        self._blocks: list[Block] = []
        self._sections: list[int] = []  # the headings whose sections are open, outermost first
        self._items: list[_OpenItem] = []
        self._never_closed: set[str] = set()  # what would end an HTML block and does not come any more
        self._block_end = 0  # no heading and no table begins before it

    def read(self) -> tuple[list[Heading], list[Block]]:
        front_matter = _FRONT_MATTER.match(self._lines)
        position = self._block_end = front_matter.end() if front_matter else 0
        while mark := (_MARK_IN_LIST if self._items else _MARK).search(self._lines, position):
            position = self._after(mark)
        self._leave_all(len(self._lines))
        self._close_sections(0, len(self._lines))
        return self._headings, self._blocks

    def _after(self, mark: re.Match[str]) -> int:
        """Take in a line that has a meaning. Where to read on."""
        return _READERS[mark.lastgroup or ""](self, mark)

    def _read_hashes(self, mark: re.Match[str]) -> int:
        if not _HEADING_PREFIX.match(mark["prefix"]):
            return mark.end()
        end = self._line_end(mark.end())
        return self._heading(mark.start("hashes"), end, len(mark["hashes"]), self._lines[mark.end() : end])

    def _read_underline(self, mark: re.Match[str]) -> int:
        """The underline of a heading, an empty list item or a rule."""
        paragraph = self._underlined(mark.start()) if _HEADING_PREFIX.match(mark["prefix"]) else None
        if paragraph is not None:
            level = 1 if mark["underline"][0] == "=" else 2
            return self._heading(paragraph, mark.end(), level, self._lines[paragraph : mark.start()])
        return self._read_item(mark) if mark["underline"] == "-" else self._read_rule(mark)

    def _read_rule(self, mark: re.Match[str]) -> int:
        self._leave(mark["prefix"], mark.start())
        return mark.end()

    def _read_blank(self, mark: re.Match[str]) -> int:
        following = _NEXT_LINE.match(self._lines, mark.end())
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
        for closing in (_CLOSING_FENCE_IN_QUOTE if quoted else _CLOSING_FENCE).finditer(self._lines, position):
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
        """An HTML comment, or an element whose text is no Markdown. One that is not closed is text."""
        position, opening = mark.end(), mark["raw"]
        closing = "-->" if opening == "<!--" else f"</{opening[1:].lower()}"
        if closing in self._never_closed:
            return position
        end = re.compile(closing, re.IGNORECASE).search(self._lines, position)
        if end is None:
            self._never_closed.add(closing)
            return position
        self._block_end = self._line_end(end.end())
        return self._block_end

    def _read_delimiter(self, mark: re.Match[str]) -> int:
        """The line that makes the line above it a table's header, if both have as many cells."""
        delimiter, delimiter_end = mark.start(), mark.end()
        above = self._lines.rfind("\n", self._block_end, delimiter)
        header = _HEADER_ROW.match(self._lines, above + 1, delimiter) if above >= 0 else None
        if header is None or _cells(header["row"]) != _cells(self._lines[delimiter:delimiter_end].lstrip("\n\t >")):
            return delimiter_end
        if header.end("prefix") == header.start("row"):  # else the table begins its item
            self._leave(header["prefix"], above)
        row = _QUOTED_ROW if ">" in header["prefix"] else _ROW
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
        blanks = _columns(after[: len(after) - len(after.lstrip(" \t"))], 0)
        offset = _columns(prefix.rpartition(">")[2], depth) + marker_end - start + (blanks if blanks <= TAB else 1)
        parent = self._items[-1].index if self._items else None
        self._items.append(_OpenItem(len(self._blocks), depth, max(offset, 1)))
        self._blocks.append(Block(start - 1, start - 1, Kind.ITEM, parent))
        fence = _FENCE_IN_ITEM.match(self._lines, mark.end())
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
        newline = self._lines.rfind("\n", self._block_end, underline)
        paragraph = _PARAGRAPH_LINE.match(self._lines, newline + 1, underline) if newline >= 0 else None
        if paragraph is None:
            return None
        above = self._lines.rfind("\n", self._block_end, newline)
        if self._lines[self._block_end if above < 0 else above : newline].strip():
            return None
        return paragraph.end() - 1


_READERS: dict[str, Callable[[_Reader, re.Match[str]], int]] = {
    "fence": _Reader._read_fence,
    "hashes": _Reader._read_hashes,
    "underline": _Reader._read_underline,
    "delimiter": _Reader._read_delimiter,
    "rule": _Reader._read_rule,
    "marker": _Reader._read_item,
    "raw": _Reader._read_raw,
    "blank": _Reader._read_blank,
}
"""What reads a line, by the group of the pattern that has found it."""


def _columns(blanks: str, depth: int) -> int:
    """The width of the blanks after the last of `depth` quote marks. One blank belongs to the mark."""
    width = len(blanks.expandtabs(TAB)) if "\t" in blanks else len(blanks)
    return max(width - 1, 0) if depth else width


def _cells(row: str) -> int:
    inner = row.strip().removeprefix("|")
    pipes = len(_PIPE.findall(inner))
    return pipes if _PIPE.search(inner, len(inner) - 1) else pipes + 1
