"""The words of a TeX file on their way to paragraphs, items and cells."""

from __future__ import annotations

import re

from ragbase.formats.markdown_text import MarkdownText
from ragbase.formats.tex.commands import LISTS

BLANK_LINE = re.compile(r"\n[ \t]*\n\s*")
ITEM = re.compile(r"\s*(?:-|1\.) ")
MAX_LISTS = 12


class Paragraphs:
    """Takes words, and writes them when a block ends. In a table, they are words of a cell."""

    def __init__(self, out: MarkdownText) -> None:
        self.out = out
        self.lists: list[str] = []
        self._words: list[str] = []
        self._rows: list[list[str]] | None = None
        self._tables = 0  # those that are open within each other: the cells of inner ones are text of an outer cell

    @property
    def in_table(self) -> bool:
        return self._rows is not None

    @property
    def last(self) -> str:
        return self._words[-1] if self._words else ""

    def add(self, words: str) -> None:
        self._words.append(words)

    def flush(self) -> None:
        """Write the paragraphs that are read so far."""
        if self._rows is not None:
            return
        for number, paragraph in enumerate(BLANK_LINE.split("".join(self._words))):
            if number:
                self.out.blank()
            self._write(paragraph.strip("\n"))
        self._words.clear()

    def _write(self, paragraph: str) -> None:
        within = "   " * len(self.lists)
        for number, line in enumerate(paragraph.split("\n")):
            if not line.strip():
                continue
            if not number and ITEM.match(line):
                self.out.line(line.rstrip())
            else:
                self.out.prose(within + line.strip())

    def begin_list(self, name: str) -> None:
        if len(self.lists) < MAX_LISTS:
            self.lists.append(name)

    def begin_item(self, term: str) -> None:
        self.flush()
        kind = self.lists[-1] if self.lists else "itemize"
        indent = "   " * max(len(self.lists) - 1, 0)
        self.add(indent + LISTS.get(kind, "- ") + (f"{term}: " if term else ""))

    def begin_table(self) -> None:
        self._tables += 1
        if self._rows is None:
            self._rows = [[]]

    def end_table(self) -> None:
        self._tables -= 1
        if self._tables or self._rows is None:
            return
        self._end_cell()
        rows, self._rows = [row for row in self._rows if any(cell.strip() for cell in row)], None
        self.out.table(rows, has_header=False)

    def next_cell(self) -> None:
        if self._tables == 1:
            self._end_cell()
        else:
            self.add(" ")

    def next_row(self) -> None:
        self.next_cell()
        if self._tables == 1 and self._rows is not None:
            self._rows.append([])

    def _end_cell(self) -> None:
        if self._rows is not None:
            self._rows[-1].append(self.take_line())

    def take_line(self) -> str:
        """The words that are read so far, in one line."""
        line = " ".join("".join(self._words).split())
        self._words.clear()
        return line

    def close(self) -> None:
        """Write what is not written yet. A table may have no end."""
        if self._tables:
            self._tables = 1
            self.end_table()
        self.flush()
