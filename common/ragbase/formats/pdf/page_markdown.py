"""What is read on a page, as Markdown: headings, paragraphs, lists, code and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from statistics import median

from ragbase.formats.pdf.document_facts import HEADING_RATIO, MAX_LEVEL, DocumentFacts, title_key
from ragbase.formats.pdf.hyphens import join_lines, words_in
from ragbase.formats.pdf.lists import BULLET, MARKDOWN_NUMBER, NUMBERED, Levels, begins_item, counts_on, kind_of
from ragbase.formats.pdf.reading_order import Flow
from ragbase.formats.pdf.right_to_left import is_right_to_left
from ragbase.formats.pdf.segments import SAME_LINE, Segment
from ragbase.formats.pdf.tables import PageTable
from ragbase.formats.pdf.written import (
    Written,
    joined,
    part_of,
    replaced,
    with_single_blanks,
    without_blanks_around,
)

LONGEST_HEADING = 200
LONGEST_BOLD_HEADING = 120
HEADING_LINES = 4
"""Characters and lines. What is longer is a paragraph, however large it is written."""

ITALIC_TITLE_WORDS = 8

SECTION_NUMBER = re.compile(r"\d{1,2}(?:\.\d{1,3})*\.?(?=\s)")
CAPTION = re.compile(
    r"(?:fig(?:ure|\.)?|table|tab\.|listing|abb(?:ildung|\.)|tabelle|bild|hình|bảng)\s*[\dA-Z]", re.IGNORECASE
)
ENTRY = re.compile(r"(.*?\S)\s*(?:[.…·]\s*){4,}(\d{1,5}|[ivxlc]{1,7}|[A-Z]-\d{1,4})$")
LONGEST_ENTRY = 500
CONTENTS_LINES = 3
"""An entry of a list of contents, how many characters one has at most, and how many of them make a list."""
LABEL = re.compile(r"[^\W\d_][\w .()/’'-]{0,30}:(?:\s|$)")
"""Of a field in a form."""
SENTENCE_END = re.compile(r"[.!?:;。！？؟]['\"”’)\]]*$")
LETTER = re.compile(r"[^\W\d_]")
MEANS_SOMETHING = re.compile(r"(?:#{1,6}\s|```|~~~|>|\|)")
"""The beginning of a line that Markdown would read as more than text."""
PIPE = re.compile(r"\|")

NEW_PARAGRAPH = 1.35
"""A gap between lines that is so many times the usual one."""
INDENT = 0.8
SHORT_LINE = 0.88
HANGING = 2.0
"""Points that the lines of an item may begin apart."""


def page_markdown(flows: Sequence[Flow], facts: DocumentFacts) -> Written:
    segments = (item for flow in flows for item in flow if isinstance(item, Segment))
    words = facts.words.union(*(words_in(segment.text) for segment in segments))
    return joined("\n\n", [block for flow in flows for block in _Writer(flow, facts, words).blocks()])


class _Line:
    __slots__ = (
        "baseline",
        "bold",
        "from_right",
        "hang",
        "is_item",
        "italic",
        "left",
        "mark",
        "monospaced",
        "right",
        "size",
        "text",
    )
    # `hang` is how far the text beside a `mark` is from it; 0 without one

    def __init__(self, segments: list[Segment]) -> None:
        first = segments[0]
        texts = [segment.text for segment in segments]
        self.from_right = is_right_to_left(texts)
        self.text = texts[0] if len(texts) == 1 else joined(" ", texts[::-1] if self.from_right else texts)
        self.left, self.right = first.left, max(segment.right for segment in segments)
        self.baseline = first.baseline
        self.size = max(segment.size for segment in segments)
        self.bold = all(segment.bold for segment in segments)
        self.italic = all(segment.italic for segment in segments)
        self.monospaced = all(segment.monospaced for segment in segments)
        self.is_item = bool(BULLET.match(self.text) or NUMBERED.match(self.text))
        self.mark, self.hang = "", 0.0
        if not self.from_right and len(first.words) > 1 and kind_of(first.words[0].text):
            self.is_item = self.is_item or begins_item(first)
            self.mark, self.hang = first.words[0].text, first.words[1].left - first.left


class _Writer:
    def __init__(self, flow: Flow, facts: DocumentFacts, words: frozenset[str]) -> None:
        self._parts = list(_lines(flow))
        self._facts = facts
        self._words = words
        self._levels = Levels()
        lines = [part for part in self._parts if isinstance(part, _Line)]
        if 2 * sum(line.from_right for line in lines) > len(lines):
            for line in lines:  # they begin and end as in a mirror
                line.left, line.right = -line.right, -line.left
        _find_items(lines)
        self._left = min((line.left for line in lines), default=0.0)
        self._right = max((line.right for line in lines), default=0.0)
        gaps = [b.baseline - a.baseline for a, b in pairwise(lines) if a.size == b.size]
        near = [gap for gap in gaps if 0 < gap < 2.5 * facts.body_size]
        self._leading = median(near) if near else 1.25 * facts.body_size

    def blocks(self) -> Iterator[str]:
        open_: list[_Line] = []
        for part in _with_contents(self._parts):
            if isinstance(part, PageTable):
                yield from self._block(open_)
                open_ = []
                self._levels.end()
                yield markdown_table(part.rows)
            elif open_ and self._begins_block(open_, part):
                yield from self._block(open_)
                open_ = [part]
            else:
                open_.append(part)
        yield from self._block(open_)

    def _begins_block(self, block: list[_Line], line: _Line) -> bool:
        last = block[-1]
        gap = line.baseline - last.baseline
        apart = gap < -1 or gap > NEW_PARAGRAPH * max(self._leading, 1.15 * last.size)
        if line.monospaced and last.monospaced:
            return apart and not 0 < gap < 4 * self._leading
        if apart or line.monospaced or last.monospaced:
            return True
        if self._in_outline([line]) or (self._in_outline(block) and not self._in_outline([*block, line])):
            return True
        if self._looks_different(last, line):
            much = abs(line.size - last.size) > 0.25 * last.size
            return much or self._is_heading(block) or self._is_heading([line])
        if LABEL.match(line.text) and LABEL.match(last.text):
            return True
        return line.is_item or self._begins_paragraph(block, line)

    def _looks_different(self, last: _Line, line: _Line) -> bool:
        return (line.bold, line.italic) != (last.bold, last.italic) or abs(line.size - last.size) > 0.1 * last.size

    def _begins_paragraph(self, block: list[_Line], line: _Line) -> bool:
        """By its indentation, or because the line before ends a sentence and is short."""
        last, indent = block[-1], INDENT * line.size
        if line.left > max(block[0].left, last.left) + indent and not block[0].is_item:
            return last.left < self._left + indent
        is_short = last.right < self._left + SHORT_LINE * (self._right - self._left)
        item = block[0]
        if item.is_item and item.hang > indent and line.left < item.left + item.hang - indent:
            return is_short or (len(block) > 1 and last.left > line.left + indent)  # below a list
        ends = is_short and SENTENCE_END.search(last.text)
        return bool(ends) and line.left < self._left + 4 * indent

    def _block(self, lines: list[_Line]) -> Iterator[str]:
        if not lines:
            return
        if lines[0].monospaced and (len(lines) > 1 or "  " in lines[0].text):
            self._levels.end()
            yield self._code(lines)
            return
        text = self._text(lines)
        if not text.strip():
            return
        if self._is_heading(lines):
            self._levels.end()
            yield joined(" ", ("#" * self._level(lines), text))
        elif lines[0].is_item:
            yield from self._item(lines[0], text)
        else:
            self._levels.end()
            yield joined("\\", ("", text)) if MEANS_SOMETHING.match(text) else text

    def _item(self, line: _Line, text: str) -> Iterator[str]:
        bullet = BULLET.match(text)
        number = MARKDOWN_NUMBER.match(text)
        marker = len("- ") if bullet else len(number[0]) if number else 0
        item = joined("- ", ("", without_blanks_around(part_of(text, bullet.end())))) if bullet else text
        if item != "- ":
            yield joined("", (self._levels.indent(line.left, line.size, marker), item))

    def _text(self, lines: list[_Line]) -> Written:
        text = lines[0].text
        for line in lines[1:]:
            text = join_lines(text, line.text, self._words)
        return with_single_blanks(text)

    def _code(self, lines: list[_Line]) -> str:
        left = min(line.left for line in lines)
        indents = (" " * max(round((line.left - left) / (0.6 * line.size)), 0) for line in lines)
        rows = [joined(indent, ("", line.text)) for indent, line in zip(indents, lines, strict=True)]
        fence = "````" if any("```" in row for row in rows) else "```"
        return joined("\n", [fence, *rows, fence])

    def _in_outline(self, lines: list[_Line]) -> bool:
        if not self._facts.outline or len(lines) > HEADING_LINES:
            return False
        return title_key("".join(line.text for line in lines)) in self._facts.outline

    def _is_heading(self, lines: list[_Line]) -> bool:
        """A heading is a title of the outline, or larger than the text, or bold, or in italics."""
        if len(lines) > HEADING_LINES or lines[0].monospaced or not self._facts.has_headings:
            return False
        text = " ".join(line.text for line in lines)
        body = self._facts.body_size
        if len(text) > LONGEST_HEADING:
            return False
        if len(lines) <= 2 and self._in_outline(lines) and lines[0].size >= 0.95 * body:
            return True
        if CAPTION.match(text) or BULLET.match(text) or len(LETTER.findall(text)) < 2:
            return False
        if min(line.size for line in lines) >= HEADING_RATIO * body:
            return not text.endswith((".", ",", ";")) or len(text) < 0.5 * LONGEST_BOLD_HEADING
        differs = len(lines) <= 2 and (self._is_bold(lines) or self._is_italic_title(lines))
        plain = len(text) > LONGEST_BOLD_HEADING or text.endswith((".", ",", ";", ":")) or lines[0].size < 0.92 * body
        return differs and not plain

    def _is_bold(self, lines: list[_Line]) -> bool:
        return not self._facts.body_bold and all(line.bold for line in lines)

    def _is_italic_title(self, lines: list[_Line]) -> bool:
        text = lines[0].text
        short = len(lines) == 1 and len(text.split()) <= ITALIC_TITLE_WORDS
        return short and lines[0].italic and not self._facts.body_italic and (text[0].isupper() or text[0].isdigit())

    def _level(self, lines: list[_Line]) -> int:
        known = self._facts.outline.get(title_key(" ".join(line.text for line in lines)))
        if known is not None:
            return known
        number = SECTION_NUMBER.match(lines[0].text)
        if number is not None:
            return min(number[0].rstrip(".").count(".") + 1, MAX_LEVEL)
        return min(self._facts.level(max(line.size for line in lines)), MAX_LEVEL)


def _lines(flow: Flow) -> Iterator[_Line | PageTable]:
    line: list[Segment] = []
    for item in flow:
        if isinstance(item, Segment):
            last = line[-1] if line else None
            same = last is not None and abs(item.baseline - last.baseline) <= SAME_LINE * item.size
            if last is not None and not (same and item.left >= last.left):
                yield _Line(line)
                line = []
            line.append(item)
        else:
            if line:
                yield _Line(line)
                line = []
            yield item
    if line:
        yield _Line(line)


def _find_items(lines: Sequence[_Line]) -> None:
    """Marks as items the lines that begin with a number and have the next below the text beside it, or the next number
    below; and lines above and below them that begin alike."""
    begins: set[int] = set()
    for line, after in pairwise(lines):
        hangs = line.hang > INDENT * line.size and abs(after.left - line.left - line.hang) < HANGING
        if line.mark and (hangs or (after.mark and counts_on(line.mark, after.mark))):
            begins.update((round(line.left), round(after.left) if not hangs else round(line.left)))
    for line in lines:
        line.is_item = line.is_item or (bool(line.mark) and round(line.left) in begins)


def _with_contents(parts: Sequence[_Line | PageTable]) -> Iterator[_Line | PageTable]:
    """The parts, with a list of contents as a table of titles and page numbers, without the dots between."""

    def is_line_of_contents(part: _Line | PageTable) -> bool:
        return isinstance(part, _Line) and len(part.text) <= LONGEST_ENTRY and bool(ENTRY.match(part.text))

    for is_entry, group in groupby(parts, is_line_of_contents):
        members = list(group)
        if is_entry and len(members) >= CONTENTS_LINES:
            lines = [part.text for part in members if isinstance(part, _Line)]
            entries = [(text, entry) for text in lines if (entry := ENTRY.match(text))]
            yield PageTable(
                [
                    [without_blanks_around(part_of(text, *entry.span(1))), part_of(text, *entry.span(2))]
                    for text, entry in entries
                ],
                0,
                0,
                0,
                0,
            )
        else:
            yield from members


def markdown_table(rows: Sequence[Sequence[str]]) -> Written:
    lines = [joined("", ("| ", joined(" | ", map(_cell, row)), " |")) for row in rows]
    return joined("\n", [lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def _cell(text: str) -> Written:
    return with_single_blanks(replaced(PIPE, "\\|", text))
