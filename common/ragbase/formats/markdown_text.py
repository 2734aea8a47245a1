"""Markdown that a reader of another markup language writes, block by block."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.extraction import Extraction
from ragbase.domain.left_out import LeftOut
from ragbase.domain.metadata import NO_METADATA, DocumentMetadata
from ragbase.formats.empty_places import padded_width

MAX_HEADING_LEVEL = 6
STRUCTURE = re.compile(
    r"(?P<before>\s*)(?:(?P<mark>#{1,6}(?=\s|$)|[-+*](?=\s)|>|`{3}|~{3}|[-=]+\s*$|[-*_](?:\s*[-*_]){2,}\s*$|"
    r"\|?[ :]*-[-: |]*$|<(?=!--|(?:pre|script|style|textarea)\b))|(?P<number>\d{1,9})(?=[.)](?:\s|$)))",
    re.IGNORECASE,
)
"""How a line of a paragraph begins that Markdown would take for something else."""
BACKTICKS = re.compile(r"`+")
PIPE = re.compile(r"(?<!\\)\|")


class MarkdownText:
    """Markdown that grows with each block.

    Its methods raise PermanentError (FILE_TOO_LARGE) if the text becomes longer than `max_characters`.
    """

    def __init__(self, max_characters: int) -> None:
        self._max = max_characters
        self._lines: list[str] = []
        self._length = 0
        self._prefix = ""
        self._next_prefix: str | None = None
        self._left_out: dict[str, list[str]] = {}

    @contextmanager
    def within(self, first: str, rest: str) -> Iterator[None]:
        """What is written inside of a list item or a quote: `first` stands before its first line, `rest` before the
        others."""
        outer = self._prefix
        before = outer if self._next_prefix is None else self._next_prefix
        self._next_prefix, self._prefix = before + first, outer + rest
        yield
        if self._next_prefix is not None:
            self.line("")
        self._prefix = outer

    def line(self, text: str) -> None:
        """A line as it is."""
        prefix = self._prefix if self._next_prefix is None else self._next_prefix
        self._next_prefix = None
        line = (prefix + text).rstrip()
        self._lines.append(line)
        self._length += len(line) + 1
        if self._length > self._max:
            raise PermanentError(
                ErrorCode.FILE_TOO_LARGE,
                f"The file becomes more than {self._max} characters of text. Split it into smaller files.",
            )

    def blank(self) -> None:
        """A blank line, unless there is one."""
        if self._next_prefix is None and self._lines and self._lines[-1].strip(" >"):
            self.line("")

    def heading(self, level: int, title: str) -> None:
        self.blank()
        self.line("#" * min(level, MAX_HEADING_LEVEL) + " " + " ".join(title.split()))
        self.blank()

    def prose(self, text: str) -> None:
        """Lines of a paragraph, none of which is anything else."""
        for line in text.split("\n"):
            self.line(escaped(line))

    def code(self, lines: Sequence[str], language: str = "") -> None:
        """Lines as they are, in a fence."""
        if not any(line.strip() for line in lines):
            return
        longest = max((len(ticks) for line in lines if "```" in line for ticks in BACKTICKS.findall(line)), default=0)
        fence = "`" * max(3, longest + 1)
        self.blank()
        self.line(fence + language)
        for line in lines:
            self.line(line)
        self.line(fence)
        self.blank()

    def table(self, rows: Sequence[Sequence[str]], *, has_header: bool) -> None:
        """Rows of cells. Markdown has no table without a header: its names are blank then."""
        width = max((len(row) for row in rows), default=0)
        if not width:
            return
        if not has_header:
            rows = ([""] * width, *rows)
        padded = padded_width(rows)
        self.blank()
        for number, row in enumerate(rows):
            cells = [PIPE.sub(r"\\|", " ".join(cell.split())) for cell in row]
            self.line("| " + " | ".join(cells + [""] * (padded - len(cells))) + " |")
            if not number:
                self.line("|" + " --- |" * width)
        self.blank()

    def leave_out(self, what: str, text: str) -> None:
        """Text that is not read, on purpose; `what` says in a user's words what it is."""
        if text.strip():
            self._left_out.setdefault(what, []).append(text.strip())

    def extraction(
        self, *, metadata: DocumentMetadata = NO_METADATA, notes: Iterable[str] = (), entries: tuple[int, ...] = ()
    ) -> Extraction:
        """The text, which is then no longer here."""
        while self._lines and not self._lines[-1]:
            self._lines.pop()
        text = "\n".join(self._lines)
        self._lines.clear()
        left_out = tuple(LeftOut(what, "\n".join(texts)) for what, texts in self._left_out.items())
        return Extraction(text, metadata=metadata, notes=tuple(notes), left_out=left_out, entries=entries)


def escaped(line: str) -> str:
    """A line of a paragraph as Markdown writes it."""
    found = STRUCTURE.match(line)
    if found is None:
        return line
    at = found.end("number") if found["number"] else found.end("before")
    return f"{line[:at]}\\{line[at:]}"
