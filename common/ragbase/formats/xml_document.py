"""Documents in XML as Markdown: sections, paragraphs, lists, tables and code, by the names that DocBook, DITA, TEI and
JATS have for them."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING
from xml.parsers import expat

from ragbase.formats.markdown_text import MarkdownText

if TYPE_CHECKING:
    from ragbase.domain.extraction import Extraction
    from ragbase.formats.extraction_limits import ExtractionLimits

MAX_DEPTH = 500
MAX_ITEMS = 12
LOOK = 64 * 1024
PARAGRAPHS = frozenset(
    ("para", "simpara", "p", "formalpara", "shortdesc", "abstract", "caption", "remark", "term", "synopsis")
)  # fmt: skip
SECTIONS = frozenset(
    ("set", "book", "part", "chapter", "article", "appendix", "preface", "section", "sect1", "sect2", "sect3",
    "sect4", "sect5", "simplesect", "refentry", "refsect1", "refsect2", "refsect3", "refsection", "topic",
    "concept", "task", "reference", "sec", "div", "div1", "div2", "div3", "glossary", "bibliography")
)  # fmt: skip
TITLES = frozenset(("title", "head", "refname", "navtitle"))
CODE = frozenset(
    ("programlisting", "screen", "literallayout", "codeblock", "pre", "verbatim", "code-block", "listing")
)  # fmt: skip
ITEMS = frozenset(("listitem", "li", "item", "step", "substep", "varlistentry", "glossentry", "callout"))
ROWS = frozenset(("row", "tr", "strow", "sthead", "head-row"))
CELLS = frozenset(("entry", "td", "th", "stentry", "cell"))
SIGN = re.compile(
    rf"<(?:\w+:)?(?:{'|'.join(sorted(PARAGRAPHS - {'caption', 'remark', 'term', 'abstract', 'synopsis'}))})[\s>]"
)


class NotRead(Exception):
    """Why the text is not read as XML."""


def new_parser() -> expat.XMLParserType:
    """A parser that raises NotRead for a declaration of an entity, and reads no other file."""
    parser = expat.ParserCreate()

    def refuse(name: str, *rest: object) -> None:
        raise NotRead("It declares entities of its own")

    parser.EntityDeclHandler = refuse
    parser.UseForeignDTD(False)
    parser.buffer_text = True
    return parser


def parse(parser: expat.XMLParserType, text: str) -> None:
    """Raises NotRead where the text is not well-formed."""
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise NotRead(f"Not well-formed in line {error.lineno}") from error


def local(name: str) -> str:
    """The name of an element without its namespace's prefix."""
    return name.rpartition(":")[2]


def is_document(text: str) -> bool:
    """Whether it has paragraphs."""
    return SIGN.search(text, 0, LOOK) is not None


def read_document(text: str, limits: ExtractionLimits) -> Extraction:
    """Raises NotRead; PermanentError, as MarkdownText."""
    parser = new_parser()
    writer = _Writer(MarkdownText(limits.max_text_characters))
    parser.StartElementHandler = writer.start
    parser.EndElementHandler = writer.end
    parser.CharacterDataHandler = writer.characters
    parser.CommentHandler = lambda comment: writer.out.leave_out("comments", comment)
    parser.SkippedEntityHandler = lambda name, is_parameter: writer.characters(html.unescape(f"&{name};"))
    parse(parser, text)
    writer.flush()
    return writer.out.extraction()


class _Writer:
    def __init__(self, out: MarkdownText) -> None:
        self.out = out
        self._open: list[str] = []
        self._words: list[str] = []
        self._links: list[str] = []
        self._items: list[ExitStack] = []
        self._rows: list[list[str]] | None = None
        self._tables = 0
        self._sections = 0
        self._inline = 0  # paragraphs, titles and cells that are open: what is in them is text of them
        self._code = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        name = local(tag).lower()
        self._open.append(name)
        if len(self._open) > MAX_DEPTH:
            raise NotRead(f"Nested more than {MAX_DEPTH} levels deep")
        url = next((attributes[key] for key in ("xlink:href", "url", "href") if key in attributes), "")
        self._links.append(url if url.startswith(("http://", "https://", "mailto:")) else "")
        if self._links[-1]:
            self._words.append("[")
        if name in ("imagedata", "image", "graphic") and (file := attributes.get("fileref") or attributes.get("href")):
            self._words.append(f"![]({file})")
        if self._code or (self._inline and name not in ITEMS | CODE | ROWS | PARAGRAPHS | {"table", "tgroup"}):
            self._inline += name in PARAGRAPHS or name in TITLES
            return
        if self._rows is None:
            self.flush()
        if name in SECTIONS:
            self._sections += 1
        elif name in CODE:
            self._code += 1
        elif name in ("table", "informaltable", "simpletable"):
            self._tables += 1
            self._rows = self._rows if self._rows is not None else []
        elif name in ROWS and self._rows is not None and self._tables == 1:
            self._rows.append([])
        elif name in ITEMS and self._rows is None:
            self._enter()
        self._inline += name in PARAGRAPHS or name in TITLES

    def end(self, tag: str) -> None:
        name = self._open.pop()
        if url := self._links.pop():
            self._words.append(f"]({url})")
        if name in CODE and self._code:
            self._code -= 1
            if not self._code and self._rows is None:
                self.out.code("".join(self._words).strip("\n").splitlines())
                self._words.clear()
        elif name in TITLES and not self._rows and not self._code:
            self._title()
        elif name in CELLS and self._rows:
            self._rows[-1].append(" ".join("".join(self._words).split()))
            self._words.clear()
        elif name in ("table", "informaltable", "simpletable") and self._tables:
            self._end_table()
        elif self._rows is not None:
            self._words.append(" " if not self._inline or name in PARAGRAPHS else "")
        elif name in ITEMS and self._items:
            self.flush()
            self._items.pop().close()
        elif name in SECTIONS:
            self.flush()
            self._sections -= 1
        elif name in PARAGRAPHS or not self._inline:
            self.flush()
        if name in PARAGRAPHS or name in TITLES:
            self._inline = max(self._inline - 1, 0)

    def characters(self, text: str) -> None:
        self._words.append(text)

    def _title(self) -> None:
        title = " ".join("".join(self._words).split())
        self._words.clear()
        if not title:
            return
        if (
            self._sections
            and self._open
            and self._open[-1] in SECTIONS | {"info", "bookinfo", "articleinfo", "refnamediv", "title-group"}
        ):
            self.out.heading(self._sections, title)
        else:
            self.out.blank()
            self.out.line(f"**{title}**")
            self.out.blank()

    def _end_table(self) -> None:
        self._tables -= 1
        if self._tables:
            return
        rows, self._rows = self._rows or [], None
        self.flush()
        self.out.table([row for row in rows if row], has_header=True)

    def _enter(self) -> None:
        item = ExitStack()
        if len(self._items) < MAX_ITEMS:
            item.enter_context(self.out.within("- ", "  "))
        self._items.append(item)

    def flush(self) -> None:
        """Write the paragraph that is read so far."""
        text = "".join(self._words)
        self._words.clear()
        lines: Sequence[str] = [" ".join(line.split()) for line in text.splitlines()]
        lines = [line for line in lines if line]
        if lines:
            self.out.blank()
            self.out.prose("\n".join(lines))
