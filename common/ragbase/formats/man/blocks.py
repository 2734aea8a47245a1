"""The lines of a manual page: text, and requests and macros, each at the beginning of a line."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ragbase.formats.man import roff
from ragbase.formats.man.mdoc import CALLABLE, mdoc_line
from ragbase.formats.man.page import ITEM, ManPage
from ragbase.formats.man.roff import arguments, plain
from ragbase.formats.man.tables import read_table
from ragbase.formats.markdown_text import MarkdownText

MAX_CONDITIONS = 12
"""Conditions within each other."""
MAX_STRINGS, MAX_STRING = 1000, 200
"""Strings that a page defines, and characters of one: it may stand in many places."""
NUMBER = re.compile(r"\d{1,9}[.)]")
MEASURE = re.compile(r"[-+]?[\d.]+[a-zA-Z]?")
YEAR = re.compile(r"\d{4}")
BULLETS = frozenset(("•", "*", "-", "o", "–", "—", "+", "·"))
FOR_READERS = re.compile(r"!?n\b|!t\b")
"""Conditions on the device that a terminal meets."""


class ManBlocks:
    """Writes a page as Markdown, in one pass over its lines."""

    def __init__(self, out: MarkdownText) -> None:
        self.out = out
        self.page = ManPage(out)
        self.title: str | None = None
        self.date: str | None = None
        self._name = ""
        self._strings: dict[str, str] = {}
        self._numbered: list[bool] = []  # of the lists of mdoc that are open
        self._address = ""
        self._endless: set[str] = set()  # what would end a definition and does not come any more
        self._conditions = 0  # that are open within each other

    def write(self, lines: Sequence[str]) -> None:
        at = 0
        while at < len(lines):
            at = self._line(lines, at)
        self.page.close()

    def plain(self, text: str) -> str:
        return plain(text, self._strings)

    def mdoc(self, words: Sequence[str]) -> str:
        return mdoc_line(words, self._name, self.plain)

    def _line(self, lines: Sequence[str], at: int) -> int:
        """The line after the one at `at`, and after what belongs to it."""
        line = lines[at]
        request = roff.REQUEST.match(line)
        if request is None:
            if line.startswith((".", "'")) and not line.strip(".' \t"):
                return at + 1
            self._text(line)
            return at + 1
        name, rest = request["name"], request["rest"].strip()
        for names, write in (
            (roff.DEFINITIONS, self._definition),
            (roff.CONDITIONS, self._conditional),
            (("TS",), self._table),
        ):
            if name in names:
                return write(lines, at, name, rest)
        if name in roff.COMMENTS:
            self.out.leave_out("comments", rest)
        else:
            self._request(name, rest)
        return at + 1

    def _text(self, line: str) -> None:
        if not line.strip() and not self.page.in_code:
            self.page.end_paragraph()
        else:
            self.page.text(self.plain(line))

    def _definition(self, lines: Sequence[str], at: int, name: str, rest: str) -> int:
        """The definition of a macro, or a text that is ignored, up to its end."""
        words = arguments(rest)
        mark = words[0] if name == "ig" and words else words[1] if name != "ig" and len(words) > 1 else "."
        end = at + 1
        while end < len(lines) and lines[end].rstrip() != f".{mark}" and mark not in self._endless:
            end += 1
        if end == len(lines) or mark in self._endless:  # a definition without an end is none
            self._endless.add(mark)
            return at + 1
        self.out.leave_out("comments" if name == "ig" else "definitions of macros", "\n".join(lines[at + 1 : end]))
        return end + 1

    def _conditional(self, lines: Sequence[str], at: int, name: str, rest: str) -> int:
        """A terminal shows its branch of a condition. The others set up the page."""
        found = roff.CONDITION.fullmatch(rest) if name != "el" else None
        branch = found["rest"] if found else rest
        is_block = branch.startswith("\\{")
        end = _block_end(lines, at) if is_block else at + 1
        body = [branch.removeprefix("\\{"), *lines[at + 1 : end]]
        body = [line.replace("\\{", "").replace("\\}", "") for line in body] if is_block else body
        body = [line for line in body if line.strip(" .\\")]
        self._conditions += 1
        if name != "el" and FOR_READERS.match(rest) and self._conditions <= MAX_CONDITIONS:
            inner = 0
            while inner < len(body):
                inner = self._line(body, inner)
        else:
            texts = [self.plain(line) for line in body if line[0] not in ".'"]
            self.out.leave_out("text for other devices", "\n".join(texts))
        self._conditions -= 1
        return end

    def _table(self, lines: Sequence[str], at: int, name: str, rest: str) -> int:
        end = at + 1
        while end < len(lines) and not lines[end].startswith(".TE"):
            end += 1
        self.page.end_paragraph()
        rows = read_table(lines[at + 1 : end])
        self.out.table([[self.plain(cell) for cell in row] for row in rows], has_header=False)
        return end + 1

    def _request(self, name: str, rest: str) -> None:
        """A request or a macro. The arguments of one that is not known are text, if they are no measures."""
        words = arguments(rest)
        if name in MACROS:
            MACROS[name](self, words)
        elif name in roff.ALTERNATING:
            self.page.text(self.plain("".join(words)))
        elif name == "ds":
            self._string(rest)
        elif name == "so":
            self.out.line(f"*so: {rest}*")
        elif name in CALLABLE and name not in roff.FONTS:
            self._mdoc_text(name, words)
        elif name not in roff.NO_TEXT and not all(map(MEASURE.fullmatch, words)):
            self.page.text(self.plain(" ".join(words)))

    def _string(self, rest: str) -> None:
        name, _, text = rest.partition(" ")
        if len(self._strings) < MAX_STRINGS and len(text) <= MAX_STRING:
            value = self.plain(text.lstrip().removeprefix('"'))  # others may be in it, and others in those
            if len(value) <= MAX_STRING:
                self._strings[name] = value

    def _mdoc_text(self, name: str, words: list[str]) -> None:
        if name == "Nm" and words and not self._name:
            self._name = self.plain(words[0])
        text = self.mdoc([name, *words])
        self.page.text(f"— {text}" if name == "Nd" else text)

    def _title(self, words: list[str]) -> None:
        """The title of the page, its section, its date, and where it is from."""
        shown = [self.plain(word) for word in words]
        self.title = f"{shown[0]}({shown[1]})" if len(shown) > 1 else "".join(shown)
        self.date = next((date for date in shown[2:3] if YEAR.search(date)), None)
        self.out.heading(1, self.title)
        self.out.prose(" · ".join(filter(None, shown[2:])))
        self.out.blank()

    def _mdoc_date(self, words: list[str]) -> None:
        self.date = self.plain(" ".join(words)).removeprefix("$Mdocdate:").strip(" $")

    def _mdoc_title(self, words: list[str]) -> None:
        self._title([*words[:2], self.date or "", *words[2:]])

    def _section(self, words: list[str], level: int = 2) -> None:
        if words:
            self.page.heading(level, self.mdoc(words))
        else:
            self.page.waits_for = str(level)

    def _subsection(self, words: list[str]) -> None:
        self._section(words, 3)

    def _paragraph(self, words: list[str]) -> None:
        self.page.end_paragraph()
        self.page.leave_items()

    def _space(self, words: list[str]) -> None:
        self.page.end_paragraph()

    def _break(self, words: list[str]) -> None:
        self.page.flush()

    def _tagged(self, words: list[str]) -> None:
        self.page.end_code()
        self.page.flush()
        self.page.waits_for = ITEM

    def _item(self, words: list[str]) -> None:
        """An item with its tag, a number or a bullet; without one, a further paragraph of the open item."""
        self.page.end_code()
        tag = self.plain(words[0]) if words else ""
        if not tag and self.page.in_item:
            self.page.end_paragraph()
        elif NUMBER.fullmatch(tag):
            self.page.item("", f"{tag} ")
        else:
            self.page.item("" if tag in BULLETS else tag)

    def _indent(self, words: list[str]) -> None:
        self.page.begin_indent()

    def _dedent(self, words: list[str]) -> None:
        self.page.end_indent()

    def _mdoc_list(self, words: list[str]) -> None:
        self.page.begin_indent()
        self._numbered.append("-enum" in words)

    def _mdoc_list_end(self, words: list[str]) -> None:
        if self._numbered:
            self._numbered.pop()
            self.page.end_indent()

    def _mdoc_item(self, words: list[str]) -> None:
        self.page.item(self.mdoc(words), "1. " if self._numbered and self._numbered[-1] else "- ")

    def _code(self, words: list[str]) -> None:
        self.page.begin_code()

    def _code_end(self, words: list[str]) -> None:
        self.page.end_code()

    def _mdoc_display(self, words: list[str]) -> None:
        if "-literal" in words or "-unfilled" in words:
            self.page.begin_code()
        else:
            self.page.end_paragraph()

    def _mdoc_line_of_code(self, words: list[str]) -> None:
        self.page.flush()
        self.out.code([self.mdoc(words)])

    def _link(self, words: list[str]) -> None:
        self._address = self.plain("".join(words))

    def _link_end(self, words: list[str]) -> None:
        self.page.text(f"<{self._address}>{self.plain(''.join(words))}")

    def _option(self, words: list[str]) -> None:
        """An option in brackets: of mdoc, or of man."""
        if words and words[0] in CALLABLE:
            self.page.text(self.mdoc(["Op", *words]))
        else:
            self.page.text(self.plain(f"[{' '.join(words)}]"))


def _block_end(lines: Sequence[str], at: int) -> int:
    """The line after the braces that open at `at` are closed."""
    depth, end = 0, at
    while end < len(lines):
        depth += lines[end].count("\\{") - lines[end].count("\\}")
        end += 1
        if depth <= 0:
            break
    return end


MACROS: dict[str, Callable[[ManBlocks, list[str]], None]] = {
    "TH": ManBlocks._title,
    "Dd": ManBlocks._mdoc_date,
    "Dt": ManBlocks._mdoc_title,
    **dict.fromkeys(("SH", "Sh"), ManBlocks._section),
    **dict.fromkeys(("SS", "Ss"), ManBlocks._subsection),
    **dict.fromkeys(("PP", "LP", "P", "HP"), ManBlocks._paragraph),
    **dict.fromkeys(("sp", "Pp", "Lp"), ManBlocks._space),
    "br": ManBlocks._break,
    **dict.fromkeys(("TP", "TQ"), ManBlocks._tagged),
    "IP": ManBlocks._item,
    **dict.fromkeys(("RS", "INDENT"), ManBlocks._indent),
    **dict.fromkeys(("RE", "UNINDENT"), ManBlocks._dedent),
    "Bl": ManBlocks._mdoc_list,
    "El": ManBlocks._mdoc_list_end,
    "It": ManBlocks._mdoc_item,
    **dict.fromkeys(("nf", "EX"), ManBlocks._code),
    **dict.fromkeys(("fi", "EE", "Ed"), ManBlocks._code_end),
    "Bd": ManBlocks._mdoc_display,
    **dict.fromkeys(("Dl", "D1"), ManBlocks._mdoc_line_of_code),
    **dict.fromkeys(("UR", "MT"), ManBlocks._link),
    **dict.fromkeys(("UE", "ME"), ManBlocks._link_end),
    **dict.fromkeys(("Op", "OP"), ManBlocks._option),
}
"""What reads a macro, or a request that has a meaning to a reader. Pages that docutils has written define `INDENT`."""
