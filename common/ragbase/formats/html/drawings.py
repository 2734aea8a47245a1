"""The words in a drawing (SVG), which people read as they read the text beside it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragbase.formats.html.removed import IN_PLACE, Removed

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from ragbase.formats.html.elements import Elements

NOT_DRAWN = "defs, symbol, style, script, metadata"
PLACED = ("x", "y", "dx", "dy")
WORD = re.compile(r"\w")


def read_drawings(page: LexborHTMLParser, elements: Elements, removed: Removed) -> None:
    """A paragraph for the words of each drawing, a line for each label. The name of a drawing without words, as icons
    have one, is text in place of a picture."""
    for drawing in elements.of("svg"):
        if drawing.parent is None or drawing.first_child is None or not WORD.search(drawing.text()):
            drawing.decompose()
            continue
        for part in drawing.css(NOT_DRAWN):
            part.decompose()
        words = [text for label in drawing.css("text, foreignObject") if (text := _label(label))]
        names = [name for node in drawing.css("title, desc") if (name := " ".join(node.text().split()))]
        if words:
            paragraph = page.create_node("p")
            for number, text in enumerate((*names, *words)):
                if number:
                    paragraph.insert_child(page.create_node("br"))
                paragraph.insert_child(text)
            drawing.insert_before(paragraph, move=True)
        elif names:
            removed.add("\n".join(names), IN_PLACE)
        drawing.decompose()


def _label(label: LexborNode) -> str:
    """Parts of a label that have a place of their own are words of their own."""
    separator = " " if any(part.attributes.keys() & set(PLACED) for part in label.css("tspan")) else ""
    if label.tag != "text":
        separator = " "
    return " ".join(label.text(separator=separator).split())
