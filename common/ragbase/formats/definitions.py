"""What the lines of source code define, in any language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ragbase.domain.extraction import Section

_WORD = r"[A-Za-z_$][\w$-]{0,100}+"
_MODIFIERS = (
    "export|default|public|private|protected|internal|static|final|abstract|sealed|virtual|override|open|async|"
    r"pub(?:\([a-z]{1,20}\))?|extern|unsafe|const|inline|partial|data|case|inner|suspend|operator|readonly|local|pure|"
    "recursive|elemental|declare|annotation|value|fileprivate|mutating|synchronized|native"
)
_KEYWORDS = (
    "class|interface|struct|enum|union|trait|impl|protocol|extension|module|namespace|mixin|record|object|contract|"
    "library|actor|def|defp|defmodule|defmacro|func|function|fn|fun|sub|proc|procedure|macro|macro_rules!|subroutine|"
    "service|message|rpc|resource|data|variable|output|provider|type|typealias|package|component|entity|architecture|"
    "test|describe"
)
_NAME = (
    r"(?:[A-Za-z_$~@*]|\d)?[\w$.:!?<>*&@\"'`-]{1,150}?"
    r"(?:[ \t]+for[ \t]+[\w:<>]{1,80}|[ \t]+\"[^\"\n]{1,80}\")?"
)
_AFTER = r"[ \t]*+(?:[({:<\[=]|(?:extends|implements|for|where|is|as|with|do|permits)\b|;|$)|[ \t]+[\w\"({<]"
DEFINITION = re.compile(
    rf"(?:(?:{_MODIFIERS})[ \t]++)*+(?:{_KEYWORDS})\b[*]?(?:[ \t]*+(?:\([^()\n]{{0,100}}\)|<[^<>\n]{{0,100}}>))?[ \t]++"
    rf"(?P<name>{_NAME})(?={_AFTER})"
)
"""A keyword and a name, as most languages write it: `def run(self):`, `export class Pump {`, `func (p *Pump) Run() {`,
`impl Drain for Pump {`, `resource "a" "b" {`."""
SQL = re.compile(
    r"(?:create|alter)[ \t]++(?:or[ \t]++replace[ \t]++)?+"
    r"(?:(?:global|local|temporary|temp|unique|materialized|external|virtual)[ \t]++)*+"
    r"(?:table|view|index|function|procedure|trigger|type|schema|sequence|database|role|policy|extension)"
    r"[ \t]++(?:if[ \t]++not[ \t]++exists[ \t]++)?+(?P<name>[^\s(;]{1,150})",
    re.IGNORECASE,
)
IMPLEMENTS = re.compile(r"(?:unsafe[ \t]+)?(?:impl|extension)\b")
"""What is named by all that stands before its block."""
CALLABLE = re.compile(
    rf"(?:[A-Za-z_@][\w:<>,*&\[\].?~]{{0,80}}[ \t*&]++){{0,8}}(?P<name>~?{_WORD}(?:::~?{_WORD}){{0,5}})[ \t]*+\([^;]*"
)
"""A function without a keyword, as in C, Java and the shell: a name and what it takes."""
STATEMENTS = frozenset(
    ("if", "for", "while", "switch", "return", "else", "elif", "elsif", "catch", "do", "new", "throw", "case",
    "typedef", "using", "delete", "sizeof", "await", "yield", "assert", "raise", "print", "echo", "with", "except",
    "not", "and", "or", "in", "when", "until", "unless", "go", "defer", "select", "foreach", "lock", "fixed", "super",
    "this", "require", "import", "include", "synchronized", "match", "try", "static_assert", "var", "let", "const")
)  # fmt: skip
"""Words of many languages that stand before a bracket and define nothing."""
CONTROL = frozenset(("if", "for", "while", "switch", "catch", "return"))
BLOCK_ONLY = re.compile(
    r"(?:\w+[ \t]+)*?(?:struct|enum|union|type|typealias|variable|data|record|object|package|test|output)\b"
)
"""Keywords that also stand in declarations of one line: only a line that opens a block is a definition."""
ASSIGNED = re.compile(
    rf"(?:(?:export|const|let|var|local|my|our)[ \t]++)*+(?P<name>{_WORD}(?:\.{_WORD}){{0,5}})[ \t]*+(?:=|<-|:=)[ \t]*+"
    r"(?:async\b[ \t]*+)?(?:(?:function|lambda|fn|func)\b|\([^()\n]{0,200}\)[ \t]*+(?::[^=\n]{1,80})?=>|"
    r"[\w$]{1,50}[ \t]*+=>)"
)
ABOVE = re.compile(r"@|#(?!!)|//|/\*|\*|--|'''|;;|\[<|\[[A-Za-z]|template\b|///?|%")
"""How a line begins that may belong to the definition below it: a decorator, an attribute, a comment."""
CONTINUES = re.compile(r"[{}()\[\]]|end\b|#|//|/\*|\*|--|else\b|then\b|begin\b|\.|,|fi\b|done\b|esac\b|%")
"""How a line begins that does not end the definition above it although it stands as far to the left."""
QUOTES = ('"' * 3, "'" * 3)
LONGEST_LINE = 400
"""Characters. A longer line is data or was made by a machine."""
MAX_LEVEL = 4
TAB = 4


class _Definitions:
    """The definitions that are open, and what stands directly above the line that is read."""

    def __init__(self) -> None:
        self.columns: list[int] = []
        self.above: int | None = None  # where comments and decorators begin
        self.waiting: tuple[int, int, str] | None = None  # where it begins, its column and name: a bracket may follow

    def define(self, start: int, column: int, name: str) -> Section | None:
        """None for a definition that is too deep within others."""
        self.above = None
        if sum(open_ < column for open_ in self.columns) >= MAX_LEVEL:
            return None
        self.leave(column)
        self.columns.append(column)
        return Section(start, len(self.columns), name)

    def leave(self, column: int) -> None:
        while self.columns and self.columns[-1] >= column:
            self.columns.pop()

    def read(self, line: re.Match[str], *, is_after_blank: bool) -> Section | None:
        text = line["text"]
        column = len(line["indent"].expandtabs(TAB))
        start = line.start("text") if self.above is None else self.above
        waiting, self.waiting = self.waiting, None
        if waiting is not None and text.startswith("{") and waiting[1] == column:
            return self.define(*waiting)
        if len(text) <= LONGEST_LINE:
            name = _name(text)
            if name is not None:
                return self.define(start, column, name)
            called = _called(text, column)
            if called is not None:
                if called[1]:
                    return self.define(start, column, called[0])
                self.waiting = (start, column, called[0])
        if ABOVE.match(text):
            self.above = start
            return None
        self.above = None
        if is_after_blank and self.columns and column <= self.columns[-1] and not CONTINUES.match(text):
            self.leave(column)
            return Section(line.start("text"), len(self.columns) + 1, "")
        return None


def sections_of(lines: Iterable[re.Match[str]]) -> Iterator[Section]:
    """A section for each definition, with the lines of comments and decorators above it. It goes up to the next line
    that stands as far to the left and follows a blank one."""
    definitions = _Definitions()
    quote: str | None = None  # of the text of several lines that is open
    is_after_blank = True
    for line in lines:
        text = line["text"]
        if not text:
            definitions.above, is_after_blank = None, True
        elif quote is not None:
            quote = None if quote in text else quote
        else:
            section = definitions.read(line, is_after_blank=is_after_blank)
            if section is not None:
                yield section
            is_after_blank = False
            quote = _opened(text)


def _name(text: str) -> str | None:
    """What the line defines, as a heading says it; None if it defines nothing."""
    found = DEFINITION.match(text)
    if found is not None:
        if IMPLEMENTS.match(text):
            return text.partition("{")[0].strip()
        is_block = text.rstrip().endswith(("{", "(", ":", "where"))
        return text[: found.end("name")].strip(" \t{(") if is_block or not BLOCK_ONLY.match(text) else None
    found = SQL.match(text)
    if found is not None:
        return text[: found.end("name")]
    found = ASSIGNED.match(text)
    return found["name"] if found is not None else None


def _called(text: str, column: int) -> tuple[str, bool] | None:
    """The name of what may be a function without a keyword, and whether the line itself says so: it opens the block, or
    it has a type and stands at the margin, where few languages have calls. Else a bracket has to open the block in the
    next line."""
    end = text.rstrip()
    if (
        "(" not in text
        or end.endswith("=> {")
        or not end.endswith(("{", "{}", "{ }", ")", ",", "(", "const", "override"))
    ):
        return None
    found = CALLABLE.fullmatch(end)
    if found is None or found["name"] in CONTROL or end.split("(")[0].split(" ")[0] in STATEMENTS:
        return None
    has_type = bool(end[: found.start("name")].strip(" *&"))
    return found["name"], end.endswith(("{", "}")) or (not column and has_type)


def _opened(text: str) -> str | None:
    """The quotation marks that the line opens and does not close."""
    return next((quote for quote in QUOTES if text.count(quote) % 2), None)
