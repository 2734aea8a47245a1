"""The lines of MDX that import and export: they are code, and no reader of the page sees them."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from ragbase.formats.fences import fenced_spans

Span = tuple[int, int]

STATEMENT = re.compile(r"\n(?:im|ex)port\b")
IMPORT = re.compile(
    r"(?:import[ \t]+(?:[^'\";=()]{1,1000}?\sfrom\s+)?"
    r"|export[ \t]+(?:\*[^'\";\n]{0,100}|\{[^{}'\"]{0,1000}\})\s*from\s+)"
    r"""(?:'[^'\n]+'|"[^"\n]+")[ \t]*;?[ \t]*$""",
    re.MULTILINE,
)
EXPORT = re.compile(r"export[ \t]+(?:default|const|let|var|function|class|async)\b")
COMPONENT = re.compile(r"<[A-Z][\w.]*[\s/>]")
BRACKET_OR_END = re.compile(r"[{(\[]|[})\]]|\n(?=[ \t]*(?:\n|\Z))|\Z")

HEAD = 4_000
LONGEST = 20_000
"""Characters of an export. What looks like one and is longer is text, and so are all that follow."""


def module_spans(text: str, start: int = 0) -> list[Span]:
    """Where such lines stand from `start` on, in order. A text whose first one comes late is no MDX."""
    head = "\n" + text[start : start + HEAD]
    if "\r" in head:
        head = head.replace("\r", "\n")
    if STATEMENT.search(head) is None:
        return []
    if "\r" in text:
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    return _Modules(text).spans(start)


class _Modules:
    """Reads the modules of a text, whose lines end in line feeds."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._can_export: bool | None = None  # nobody knows yet

    def spans(self, start: int) -> list[Span]:
        spans, last = list[Span](), start
        first = [0] if start == 0 and self._text.startswith(("import", "export")) else []
        for begin in (*first, *(line.start() + 1 for line in STATEMENT.finditer(self._text, start))):
            if begin < last or not self._is_apart(begin, last):
                continue
            end = self._end(begin)
            if end and not self._is_fenced(begin):
                self._can_export = True
                spans.append((begin, end))
                last = end
        return spans

    @cached_property
    def _fences(self) -> list[Span]:
        return list(fenced_spans(self._text))

    def _is_apart(self, start: int, last: int) -> bool:
        """Whether the line above is blank, a comment, or the end of the statement before."""
        line = self._text.rfind("\n", 0, max(start - 1, 0)) + 1
        above = self._text[max(line, last) : start].strip()
        return not above or above.endswith(("-->", "*/}"))

    def _is_fenced(self, position: int) -> bool:
        index = bisect_right(self._fences, (position, position)) - 1
        return index >= 0 and position < self._fences[index][1]

    def _end(self, start: int) -> int:
        """Where the statement ends that begins at `start`; 0 if it is none."""
        found = IMPORT.match(self._text, start)
        if found is not None:
            return found.end()
        return self._end_of_export(start) if EXPORT.match(self._text, start) and self._is_mdx() else 0

    def _is_mdx(self) -> bool:
        """Whether the text is plainly MDX: it has an import or a component."""
        if self._can_export is None:
            self._can_export = COMPONENT.search(self._text) is not None
        return self._can_export

    def _end_of_export(self, start: int) -> int:
        """A blank line ends it, if no bracket is open."""
        depth, most = 0, min(start + LONGEST, len(self._text))
        for mark in BRACKET_OR_END.finditer(self._text, start, most):
            if mark[0] in ("\n", ""):
                if depth <= 0 and (mark[0] or most == len(self._text)):
                    return mark.start()
            else:
                depth += 1 if mark[0] in "{([" else -1
        self._can_export = False
        return 0
