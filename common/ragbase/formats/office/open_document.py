"""OpenDocument texts and presentations: headings, paragraphs, lists, tables and slides, with notes and comments below
the paragraph that they belong to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ragbase.domain.left_out import LeftOut
from ragbase.formats.office.markdown import paragraph_of, table_of
from ragbase.formats.office.odf_styles import OdfStyles
from ragbase.formats.office.parts import Parts, attribute, tree
from ragbase.formats.office.word_text import HIDDEN, POWER, last_of
from ragbase.formats.office.workbook import title_in
from ragbase.formats.unreadable import Damaged

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

LARGEST = 100 * 1024 * 1024
"""Bytes of the content: as of a Word document."""

DELETED = "text that tracked changes delete"
RUNNING = "headers and footers of the pages"
RUNNING_CLASSES = ("footer", "header", "date-time", "page-number")
TITLE_CLASSES = ("title",)
NOTHING = frozenset(
    (
        "script",
        "event-listeners",
        "forms",
        "sequence-decls",
        "variable-decls",
        "user-field-decls",
        "desc",
        "title",
        "ruby-text",
        "note-citation",
        "creator",
        "date",
        "creator-initials",
        "object",
        "object-ole",
        "image",
        "plugin",
        "math",
    )
)
"""Elements without words of the text."""
BLOCKS = frozenset(("p", "h", "list", "table"))
MOST_REPEATED = 100
"""Cells that are equal to their neighbour."""
MOST_BLANKS = 100
MOST_LEVELS = 8


def read_open_document(data: bytes, max_unpacked: int) -> dict[str, Any]:
    """Raises Damaged and TooLarge."""
    parts = Parts(data, max_unpacked)
    root, looks = tree(parts.read("content.xml", LARGEST)), tree(parts.read("styles.xml"))
    body = next(root.iter("body"), None)
    if body is None:
        raise Damaged("it has no body")
    styles = OdfStyles()
    for one in (looks, root):
        styles.add(one)
    reading = _Reading(styles)
    slides = list(body.iter("page"))
    pages = [reading.slide(number, slide) for number, slide in enumerate(slides, start=1)]
    if not slides:
        pages = [reading.text(body)]
    for master in looks.iter("master-page"):
        for part in master:
            if part.tag.startswith(("header", "footer")):
                reading.leave_out(RUNNING, " ".join(part.itertext()))
    hidden = ", ".join(map(str, reading.hidden_slides))
    return {
        "title": title_in(parts.read("meta.xml")),
        "pages": pages,
        "entries": [],
        "notes": [f"Read, though hidden in the presentation: slide {hidden}."] if hidden else [],
        "left_out": [(one.what, one.text, one.shown) for one in reading.left_out],
    }


class _Reading:
    """Writes the blocks of a document, and keeps what is left out of it."""

    def __init__(self, styles: OdfStyles) -> None:
        self.hidden_slides: list[int] = []
        self._styles = styles
        self._left_out: dict[str, list[str]] = {}
        self._waiting: list[str] = []
        self._marks = 0

    @property
    def left_out(self) -> list[LeftOut]:
        return [LeftOut(what, "\n".join(texts), shown=what != HIDDEN) for what, texts in self._left_out.items()]

    def leave_out(self, what: str, text: str) -> None:
        text = " ".join(text.split())
        if text:
            self._left_out.setdefault(what, []).append(text)

    def text(self, body: Element) -> str:
        return _joined(self._blocks(body))

    def slide(self, number: int, page: Element) -> str:
        if (attribute(page.attrib, "style-name") or "") in self._styles.hidden_slides:
            self.hidden_slides.append(number)
        title = ""
        blocks: list[str] = []
        notes: list[str] = []
        for shape in page:
            kind = attribute(shape.attrib, "class")
            if shape.tag == "notes":
                notes = [
                    block for one in shape if attribute(one.attrib, "class") == "notes" for block in self._blocks(one)
                ]
            elif kind in RUNNING_CLASSES:
                self.leave_out("footers, dates and numbers of slides", " ".join(shape.itertext()))
            elif kind in TITLE_CLASSES and not title:
                title = " ".join(" ".join(self._blocks(shape)).split())
            else:
                blocks += self._blocks(shape) if shape.tag not in BLOCKS else self._block(shape)
        if notes:
            notes[0] = f"Speaker notes: {notes[0]}"
        return _joined([f"## {title}" if title else "", *blocks, *notes])

    def _blocks(self, element: Element) -> Iterator[str]:
        for child in element:
            yield from self._block(child)

    def _block(self, element: Element) -> Iterator[str]:
        if element.tag in ("p", "h"):
            yield from self._paragraph(element)
        elif element.tag == "list":
            items = list(self._items(element, 0, attribute(element.attrib, "style-name") or ""))
            yield "\n".join(items)
            yield from self._waited()
        elif element.tag == "table":
            yield table_of(list(self._rows(element)))
            yield from self._waited()
        elif element.tag == "tracked-changes":
            for deletion in element.iter("deletion"):
                self.leave_out(
                    DELETED, " ".join(text for one in deletion if one.tag in BLOCKS for text in one.itertext())
                )
        elif element.tag == "annotation":
            self._annotate(element)
            yield from self._waited()
        elif attribute(element.attrib, "display") == "none" and element.tag == "section":
            self.leave_out(HIDDEN, " ".join(element.itertext()))
        elif element.tag not in NOTHING:
            yield from self._blocks(element)

    def _paragraph(self, element: Element) -> Iterator[str]:
        style = attribute(element.attrib, "style-name") or ""
        if self._styles.is_hidden(style):
            self.leave_out(HIDDEN, " ".join(element.itertext()))
            return
        text = self._line(element)
        if text and element.tag == "h":
            level = attribute(element.attrib, "outline-level") or "1"
            yield f"{'#' * min(int(level) if level.isdigit() and level != '0' else 1, 6)} {text}"
        elif text:
            yield f"# {text}" if self._styles.is_title(style) else paragraph_of(text)
        yield from self._waited()

    def _waited(self) -> Iterator[str]:
        yield from self._waiting
        self._waiting.clear()

    def _line(self, element: Element) -> str:
        return " ".join("".join(self._inline(element, [])).split())

    def _inline(self, element: Element, said: list[str]) -> list[str]:
        said.append(element.text or "")
        for child in element:
            self._inline_child(child, said)
            said.append(child.tail or "")
        return said

    def _inline_child(self, child: Element, said: list[str]) -> None:
        style = attribute(child.attrib, "style-name") or ""
        if child.tag in ("s", "tab", "line-break"):
            said.append(" ")
        elif child.tag == "note":
            self._note(child, said)
        elif child.tag == "annotation":
            self._annotate(child)
        elif (child.tag == "span" and self._styles.is_hidden(style)) or child.tag in (
            "hidden-text",
            "hidden-paragraph",
        ):
            self.leave_out(HIDDEN, " ".join(child.itertext()))
        elif child.tag == "span" and style in self._styles.high:
            text = "".join(self._inline(child, []))
            said.append(f"^{text}" if POWER.fullmatch(text.strip()) and last_of(said).isalnum() else text)
        elif child.tag in ("frame", "text-box", "custom-shape", "g", "list", "table", "p", "h"):
            mine, self._waiting = self._waiting, []
            mine += self._block(child)
            self._waiting = mine
        elif child.tag not in NOTHING:
            self._inline(child, said)

    def _note(self, note: Element, said: list[str]) -> None:
        self._marks += 1
        mark = f"[^{self._marks}]"
        mine, self._waiting = self._waiting, []
        body = next((one for one in note if one.tag == "note-body"), None)
        blocks = [] if body is None else list(self._blocks(body))
        self._waiting = mine
        if blocks:
            said.append(mark)
            self._waiting += [f"{mark}: {blocks[0]}", *blocks[1:]]

    def _annotate(self, annotation: Element) -> None:
        author = " ".join(next((one.text or "" for one in annotation if one.tag == "creator"), "").split())
        mine, self._waiting = self._waiting, []
        blocks = list(self._blocks(annotation))
        self._waiting = mine
        if blocks:
            blocks[0] = f"Comment by {author}: {blocks[0]}" if author else blocks[0]
            self._waiting += blocks

    def _items(self, element: Element, level: int, style: str) -> Iterator[str]:
        number = 0
        for item in element:
            if item.tag not in ("list-item", "list-header"):
                continue
            number += 1
            is_first = True
            for one in item:
                if one.tag == "list":
                    yield from self._items(one, level + 1, attribute(one.attrib, "style-name") or style)
                elif one.tag in ("p", "h") and (text := self._line(one)):
                    mark = f"{number}." if (style, level + 1) in self._styles.numbered else "-"
                    indent = "   " * min(level, MOST_LEVELS)
                    yield f"{indent}{mark} {text}" if is_first else f"{indent}  {text}"
                    is_first = False
                elif one.tag not in NOTHING:
                    self._waiting += self._block(one)

    def _rows(self, table: Element) -> Iterator[list[str]]:
        for child in table:
            if child.tag in ("table-header-rows", "table-rows", "table-row-group"):
                yield from self._rows(child)
            elif child.tag == "table-row":
                cells: list[str] = []
                for cell in child:
                    if cell.tag in ("table-cell", "covered-table-cell"):
                        text = " ".join(filter(None, map(self._cell, cell)))
                        count = attribute(cell.attrib, "number-columns-repeated") or "1"
                        cells += [text] * min(int(count) if count.isdigit() else 1, MOST_REPEATED)
                yield cells

    def _cell(self, block: Element) -> str:
        """A block of a cell on one line. Marks of lists and tables in it say little there."""
        if block.tag in ("p", "h"):
            return self._line(block)
        if block.tag in NOTHING:
            return ""
        return " ".join(filter(None, (self._cell(one) for one in block)))


def _joined(blocks: Iterator[str] | list[str]) -> str:
    return "\n\n".join(block for block in blocks if block)
