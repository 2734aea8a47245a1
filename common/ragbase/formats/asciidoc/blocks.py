"""The blocks of AsciiDoc: what its lines are, by their beginnings and the delimiters around them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragbase.formats.asciidoc import lines as kinds
from ragbase.formats.asciidoc.inline import Inline
from ragbase.formats.asciidoc.lists import Lists
from ragbase.formats.asciidoc.tables import read_table
from ragbase.formats.markdown_text import MarkdownText

SETTINGS = "settings of the document"
MAX_VALUE = 1000
"""Characters of an attribute's value: it may stand in many places."""

LANGUAGE = re.compile(r"[\w+#.-]{1,30}")
COLUMNS = re.compile(r"\bcols=(?:\"([^\"]*)\"|([^\s,\]]+))")
HEADER = re.compile(r"%[\w%]*header|options=\"?[^\"]*header|opts=\"?[^\"]*header|^header\b")
FORMAT = re.compile(r"\bformat=\"?(csv|dsv|tsv)")
CAPTION = re.compile(r"\b(?:title|caption)=\"([^\"]+)\"")
SEPARATORS = {"csv": ",", "dsv": ":", "tsv": "\t", "!": "|"}
CODE = frozenset(("source", "listing", "literal"))
"""Styles of a paragraph that is as it is."""

FIRST = {"*": "- ", "-": "- ", ".": "1. "}
"""How Markdown writes the marks of items."""


class AsciiDocBlocks:
    """Writes the blocks of a document as Markdown, in one pass over its lines."""

    def __init__(self, out: MarkdownText) -> None:
        self.out = out
        self.inline = Inline(out.leave_out)
        self.title: str | None = None
        self._lists = Lists(out)
        self._attributes = ""
        self._is_attached = False  # whether the next block belongs to the open item
        self._is_after_blank = True

    def write(self, lines: Sequence[str]) -> None:
        at = self._header(lines)
        while at < len(lines):
            if not lines[at]:
                self.out.blank()
                self._is_after_blank, at = True, at + 1
                continue
            at = self._block(lines, at)
            self._is_after_blank = False
        self._lists.end_block()
        for name, value in self.inline.attributes.items():
            if name not in self.inline.used:
                self.out.leave_out(SETTINGS, f"{name}: {value}" if value else "")

    def _header(self, lines: Sequence[str]) -> int:
        """The title, then the author and the version, which stand directly below it."""
        at = 0
        while at < len(lines) and not kinds.HEADING.fullmatch(lines[at]):
            line = lines[at]
            if line and not kinds.is_comment(line) and not kinds.ENTRY.fullmatch(line):
                return at
            at = self._block(lines, at) if line else at + 1
        found = kinds.HEADING.fullmatch(lines[at]) if at < len(lines) else None
        if found is None or len(found["level"]) != 1:
            return at
        self.title = self.inline.to_markdown(found["title"])
        self.out.heading(1, self.title)
        at += 1
        for name, pattern in (("author", kinds.AUTHOR), ("revdate", kinds.REVISION)):
            written = pattern.fullmatch(lines[at]) if at < len(lines) and lines[at] else None
            if written is not None:
                self.out.prose(lines[at])
                value = written["author"] if name == "author" else written["date"] or written["only"] or ""
                self.inline.attributes[name] = value
                self.inline.used.add(name)
                at += 1
        return at

    def _block(self, lines: Sequence[str], at: int) -> int:
        """The line after the block that begins at `at`."""
        for write in (self._delimited, self._setting, self._title_line, self._macro, self._list_item):
            end = write(lines, at)
            if end is not None:
                return end
        return self._paragraph(lines, at)

    def _delimited(self, lines: Sequence[str], at: int) -> int | None:
        """What begins with a delimiter. A line below a title may look like one."""
        line = lines[at]
        verbatim = kinds.VERBATIM.fullmatch(line)
        if verbatim is not None and (self._is_after_blank or not kinds.is_title(lines, at - 1)):
            return self._verbatim(lines, at, verbatim["language"] or "")
        if kinds.TRANSPARENT.fullmatch(line):
            return self._delimiter(line, at)
        table = kinds.TABLE.fullmatch(line)
        return self._table(lines, at, table["separator"]) if table else None

    def _setting(self, lines: Sequence[str], at: int) -> int | None:
        """A line that is no text: the continuation of an item, a comment, an attribute, a rule."""
        line = lines[at]
        if line == "+":
            self._is_attached = True
            self.out.blank()
        elif entry := kinds.ENTRY.fullmatch(line):
            return self._entry(lines, at, entry)
        elif kinds.is_comment(line):
            self.out.leave_out("comments", line[2:])
        elif kinds.ATTRIBUTES.fullmatch(line):
            if not line.startswith("[["):
                self._attributes = line[1:-1]
            self._label(line[1:-1])
        elif line in kinds.RULES:
            self.out.blank()
        else:
            return None
        return at + 1

    def _title_line(self, lines: Sequence[str], at: int) -> int | None:
        """The title of a section, or of a block."""
        line = lines[at]
        heading = kinds.HEADING.fullmatch(line)
        is_code = self._style() in CODE or (line[0] == "#" and not self._is_after_blank)
        if heading is not None and not is_code:
            self._lists.end()
            title = heading["title"].removesuffix(heading["level"])
            self.out.heading(len(heading["level"]), self.inline.to_markdown(title))
            return at + 1
        if kinds.is_title(lines, at):
            self._lists.end()
            self.out.heading(kinds.UNDERLINES.index(lines[at + 1][0]) + 1, self.inline.to_markdown(line))
            return at + 2
        if self._is_after_blank and (title_of_block := kinds.TITLE.fullmatch(line)):
            self._bold(title_of_block["title"])
            return at + 1
        return None

    def _bold(self, text: str) -> None:
        self._begin()
        self.out.blank()
        self.out.line(f"**{self.inline.to_markdown(text)}**")
        self.out.blank()

    def _label(self, attributes: str) -> None:
        """What the attributes of a block tell a reader: that it is a note, or whom it quotes."""
        style, _, rest = attributes.partition(",")
        if style in kinds.ADMONITIONS:
            self._bold(f"{style}:")
        elif style.partition("#")[0] in ("quote", "verse") and rest.strip(" ,"):
            self._begin()
            self.out.prose(f"({self.inline.to_markdown(rest.strip(' ,'))})")
        elif named := CAPTION.search(attributes):
            self._bold(named[1])

    def _begin(self) -> None:
        """A block that is not attached to the open item ends the lists."""
        if not self._is_attached and self._is_after_blank:
            self._lists.end()
        self._is_attached = False

    def _verbatim(self, lines: Sequence[str], at: int, language: str) -> int:
        """Lines up to the same delimiter, as they are."""
        sign = lines[at][0]
        mark = lines[at] if sign != "`" else lines[at][: len(lines[at]) - len(language)]
        end = at + 1
        while end < len(lines) and lines[end] != mark:
            end += 1
        body = lines[at + 1 : end]
        if sign == "/":
            self.out.leave_out("comments", "\n".join(body))
            return end + 1
        self._begin()
        said = self._language()
        self.out.code(body, "html" if sign == "+" else said or language)
        return end + 1

    def _style(self) -> str:
        """The style that the attributes of the next block name first."""
        return re.split("[,%#.]", self._attributes, maxsplit=1)[0]

    def _language(self) -> str:
        """The language that the attributes of a block of code name, which then are used."""
        attributes, self._attributes = [one.strip("\"' ") for one in self._attributes.split(",")], ""
        is_source = attributes[0].partition("%")[0] in ("source", "") and len(attributes) > 1
        return attributes[1] if is_source and LANGUAGE.fullmatch(attributes[1]) else ""

    def _delimiter(self, line: str, at: int) -> int:
        """The beginning or the end of a block whose content is as elsewhere: an example, a sidebar, a quote."""
        if self._lists.holds(line):
            self._lists.end_block(line)
        else:
            self._begin()
            self._lists.begin_block(line)
        self._attributes = ""
        self.out.blank()
        return at + 1

    def _table(self, lines: Sequence[str], at: int, separator: str) -> int:
        end = at + 1
        while end < len(lines) and lines[end] != lines[at]:
            end += 1
        self._begin()
        attributes, self._attributes = self._attributes, ""
        columns, kind = COLUMNS.search(attributes), FORMAT.search(attributes)
        rows, has_header = read_table(
            lines[at + 1 : end],
            (columns[1] or columns[2] or "") if columns else "",
            has_header=HEADER.search(attributes) is not None,
            separator=SEPARATORS.get(kind[1] if kind else separator, separator),
        )
        if rows:
            self.out.table([[self.inline.to_markdown(cell) for cell in row] for row in rows], has_header=has_header)
        else:
            self.out.code(lines[at + 1 : end])
        return end + 1

    def _entry(self, lines: Sequence[str], at: int, entry: re.Match[str]) -> int:
        """An attribute of the document: `:name: value`, which may go on in the next lines."""
        value = entry["value"] or ""
        while value.endswith(" \\") and at + 1 < len(lines):
            at += 1
            value = f"{value[:-2]} {lines[at].strip()}"
        name, attributes = entry["name"].lower(), self.inline.attributes
        if name in attributes and name not in self.inline.used:
            self.out.leave_out(SETTINGS, attributes[name])
        attributes[name] = self.inline.value(value)[:MAX_VALUE]
        return at + 1

    def _macro(self, lines: Sequence[str], at: int) -> int | None:
        """A condition, or the name of another file, which is not opened."""
        found = kinds.BLOCK_MACRO.fullmatch(lines[at])
        if found is None:
            return None
        name, target, attributes = found["name"], found["target"], found["attributes"]
        if name in kinds.CONDITIONS:
            if name in ("ifdef", "ifndef") and attributes:
                self.out.prose(self.inline.to_markdown(attributes))
            return at + 1
        if name not in kinds.FILES:
            return None
        self._begin()
        if name == "include":
            self.out.line(f"*include: {self.inline.value(target)}*")
        else:
            self.out.line(self.inline.to_markdown(f"image:{target}[{attributes}]"))
        return at + 1

    def _list_item(self, lines: Sequence[str], at: int) -> int | None:
        line = lines[at].lstrip()
        item = kinds.ITEM.fullmatch(line)
        term = kinds.term_of(line) if item is None else None
        if item is not None and not self._is_after_blank and not self._lists and not _begins_block(lines[at - 1]):
            return None
        self._is_attached = self._is_attached and item is None and term is None
        if item is not None:
            mark = item["marker"]
            self._lists.begin_item(re.sub(r"\d+|[a-zA-Z]", "1", mark), FIRST.get(mark[0], f"{mark} "))
            end = self._body(lines, at + 1, [item["text"]])
        elif term is not None:
            self._lists.begin_item(term["marker"], "- ")
            if not term["text"]:
                self.out.prose(self.inline.to_markdown(term["term"]))
            end = self._body(lines, at + 1, [f"{term['term']}: {term['text']}"] if term["text"] else [])
        else:
            return None
        return end

    def _body(self, lines: Sequence[str], at: int, body: list[str]) -> int:
        """The text of an item. What a term means may be indented, with a blank line before it."""
        start = at
        while not body and start < len(lines) and not lines[start]:
            start += 1
        if start > at and not (start < len(lines) and lines[start][0] in " \t"):
            return at
        end = start
        while end < len(lines) and not kinds.ends_item(lines, end):
            body.append(lines[end].strip())
            end += 1
        if body:
            self.out.prose(self.inline.to_markdown("\n".join(body)))
        return end if end > start else at

    def _paragraph(self, lines: Sequence[str], at: int) -> int:
        line = lines[at]
        if line[0] in " \t" and self._is_after_blank:
            return self._literal(lines, at)
        self._begin()
        style = self._style()
        language = self._language()
        end = at + 1
        while end < len(lines) and lines[end] and lines[end] != "+" and not self._ends(lines, end):
            end += 1
        if style in CODE:
            self.out.code(lines[at:end], language)
            return end
        text = "\n".join(one.strip() for one in lines[at:end])
        if admonition := kinds.ADMONITION.match(text):
            text = f"**{admonition['label']}:** {text[admonition.start('text') :]}"
        self.out.prose(self.inline.to_markdown(text))
        return end

    def _ends(self, lines: Sequence[str], at: int) -> bool:
        return kinds.ends_item(lines, at) if self._lists else kinds.ends_paragraph(lines[at])

    def _literal(self, lines: Sequence[str], at: int) -> int:
        """A paragraph that is indented is shown as it is, and belongs to the open item."""
        end = at
        while end < len(lines) and lines[end] and lines[end] != "+":
            end += 1
        body = [line.expandtabs(8) for line in lines[at:end]]
        width = min(len(line) - len(line.lstrip()) for line in body)
        self.out.code([line[width:] for line in body])
        self._is_attached = False
        return end


def _begins_block(line: str) -> bool:
    """Whether a list may begin directly below the line."""
    return bool(kinds.ATTRIBUTES.fullmatch(line) or kinds.TITLE.fullmatch(line) or kinds.is_comment(line))
