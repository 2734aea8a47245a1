"""Text of a page that nobody sees. It is left out, because it can hide instructions to a model."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from ragbase.formats.html.meaning import parents
from ragbase.formats.html.removed import HIDDEN, Removed
from ragbase.formats.html.style_sheet import HIDING, hides, hiding_selectors
from ragbase.formats.html.weight import weight

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from ragbase.formats.html.elements import Elements

COLOUR = re.compile(r"(?:^|[;\s])color\s*:\s*([^;!]+)", re.IGNORECASE)
BACKGROUND = re.compile(r"(?:^|[;\s])background(?:-color)?\s*:\s*([^;!]+)", re.IGNORECASE)
HEX = re.compile(r"#[0-9a-f]{6}(?:ff)?")
HEX_SHORT = re.compile(r"#([0-9a-f])([0-9a-f])([0-9a-f])f?")
RGB = re.compile(r"rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)")
NAMES = {"white": "#ffffff", "black": "#000000", "snow": "#fffafa", "ivory": "#fffff0", "whitesmoke": "#f5f5f5"}
WHITE = (255, 255, 255)
CLOSE = 12
"""Of 255: a difference between colours that no eye sees in a letter."""

OPENS = (
    "[aria-controls], [aria-owns], [data-target], [data-bs-target], [data-toggle], [onclick], a[href^='#'], label[for]"
)
PANEL = re.compile(
    r"collaps|accordion"
    r"|(?:^|[\s_-])(?:tab-?(?:pane|panel|content)s?|panel|toggle|spoiler|expand\w*|faq|answer)(?:$|[\s_-])",
    re.IGNORECASE,
)
"""Classes of what is shown when somebody clicks above it."""

FIRST = 8
"""Elements of the part above, with itself, one of which may be the button that shows the part below."""

PAGE_PARTS = "main, article, h1, [role=main]"
WORDS = re.compile(r"[\w-]+")


def take_hidden(
    page: LexborHTMLParser, body: LexborNode, elements: Elements, sheets: list[str], removed: Removed
) -> None:
    """Parts that a click shows (answers, tabs) are no hidden text, nor is a page that a script shows."""
    found = []
    background = _background_of_page(page, sheets)
    for node in elements.all:
        attributes = node.attributes
        if (
            "hidden" in attributes
            or (attributes.get("aria-hidden") or "").lower() == "true"
            or hides(attributes.get("style") or "")
            or _has_the_colour_of_its_background(node, background)
        ):
            found.append(node)
    for selector in hiding_selectors(sheets):
        found += [node for node in body.css(selector) if not _shows_itself(node)]
    openers: set[str] | None = None
    for node in found:
        if node.parent is None or node.tag in ("html", "body", "br", "img", "input"):
            continue
        if not node.text(strip=True):
            if node.tag != "svg":
                node.decompose()
            continue
        if openers is None:
            openers = _opened(body)
        if not _is_shown_by_a_click(node, openers) and not _is_the_page(node, body):
            removed.take(node, HIDDEN)


def _is_the_page(node: LexborNode, body: LexborNode) -> bool:
    """A script shows it: it has the parts of a page, and most of its text."""
    return node.css_first(PAGE_PARTS) is not None and weight(node) > weight(body) / 2


def _shows_itself(node: LexborNode) -> bool:
    style = node.attributes.get("style") or ""
    return bool(style) and not HIDING.search(style) and re.search(r"display\s*:", style) is not None


def _opened(body: LexborNode) -> set[str]:
    """The ids, and words beside them, that something on the page opens."""
    words: set[str] = set()
    for node in body.css(OPENS):
        for name, value in node.attributes.items():
            if name != "class" and value:
                words.update(WORDS.findall(value))
    return words


def _is_shown_by_a_click(node: LexborNode, opened: set[str]) -> bool:
    attributes = node.attributes
    if "hidden" in attributes and (attributes["hidden"] or "").lower() == "until-found":
        return True
    if attributes.get("role") == "tabpanel" or PANEL.search(attributes.get("class") or ""):
        return True
    if (attributes.get("id") or "") in opened:
        return True
    before = node.prev
    while before is not None and before.tag in ("-text", "-comment"):
        before = before.prev
    return before is not None and any(map(_is_button, islice(before.traverse(), FIRST)))


def _is_button(node: LexborNode) -> bool:
    attributes = node.attributes
    return (
        node.tag in ("button", "summary")
        or attributes.get("role") in ("button", "tab")
        or "onclick" in attributes
        or "aria-expanded" in attributes
    )


def _background_of_page(page: LexborHTMLParser, sheets: list[str]) -> tuple[int, int, int] | None:
    """White; None where a style sheet may say something else."""
    linked = page.head is not None and page.head.css_first("link[rel~=stylesheet i]") is not None
    return None if linked or any("background" in sheet for sheet in sheets) else WHITE


def _has_the_colour_of_its_background(node: LexborNode, of_page: tuple[int, int, int] | None) -> bool:
    found = COLOUR.search(node.attributes.get("style") or "")
    colour = _colour(found[1] if found else node.attributes.get("color") or "")
    if colour is None:
        return False
    named = False
    for around in (node, *parents(node)):
        attributes = around.attributes
        painted = BACKGROUND.search(attributes.get("style") or "")
        value = painted[1] if painted else attributes.get("bgcolor")
        if value:
            background = _colour(value)
            return background is not None and _are_alike(colour, background)
        named = named or not attributes.keys().isdisjoint(("class", "id"))
    return (of_page is not None or not named) and _are_alike(colour, of_page or WHITE)


def _colour(text: str) -> tuple[int, int, int] | None:
    text = text.strip().lower()
    text = NAMES.get(text, text)
    short = HEX_SHORT.fullmatch(text)
    if short is not None:
        text = "#" + "".join(digit * 2 for digit in short.groups())
    if HEX.fullmatch(text):
        return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)
    found = RGB.match(text)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def _are_alike(one: tuple[int, int, int], other: tuple[int, int, int]) -> bool:
    return all(abs(a - b) <= CLOSE for a, b in zip(one, other, strict=True))
