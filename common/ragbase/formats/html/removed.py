"""What is taken out of a page, by kind: none of it is lost without a word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragbase.domain.left_out import LeftOut
from ragbase.formats.html.tokenizer import text_of

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

AROUND = "menus and other parts around the content"
HIDDEN = "hidden text"
IN_PLACE = "text for browsers without scripts, pictures or frames"
NUMBERS = "line numbers of code"
FORMULAS = "formulas, which are read as TeX"
SHOWN = {AROUND: True, IN_PLACE: True, NUMBERS: True, FORMULAS: True, HIDDEN: False}

WORD = re.compile(r"\w")
BLANK_LINES = re.compile(r"\s*\n\s*")


class Removed:
    """Elements that were moved out of a page. One that is in another one is moved once."""

    def __init__(self, page: LexborHTMLParser) -> None:
        self._page = page
        self._parts: dict[str, LexborNode] = {}
        self._texts: dict[str, list[str]] = {}

    def take(self, node: LexborNode, what: str) -> None:
        """Move it out of the page. One without a parent was moved, or removed, before."""
        if node.parent is None:
            return
        parts = self._parts.get(what)
        if parts is None:
            parts = self._parts[what] = self._page.create_node("div")
        parts.insert_child("\n")
        parts.insert_child(node, move=True)

    def add(self, text: str, what: str) -> None:
        """A text that is no longer an element of the page."""
        self._texts.setdefault(what, []).append(text)

    def put_back(self, what: str) -> str:
        """The HTML of what was moved: it is not left out."""
        parts = self._parts.pop(what, None)
        return (parts.html or "") if parts is not None else ""

    def left_out(self) -> tuple[LeftOut, ...]:
        """One for each kind that has words."""
        found = []
        for what, shown in SHOWN.items():
            texts = self._texts.get(what, [])
            if what in self._parts:
                texts = [text_of(self._parts[what].html or ""), *texts]
            text = BLANK_LINES.sub("\n", "\n".join(texts)).replace("\0", "\ufffd").strip()
            if WORD.search(text):
                found.append(LeftOut(what, text, shown))
        return tuple(found)
