"""The labels of buttons: furniture, or the name of what a button opens."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from ragbase.formats.html.meaning import near, parents
from ragbase.formats.html.removed import AROUND, Removed
from ragbase.formats.html.weight import weight, weight_of_links

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

WORD = re.compile(r"\w")
HEADINGS = "h1, h2, h3, h4, h5, h6"
OPENS_ITS_PANEL = (
    "[aria-expanded], [aria-controls], [data-toggle=collapse], [data-bs-toggle=collapse], [class*=collaps i], "
    "[class*=accordion i], [class*=toggle i]"
)
NAMED_BY_BUTTON = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "summary", "dt", "legend", "caption"))
LONG_LABEL = 60
"""Characters. A button with more is a part of the text that can be clicked."""

LOOKED_AT = 200
"""Nodes of a heading in which other words than those of a button are looked for: it may have thousands of buttons."""


class Panels:
    """What a button may open."""

    def __init__(self, body: LexborNode) -> None:
        self._body = body
        self._menus: dict[int, bool] = {}

    @cached_property
    def by_id(self) -> dict[str, LexborNode]:
        return {node.attributes["id"] or "": node for node in self._body.css("[id]")}

    def is_menu(self, panel: LexborNode) -> bool:
        """Many buttons may open one panel."""
        known = self._menus.get(panel.mem_id)
        if known is None:
            known = self._menus[panel.mem_id] = _is_menu(panel)
        return known


def take_button(page: LexborHTMLParser, button: LexborNode, panels: Panels, removed: Removed) -> None:
    """The label of a button is no text, but the name of what it opens is: a heading, a question."""
    label = button.text(strip=True)
    if button.parent is None or (label and (len(label) > LONG_LABEL or _names_its_element(button))):
        return
    if label and button.css_first(HEADINGS) is not None:
        button.unwrap()
        return
    if label and button.css_matches(OPENS_ITS_PANEL) and _opens_content(button, panels):
        line, strong = page.create_node("p"), page.create_node("strong")
        strong.insert_child(" ".join(button.text(separator=" ").split()))
        line.insert_child(strong)
        button.insert_before(line, move=True)
        button.decompose()
    else:
        removed.take(button, AROUND)


def _names_its_element(button: LexborNode) -> bool:
    """Whether a heading has no other words than those of the button in it."""
    for parent in near(button):
        if parent.tag in NAMED_BY_BUTTON:
            return not _has_other_words(parent, button)
    return False


def _has_other_words(parent: LexborNode, button: LexborNode) -> bool:
    return any(
        node.tag == "-text"
        and WORD.search(node.text_content or "") is not None
        and not any(around.mem_id == button.mem_id for around in parents(node))
        for node in islice(parent.traverse(include_text=True), LOOKED_AT)
    )


def _opens_content(button: LexborNode, panels: Panels) -> bool:
    attributes = button.attributes
    for name in ("aria-controls", "data-target", "data-bs-target"):
        panel = panels.by_id.get((attributes.get(name) or "").lstrip("#"))
        if panel is not None and panel.parent is not None:
            return not panels.is_menu(panel)
    after = button.next
    while after is not None and after.tag in ("-text", "-comment"):
        after = after.next
    return after is not None and after.tag in ("div", "section", "p", "ul", "dl") and not panels.is_menu(after)


def _is_menu(node: LexborNode) -> bool:
    if any(parent.tag in ("nav", "header", "footer") for parent in (node, *near(node))):
        return True
    if node.css_first("nav") is not None:
        return True
    whole = weight(node)
    return not whole or weight_of_links(node) > whole / 2
