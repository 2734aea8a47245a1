"""The blocks of reStructuredText: what its lines are, by their beginnings and their indentation."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from ragbase.formats.markdown_text import MarkdownText
from ragbase.formats.rst import tables
from ragbase.formats.rst.inline import ANONYMOUS, SUBSTITUTION, TARGET, Names, to_markdown

MAX_DEPTH = 16
"""RstBlocks within each other. What is deeper is kept as lines."""

ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1+")
SHORTEST_ADORNMENT = 4
"""A shorter line below a longer one is text (docutils, "Sections")."""
BULLET = re.compile(r"[*+\-•‣⁃](?: +|$)")
NUMBERED = re.compile(r"(?P<open>\(?)(?P<number>\d{1,9}|#|[A-Za-z]|[ivxlcdmIVXLCDM]{2,8})(?P<close>[.)])(?: +|$)")
FIELD = re.compile(r":(?P<name>(?![: ])(?:[^:\\\n]|\\.|:(?!\s|$|`)){1,200}+):(?:\s+|$)")
OPTION = re.compile(r"(?:-[\w?]|--[\w-]+|/[A-Z])(?:(?:, |[ =,])[^ ]+)*(?: {2,}\S|$)")
EXPLICIT = re.compile(r"\.\.(?: +|$)")
FOOTNOTE = re.compile(r"\[(?P<label>#?[\w.+:*#-]{0,60}|\*)\](?: +|$)")
DIRECTIVE = re.compile(r"(?:\|[^|]{1,100}\| +)?(?P<name>\w[\w:.+-]{0,80}?) ?::(?: +(?P<arguments>.*))?")
DOCTEST = re.compile(r">>> ?")
WRITERS_FIELDS = frozenset(("orphan", "nosearch", "tocdepth", "nocomments"))
"""Fields of a document that only tell Sphinx what to do."""


WriteDirective: TypeAlias = "Callable[[RstBlocks, str, str, list[str]], None]"
"""Writes a directive, given its name, what stands behind it and below it."""


class RstBlocks:
    """Writes blocks as Markdown, in one pass over their lines."""

    def __init__(self, out: MarkdownText, names: Names, write_directive: WriteDirective) -> None:
        self.out = out
        self.names = names
        self._write_directive = write_directive
        self.language = ""
        self._levels: list[tuple[str, bool]] = []
        self._depth = 0

    def inline(self, text: str) -> str:
        return to_markdown(text, self.names)

    def write(self, lines: Sequence[str]) -> None:
        """Lines without an indentation in common, and without tabs and blanks at their ends."""
        if self._depth >= MAX_DEPTH:
            self.out.code(lines)
            return
        self._depth += 1
        at = 0
        while at < len(lines):
            if lines[at]:
                at = self._block(lines, at)
            else:
                self.out.blank()
                at += 1
        self._depth -= 1

    def _block(self, lines: Sequence[str], at: int) -> int:
        """The line after the block that begins at `at`."""
        line = lines[at]
        if line[0] == " ":
            return self._quote(lines, at)
        if EXPLICIT.match(line):
            return self._explicit(lines, at)
        if line.startswith("__ ") and (address := ANONYMOUS.match(line)):
            self._address(address["url"])
            return at + 1
        for begins, write in (
            (ADORNMENT.fullmatch(line), self._overlined),
            (tables.GRID_BORDER.fullmatch(line), self._grid),
            (tables.SIMPLE_BORDER.fullmatch(line), self._simple),
            (BULLET.match(line), self._item),
            (NUMBERED.match(line), self._numbered),
            (FIELD.match(line), self._field),
            (OPTION.match(line), self._option),
            (line == "|" or line.startswith("| "), self._line_block),
            (DOCTEST.match(line), self._doctest),
        ):
            if begins:
                end = write(lines, at)
                if end is not None:
                    return end
        return self._paragraph(lines, at)

    def _overlined(self, lines: Sequence[str], at: int) -> int | None:
        """A title with a line above it, or a rule."""
        line = lines[at]
        if at + 2 < len(lines) and lines[at + 1] and lines[at + 2] == line and not ADORNMENT.fullmatch(lines[at + 1]):
            self._title(lines[at + 1].strip(), line[0], overlined=True)
            return at + 3
        if len(line) >= SHORTEST_ADORNMENT and (at + 1 == len(lines) or not lines[at + 1]):
            self.out.blank()
            self.out.line("---")
            self.out.blank()
            return at + 1
        return None

    def _title(self, text: str, sign: str, *, overlined: bool) -> None:
        title = self.inline(text)
        if self._depth > 1:  # a title inside of a block is no section
            self.out.blank()
            self.out.line(f"**{title}**")
            self.out.blank()
            return
        if (sign, overlined) not in self._levels:
            self._levels.append((sign, overlined))
        self.out.heading(self._levels.index((sign, overlined)) + 1, title)

    def _grid(self, lines: Sequence[str], at: int) -> int:
        end = tables.grid_end(lines, at)
        self._table(lines[at:end], tables.read_grid(lines[at:end]))
        return end

    def _simple(self, lines: Sequence[str], at: int) -> int | None:
        end = tables.simple_end(lines, at)
        if end is not None:
            self._table(lines[at:end], tables.read_simple(lines[at:end]))
        return end

    def _table(self, lines: Sequence[str], table: tuple[tables.Rows, bool] | None) -> None:
        if table is None:
            self.out.code(lines)
        else:
            self.rows(table[0], has_header=table[1])

    def rows(self, rows: Sequence[Sequence[str]], *, has_header: bool) -> None:
        self.out.table([[self.inline(cell) for cell in row] for row in rows], has_header=has_header)

    def _item(self, lines: Sequence[str], at: int) -> int:
        found = BULLET.match(lines[at])
        return self.nested(lines, at, found.end() if found else 1, "- ", "  ")

    def _numbered(self, lines: Sequence[str], at: int) -> int | None:
        found = NUMBERED.match(lines[at])
        following = lines[at + 1] if at + 1 < len(lines) else ""
        if found is None or (following and following[0] != " " and not NUMBERED.match(following)):
            return None
        if found["number"].isdigit():
            return self.nested(lines, at, found.end(), f"{found['number']}. ", "   ")
        if found["number"] == "#":
            return self.nested(lines, at, found.end(), "1. ", "   ")
        return self.nested(lines, at, found.end(), f"- {found[0].strip()} ", "  ")

    def nested(self, lines: Sequence[str], at: int, mark: int, first: str, rest: str) -> int:
        """An item whose text begins `mark` characters after the beginning of its line."""
        end = indented_end(lines, at + 1)
        body = dedented(lines[at + 1 : end])
        if text := lines[at][mark:].strip():
            body = [text, *([""] if end > at + 1 and not lines[at + 1] else []), *body]
        with self.out.within(first, rest):
            self.write(body)
        return end

    def _field(self, lines: Sequence[str], at: int) -> int:
        found = FIELD.match(lines[at])
        name = found["name"] if found else ""
        if name in WRITERS_FIELDS:
            return indented_end(lines, at + 1)
        return self.nested(lines, at, found.end() if found else 0, f"- {self.inline(name)}: ", "  ")

    def _option(self, lines: Sequence[str], at: int) -> int | None:
        """An option of a command, and what it does."""
        found = OPTION.match(lines[at])
        following = lines[at + 1] if at + 1 < len(lines) else ""
        if found is None or (lines[at] == found[0] and not following.startswith(" ")):
            return None
        end = indented_end(lines, at + 1)
        option, _, text = lines[at].partition("  ")
        with self.out.within("- ", "  "):
            self.out.line(f"`{option}` {self.inline(text.strip())}")
            self.write(dedented(lines[at + 1 : end]))
        return end

    def _line_block(self, lines: Sequence[str], at: int) -> int:
        end = at
        while end < len(lines) and (lines[end] == "|" or lines[end].startswith(("| ", " "))):
            end += 1
        self.out.blank()
        for line in lines[at:end]:
            self.out.prose(self.inline(line.removeprefix("|").strip()))
        self.out.blank()
        return end

    def _doctest(self, lines: Sequence[str], at: int) -> int:
        end = at
        while end < len(lines) and lines[end]:
            end += 1
        self.out.code(lines[at:end], "python")
        return end

    def _quote(self, lines: Sequence[str], at: int) -> int:
        end = indented_end(lines, at)
        self.out.blank()
        with self.out.within("> ", "> "):
            self.write(dedented(lines[at:end]))
        self.out.blank()
        return end

    def _paragraph(self, lines: Sequence[str], at: int) -> int:
        following = lines[at + 1] if at + 1 < len(lines) else ""
        adornment = ADORNMENT.fullmatch(following)
        if adornment and (len(following) >= len(lines[at]) or len(following) >= SHORTEST_ADORNMENT):
            self._title(lines[at], following[0], overlined=False)
            return at + 2
        if following.startswith(" ") and not lines[at].endswith("::"):
            return self._definition(lines, at)
        end = at
        while end < len(lines) and lines[end] and (end == at or lines[end][0] != " "):
            end += 1
        text = "\n".join(lines[at:end])
        is_literal = text.endswith("::")
        if is_literal:
            text = text[:-2].rstrip() if text == "::" or text[-3:-2].isspace() else text[:-1]
        if text:
            self.out.prose(self.inline(text))
        return self._literal(lines, end) if is_literal else end

    def _definition(self, lines: Sequence[str], at: int) -> int:
        """A term and, below it, what it means."""
        end = indented_end(lines, at + 1)
        with self.out.within("- ", "  "):
            self.out.prose(self.inline(lines[at]))
            self.write(dedented(lines[at + 1 : end]))
        return end

    def _literal(self, lines: Sequence[str], at: int) -> int:
        """Text that is as it is: indented, or with one sign before each line."""
        while at < len(lines) and not lines[at]:
            at += 1
        if at == len(lines):
            return at
        end = indented_end(lines, at)
        if end == at and ADORNMENT.match(lines[at][0] * 2):
            while end < len(lines) and lines[end][:1] == lines[at][0]:
                end += 1
        self.out.code(dedented(lines[at:end]), self.language)
        return end

    def _explicit(self, lines: Sequence[str], at: int) -> int:
        """What begins with two dots: a directive, a target, a footnote, a substitution or, else, a comment."""
        end = indented_end(lines, at + 1)
        text = lines[at][2:].strip()
        if not text and (at + 1 == len(lines) or not lines[at + 1]):
            return at + 1
        body = lines[at + 1 : end]
        substitution = SUBSTITUTION.match(lines[at])
        directive = DIRECTIVE.fullmatch(text)
        footnote = FOOTNOTE.match(text)
        if substitution is not None:
            self._substitution(substitution, body)
        elif directive is not None:
            self._write_directive(self, directive["name"], directive["arguments"] or "", dedented(body))
        elif address := ANONYMOUS.match(lines[at]):
            self._address(address["url"])
        elif target := TARGET.match(lines[at]):
            url = "".join([target["url"] or "", *(line.strip() for line in body)])
            if url and not url.endswith("_"):
                self.out.line(f"[{target['name'].strip('`')}]: {url}")
        elif footnote is not None:
            self.out.blank()
            with self.out.within(f"[{footnote['label']}] ", "  "):
                self.write([text[footnote.end() :], *dedented(body)])
            self.out.blank()
        else:
            self.out.leave_out("comments", "\n".join([text, *body]))
        return end

    def _address(self, url: str) -> None:
        """The target of a reference without a name, unless the reference has it."""
        if url in self.names.anonymous:
            self.names.anonymous.remove(url)
            self.out.line(f"<{url}>")

    def _substitution(self, found: re.Match[str], body: Sequence[str]) -> None:
        """A text that stands elsewhere for a name. A picture's address and its text are kept here, and so is a text of
        several lines."""
        if found["kind"] == "image":
            self._write_directive(self, "image", found["text"] or "", dedented(body))
        elif found["kind"] != "date" and (body or found["kind"] == "unicode"):
            self.out.prose(f"|{found['name']}| " + self.inline(" ".join([found["text"] or "", *map(str.strip, body)])))


def indented_end(lines: Sequence[str], at: int) -> int:
    """The line after the indented ones from `at` on, without the blank ones behind them."""
    end = last = at
    while end < len(lines) and (not lines[end] or lines[end][0] == " "):
        end += 1
        if lines[end - 1]:
            last = end
    return last


def dedented(lines: Sequence[str]) -> list[str]:
    """Without the indentation that all of them have, and without blank lines at the beginning."""
    width = min((len(line) - len(line.lstrip(" ")) for line in lines if line), default=0)
    block = [line[width:] for line in lines]
    start = next((index for index, line in enumerate(block) if line), len(block))
    return block[start:]
