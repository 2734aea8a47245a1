"""Which part of a page is its content: the part that holds most of what the page says. A name such as `article` or
`main` says where to look, but teasers, comments and empty frames have these names, too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragbase.formats.html.meaning import parents
from ragbase.formats.html.removed import AROUND, Removed
from ragbase.formats.html.weight import weight, weight_of_links, weight_of_prose

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from ragbase.formats.html.elements import Elements

CANDIDATES = (("article", 0.7), ("markdown", 0.7), ("main", 0.5))
"""From the narrowest, with the share of the prose of the page that it has to hold. What the others hold is lost, and a
`main` is said to be all of the content."""

A_LIST = 0.9
"""The share of articles without a title of the page: they may be teasers below it."""

SURE = 0.9
"""The share of all text, menus included, that needs no closer look."""

FEW = 12
"""Characters, of a word or two, which decide nothing."""

BESIDE = "header, footer, aside, [role=banner], [role=contentinfo], [role=complementary]"
NAMED_BESIDE = ", ".join(
    f'[{name}*="{part}" i]'
    for name in ("id", "class")
    for part in ("footer", "sidebar", "menu", "nav", "breadcrumb", "toc", "pagination", "pager", "table-of-contents")
)
"""What stands around the content where no element says which part of the body is the content."""

FOOTER_NAME = re.compile(
    r"(?:^|[\s_-])(?:site|page|global|main|doc|the|wrapper)?[_-]?footer(?:$|[\s_-])", re.IGNORECASE
)
MENU_NAME = re.compile(
    r"(?:^|[\s_-])(?:\w*side-?bar\w*|\w*menu\w*|nav-?bar\w*|bread-?crumbs?|top-?nav|bottom-?nav|sub-?nav"
    r"|nav(?:header|footer)|toc|table-of-contents|pagination|pager)(?:$|[\s_-])",
    re.IGNORECASE,
)
START = ("", ".", "..", "#")
"""Addresses of the start of a site."""

SECTIONS = frozenset(("article", "main", "section", "blockquote", "figure"))
LINKED_HEADINGS = "h1 a, h2 a, h3 a, h4 a, a h2, a h3, a h4"
SMALL = 0.3
"""Share of the page that a part around its content may hold."""

CARD = 0.25
"""Share of the largest article below which another one beside it, with a smaller heading, is a teaser."""


def main_content(body: LexborNode, elements: Elements, removed: Removed) -> list[LexborNode]:
    """The elements that hold it, in their order. Empty if nothing on the page has text."""
    whole = weight(body)
    if not whole:
        return []
    prose_of_page = -1
    named: dict[str, list[LexborNode]] = {}
    for kind, node in elements.main_parts():
        named.setdefault(kind, []).append(node)
    for kind, least in CANDIDATES:
        found = outermost(named.get(kind, []))
        if kind == "article":
            found = _without_teasers(_inside(found, named.get("main", [])))
            if all(node.css_first("h1") is None for node in found):
                least = A_LIST
        held = sum(map(weight, found))
        if not held:
            continue
        if held < SURE * whole:
            if prose_of_page < 0:
                prose_of_page = weight_of_prose(body) - _prose_beside(body) - _prose_of_teasers(named)
            prose = sum(map(weight_of_prose, found)) - sum(_prose_beside(node) for node in found)
            if prose + FEW < least * prose_of_page or (not prose and held + FEW < least * whole):
                continue
        return [*_above(elements, found), *found]
    _take_what_stands_beside(body, elements, removed)
    return [body]


def _inside(articles: list[LexborNode], mains: list[LexborNode]) -> list[LexborNode]:
    """Where a `main` has text, articles elsewhere are teasers of other pages."""
    within = {node.mem_id for node in mains if weight(node) > FEW}
    return [node for node in articles if not within or any(parent.mem_id in within for parent in parents(node))]


def outermost(nodes: list[LexborNode]) -> list[LexborNode]:
    """Those that are not inside another of them."""
    if len(nodes) < 2:  # noqa: PLR2004
        return nodes
    known = {node.mem_id for node in nodes}
    return [node for node in nodes if not any(parent.mem_id in known for parent in parents(node))]


def _without_teasers(articles: list[LexborNode]) -> list[LexborNode]:
    """A page of one article may have small ones below it, which lead to other pages."""
    if len(articles) < 2 or sum(node.css_first("h1") is not None for node in articles) != 1:  # noqa: PLR2004
        return articles
    article = next(node for node in articles if node.css_first("h1") is not None)
    largest = weight(article)
    return [
        node
        for node in articles
        if node is article or weight(node) > CARD * largest or node.css_first(LINKED_HEADINGS) is None
    ]


def _prose_beside(around: LexborNode) -> int:
    """What does not count as content, whichever part of the page is it."""
    beside = [node for node in around.css(BESIDE) if not _is_inner(node)]
    return sum(map(weight_of_prose, outermost(beside)))


def _prose_of_teasers(named: dict[str, list[LexborNode]]) -> int:
    """Outside of a `main` with the title of the page, articles whose headings are links lead to other pages."""
    if not any(node.css_first("h1") is not None for node in named.get("main", [])):
        return 0
    within = {node.mem_id for node in named["main"]}
    outside = [node for node in named.get("article", []) if not any(one.mem_id in within for one in parents(node))]
    return sum(weight_of_prose(node) for node in outermost(outside) if node.css_first(LINKED_HEADINGS) is not None)


def _is_inner(node: LexborNode) -> bool:
    """The header of a section is a part of it."""
    return node.tag in ("header", "footer", "aside") and any(parent.tag in SECTIONS for parent in parents(node))


def _above(elements: Elements, content: list[LexborNode]) -> list[LexborNode]:
    """The heading that stands above the content, with what it has to say: a theme may put the title of the page there,
    and the page of a category has a title above its articles."""
    if any(node.css_first("h1") is not None for node in content):
        return []
    headings = elements.of("h1")
    if len(headings) != 1 or _is_logo(headings[0]):
        return []
    header = headings[0].parent
    return [header if header is not None and header.tag == "header" and _is_said(header) else headings[0]]


def _is_logo(heading: LexborNode) -> bool:
    """A heading that leads to the start of the site names the site, not the page."""
    link = heading.css_first("a[href]")
    if link is None or weight(link) < weight(heading):
        return not weight(heading)
    attributes = link.attributes
    return (attributes.get("href") or "").rstrip("/") in START or "home" in (attributes.get("rel") or "")


def _is_said(node: LexborNode) -> bool:
    return weight_of_links(node) < weight(node) / 2


def _take_what_stands_beside(body: LexborNode, elements: Elements, removed: Removed) -> None:
    titles = elements.of("h1")
    title = titles[0] if len(titles) == 1 and not _is_logo(titles[0]) else None
    whole = weight(body)
    for node in body.css(BESIDE):
        if node.parent is None or _is_inner(node):
            continue
        if title is not None and _holds(node, title):
            if not _is_said(node):
                node.insert_before(title, move=True)
                removed.take(node, AROUND)
            continue
        if node.tag != "footer" and _is_a_note(node):
            continue
        if weight(node) < whole:
            removed.take(node, AROUND)
    for node in body.css(NAMED_BESIDE):
        if node.parent is not None and node.tag != "body" and _is_named_beside(node, whole):
            removed.take(node, AROUND)


def _is_named_beside(node: LexborNode, whole: int) -> bool:
    names = f"{node.attributes.get('id') or ''} {node.attributes.get('class') or ''}"
    footer, menu = FOOTER_NAME.search(names), MENU_NAME.search(names)
    if not footer and not menu:
        return False
    held = weight(node)
    if (held > whole / 2 and not menu) or node.css_first("h1, main, article") is not None:
        return False
    if footer and held <= SMALL * whole:
        return not any(parent.tag in SECTIONS for parent in parents(node))
    return bool(menu) and weight_of_links(node) > held / 2


def _holds(node: LexborNode, inner: LexborNode) -> bool:
    return any(parent.mem_id == node.mem_id for parent in parents(inner))


def _is_a_note(node: LexborNode) -> bool:
    """Sentences beside the content are a part of it: a remark, a box of facts. Links are not."""
    held = sum(weight_of_prose(line) for line in node.css("p, dd, td"))
    return held > weight(node) / 2
