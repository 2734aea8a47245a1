"""Books (EPUB): their chapters in the order of reading, each read as the page that it is."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from ragbase.formats.office.parts import Parts, tree
from ragbase.formats.unreadable import Damaged

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from ragbase.domain.left_out import LeftOut

CONTAINER = "META-INF/container.xml"
AROUND = ("header", "footer", "aside")
"""What stands around the content of a web page. In a book, it is a part of the chapter."""
PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")


def read_epub(data: bytes, max_characters: int, max_unpacked: int) -> dict[str, Any]:
    """Raises Damaged, TooLarge, and PermanentError (FILE_TOO_LARGE) for a text of more characters."""
    from ragbase.formats.office.html_page import read_page

    parts = Parts(data, max_unpacked)
    name = next((one.get("full-path", "") for one in tree(parts.read(CONTAINER)).iter("rootfile")), "")
    if name not in parts:
        raise Damaged("it has no list of its chapters")
    book = tree(parts.read(name))
    chapters: list[str] = []
    left_out: list[LeftOut] = []
    notes: dict[str, None] = {}
    for chapter in _chapters(name, book):
        if chapter not in parts:
            notes[f"The chapter {chapter} is not in the file."] = None
            continue
        page = read_page(_as_html(parts.read(chapter)), max_characters)
        chapters.append(page.markdown.strip())
        left_out += page.left_out
        notes |= dict.fromkeys(page.notes)
    title = next(("".join(one.itertext()) for one in book.iter("title")), "")
    return {
        "title": " ".join(title.split()) or None,
        "pages": ["\n\n".join(filter(None, chapters))],
        "entries": [],
        "notes": list(notes),
        "left_out": [(one.what, one.text, one.shown) for one in left_out],
    }


def _chapters(name: str, book: Element) -> list[str]:
    """Without the list of contents that a program makes of the headings."""
    items = {one.get("id", ""): one for one in book.iter("item")}
    listed = [items[id] for one in book.iter("itemref") if (id := one.get("idref", "")) in items]
    pages = [
        one for one in listed if one.get("media-type", PAGES[0]) in PAGES and "nav" not in one.get("properties", "")
    ]
    folder = posixpath.dirname(name)
    return [posixpath.normpath(posixpath.join(folder, unquote(one.get("href", "")))) for one in pages]


def _as_html(data: bytes) -> bytes:
    """A chapter is XML, where every element may be closed at once; a page that is none is taken as HTML."""
    from xml.etree.ElementTree import tostring

    try:
        root = tree(data)
    except Damaged:
        return data
    for element in root.iter():
        if element.tag in AROUND:
            element.tag = "div"
        element.attrib = {key.rpartition(":")[2]: value for key, value in element.attrib.items() if key[:5] != "xmlns"}
    page: bytes = tostring(root, encoding="utf-8", method="html")
    return b"\xef\xbb\xbf<!doctype html>" + page
