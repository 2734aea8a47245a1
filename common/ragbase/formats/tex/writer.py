"""LaTeX, token by token: commands, groups, environments and text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from ragbase.formats.markdown_text import MarkdownText
from ragbase.formats.tex import commands
from ragbase.formats.tex.paragraphs import Paragraphs
from ragbase.formats.tex.source import TexSource

TOKEN = re.compile(
    r"(?P<comment>%[^\n]*\n?[ \t]*)"
    r"|\\begin[ \t]*\{(?P<begin>[^{}\n]{1,60})\}|\\end[ \t]*\{(?P<end>[^{}\n]{1,60})\}"
    r"|\\(?:verb\*?|lstinline)(?P<mark>[^\w\s*{\[])(?P<verb>[^\n]{0,500}?)(?P=mark)"
    r"|\\(?P<command>[A-Za-z@]{1,60}+)\*?[ \t]*\n?[ \t]*"
    r"|\\(?P<display>[\[(])|\\(?P<sign>[\s\S])"
    r"|\$\$(?P<math>(?:[^$\\]++|\\[\s\S]){0,20000}+)\$\$|(?P<inline>\$(?:[^$\\]++|\\[\s\S]){0,5000}+\$)"
    r"|(?P<blank>\n[ \t]*\n\s*)"
    r"|(?P<other>``|''|---|--|~|[{}&])"
)
ACCENTED = re.compile(r"\s*(?:\{\\?([^\W\d_])\}|\\([ij])(?![A-Za-z])|([^\W\d_]))")
OTHERS = {"``": "“", "''": "”", "---": "—", "--": "–", "~": " ", "{": "", "}": ""}
MARKS = "\\{}$%~`'-"
MAX_WITHIN = 6
"""Arguments within each other that are read as text."""


class TexWriter:
    """Writes a document, or a part of one, as Markdown."""

    def __init__(self, out: MarkdownText, text: str, within: int = 0) -> None:
        self.out = out
        self.level = 1
        """Of the headings of the outermost sections."""

        self.said: dict[str, str] = {}
        self.words = Paragraphs(out)
        self._source = TexSource(text)
        self._within = within
        self._end = len(text)
        self._base = 0 if "\\part{" in text else 1 if "\\chapter{" in text or "\\chapter*{" in text else 2

    def write(self, start: int, end: int) -> None:
        """The text from `start` to `end`."""
        text, self._end = self._source.text, end
        position = start
        while position < end and (found := TOKEN.search(text, position, end)):
            self.words.add(text[position : found.start()])
            kind = found.lastgroup or ""
            position = TOKENS[kind](self, found[kind], found.end())
        self.words.add(text[position:end])

    def plain(self, text: str) -> str:
        """The text of an argument, in one line."""
        if self._within >= MAX_WITHIN or not any(mark in text for mark in MARKS):
            return " ".join(text.split())
        inner = TexWriter(self.out, text, self._within + 1)
        inner.words.begin_table()
        inner.words.begin_table()
        inner.write(0, len(text))
        return inner.words.take_line()

    def _comment(self, text: str, position: int) -> int:
        self.out.leave_out("comments", text.lstrip("% \t"))
        return position

    def _verbatim(self, text: str, position: int) -> int:
        self.words.add(f"`{text}`")
        return position

    def _inline(self, text: str, position: int) -> int:
        self.words.add(text)
        return position

    def _blank(self, text: str, position: int) -> int:
        self.words.add(" " if self.words.in_table else "\n\n")
        return position

    def _other(self, text: str, position: int) -> int:
        if text == "&" and self.words.in_table:
            self.words.next_cell()
            return position
        if text == "}" and self._source.text.startswith("{", position):
            self.words.add(" ")
        self.words.add(OTHERS.get(text, text))
        return position

    def _sign(self, sign: str, position: int) -> int:
        """A command of one sign: an accent, the end of a row or a line, or a sign that has a meaning elsewhere."""
        if sign in commands.ACCENTS:
            return self._accent(sign, position)
        if sign != "\\":
            self.words.add(commands.WORDS.get(sign, " " if sign.isspace() else sign))
            return position
        if self.words.in_table:
            self.words.next_row()
        else:
            self.words.add("\n")
        return self._source.after_option(position + self._source.text.startswith("*", position))

    def _accent(self, accent: str, position: int) -> int:
        found = ACCENTED.match(self._source.text, position)
        if found is None:
            return position
        letter = found[1] or found[2] or found[3]
        self.words.add(unicodedata.normalize("NFC", letter + commands.ACCENTS[accent]))
        return found.end()

    def _display(self, kind: str, position: int) -> int:
        stop = self._source.find("\\]" if kind == "[" else "\\)", position, self._end)
        if stop < 0:
            self.words.add(kind)
            return position
        formula = self._source.text[position:stop]
        if kind == "[":
            self._math(formula, position)
        else:
            self.words.add(f"${formula}$")
        return stop + 2

    def _math(self, text: str, position: int) -> int:
        if self.words.in_table:
            self.words.add(f"${text}$")
        else:
            self.words.flush()
            self.out.code(text.strip("\n").splitlines(), "math")
        return position

    def _command(self, name: str, position: int) -> int:
        if name in COMMANDS:
            return COMMANDS[name](self, name, position)
        if name in commands.ACCENTS:
            return self._accent(name, position)
        if name in commands.NO_TEXT:
            return self._without_text(name, position)
        if name in commands.WORDS:
            self.words.add(commands.WORDS[name])
            return position
        return self._unknown(position)

    def _section(self, name: str, position: int) -> int:
        title, position = self._source.argument(self._source.after_option(position))
        self.words.flush()
        self.words.lists.clear()
        self.out.heading(max(commands.SECTIONS.index(name) - self._base, 0) + self.level, self.plain(title))
        return position

    def _unknown(self, position: int) -> int:
        """The text of the arguments is text. Blanks behind a name without arguments part it from what follows."""
        text = self._source.text
        is_parted = text.startswith("{}", position) or (text[position - 1 : position].isspace() and self.words.last)
        if is_parted and self.words.last[-1:].isalnum():
            self.words.add(" ")
        return self._source.after_option(position)

    def _said(self, name: str, position: int) -> int:
        """The title, the author or the date."""
        text, position = self._source.argument(self._source.after_option(position))
        self.said[name] = self.plain(text)
        self.words.add(f"\n\n{self.said[name]}\n\n")
        return position

    def _item(self, name: str, position: int) -> int:
        term, position = self._source.option(position)
        if name == "bibitem":
            key, position = self._source.argument(position)
            term = term or key
        self.words.begin_item(self.plain(term))
        return position

    def _link(self, name: str, position: int) -> int:
        url, position = self._source.argument(position)
        text, position = self._source.argument(position)
        self.words.add(f"[{self.plain(text)}]({url})")
        return position

    def _file(self, name: str, position: int) -> int:
        """The name of another file, which is not opened."""
        file, position = self._source.argument(self._source.after_option(position))
        self.words.flush()
        self.out.line(f"*{name}: {file}*")
        return position

    def _picture(self, name: str, position: int) -> int:
        file, position = self._source.argument(self._source.after_option(position))
        self.words.add(f"![]({file})")
        return position

    def _footnote(self, name: str, position: int) -> int:
        self.words.add(" ")
        return self._source.after_option(position)

    def _caption(self, name: str, position: int) -> int:
        self.words.add("\n\n")
        return self._source.after_option(position)

    def _reference(self, name: str, position: int) -> int:
        after = self._source.after_option(self._source.after_option(position))
        options = self._source.text[position:after].strip("[] \n").replace("][", " ")
        keys, after = self._source.argument(after)
        self.words.add(f"[{keys}{', ' if options else ''}{options}]" if "cite" in name else keys)
        return after

    def _without_text(self, name: str, position: int) -> int:
        start = position
        if name == "def":
            brace = self._source.text.find("{", position, position + 200)
            position = brace if brace >= 0 else position
        position = self._source.after_option(position)
        for _ in range(commands.NO_TEXT[name]):
            if name in commands.DEFINITIONS:
                position = self._source.after_option(self._source.after_option(position))
            position = self._source.argument(position)[1]
        if name in commands.DEFINITIONS:
            self.out.leave_out("definitions of commands", self._source.text[start:position])
        return position

    def _begin(self, written: str, position: int) -> int:
        """The beginning of an environment. One that is as it is, is read up to its end."""
        name = written.rstrip("*")
        self.words.flush()
        if name in commands.RAW:
            closing = f"\\end{{{written}}}"
            stop = self._source.text.find(closing, position, self._end)
            if stop < 0:
                return position
            self._raw(name, position, stop)
            return stop + len(closing)
        if name in commands.LISTS:
            self.words.begin_list(name)
        option, position = self._source.option(position)
        if name in commands.TABLES:
            self.words.begin_table()
            return self._source.after_arguments(position, commands.TABLES[name])
        if self.words.in_table:
            self.words.add(" ")
        elif name not in commands.SILENT and name not in commands.LISTS:
            self.out.blank()
            self.out.line(f"**{name.capitalize()}**" + (f" ({self.plain(option)})" if option else ""))
            self.out.blank()
        return self._source.after_arguments(position, commands.ARGUMENTS.get(name, 0))

    def _raw(self, name: str, start: int, stop: int) -> None:
        """Text that is as it is: code, a formula, a drawing."""
        text = self._source.text[start:stop]
        if name in commands.DRAWINGS or name == "comment":
            self.out.leave_out("comments" if name == "comment" else "drawings", text)
        elif self.words.in_table:
            self.words.add(" ".join(text.split()))
        elif name in commands.MATH:
            self.out.code(text.strip("\n").splitlines(), "math")
        else:
            option, position = self._source.option(start)
            language = re.search(r"language=\{?(\w+)", option)
            said = language[1].lower() if language else ""
            if name == "minted":
                said, position = self._source.argument(position)
            self.out.code(self._source.text[position:stop].strip("\n").splitlines(), re.sub(r"\W", "", said))

    def _end_of(self, written: str, position: int) -> int:
        name = written.rstrip("*")
        if name in commands.TABLES:
            self.words.end_table()
        else:
            self.words.flush()
            if name in commands.LISTS and self.words.lists:
                self.words.lists.pop()
        if not self.words.in_table:
            self.out.blank()
        return position


TOKENS: dict[str, Callable[[TexWriter, str, int], int]] = {
    "comment": TexWriter._comment,
    "begin": TexWriter._begin,
    "end": TexWriter._end_of,
    "verb": TexWriter._verbatim,
    "command": TexWriter._command,
    "display": TexWriter._display,
    "sign": TexWriter._sign,
    "math": TexWriter._math,
    "inline": TexWriter._inline,
    "blank": TexWriter._blank,
    "other": TexWriter._other,
}
"""What reads a token, by the group of the pattern that has found it."""

COMMANDS: dict[str, Callable[[TexWriter, str, int], int]] = {
    **dict.fromkeys(("title", "author", "date"), TexWriter._said),
    **dict.fromkeys(("item", "bibitem"), TexWriter._item),
    **dict.fromkeys(commands.FILES, TexWriter._file),
    **dict.fromkeys(commands.SECTIONS, TexWriter._section),
    **dict.fromkeys(commands.REFERENCES, TexWriter._reference),
    "href": TexWriter._link,
    "includegraphics": TexWriter._picture,
    "footnote": TexWriter._footnote,
    "caption": TexWriter._caption,
}
