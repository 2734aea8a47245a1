"""Which part of a page is its content: the part that holds most of what the page says. A name such as `article` or
`main` says where to look, but teasers, comments and empty frames have these names, too."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from ragbase.formats.html.elements import named
from ragbase.formats.html.meaning import parents
from ragbase.formats.html.removed import AROUND, Removed
from ragbase.formats.html.weight import Scales, weight, weight_of_links, weight_of_prose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from selectolax.lexbor import LexborNode

    from ragbase.formats.html.elements import Elements
    from ragbase.formats.html.weight import Scales


LINKED_HEADINGS = "h1 a, h2 a, h3 a, h4 a, a h2, a h3, a h4"
CARD = 0.25
"""Share of the article with the page's title up to which another one is a teaser, if its heading leads elsewhere."""

SMALL_CARD = 300
"""Characters up to which it is one beside any article."""

FEW = 12
"""Characters, of a word or two, which decide nothing."""


class Articles:
    """`articles` may be the content; `teasers` lead to other pages; `mains` say that they are the content."""

    def __init__(self, articles: list[LexborNode], mains: list[LexborNode], scales: Scales) -> None:
        self.mains = mains
        titled = [node for node in articles if node.css_first("h1") is not None]
        self.has_title = bool(titled)
        within = {node.mem_id for node in mains if articles and scales.weight(node) > FEW}
        inside = [node for node in articles if not within or _is_in(node, within)]
        self.teasers: list[LexborNode] = []
        if len(titled) == 1:
            most = max(CARD * scales.weight(titled[0]), SMALL_CARD)
            others = [node for node in articles if node.mem_id != titled[0].mem_id]
            self.teasers = [node for node in others if scales.weight(node) <= most and _leads_on(node)]
        elif not titled and any(node.css_first("h1") is not None for node in mains):
            self.teasers = [node for node in articles if not _is_in(node, within) and _leads_on(node)]
        known = {node.mem_id for node in self.teasers}
        self.articles = [node for node in inside if node.mem_id not in known]


def outermost(nodes: Sequence[LexborNode]) -> list[LexborNode]:
    """Those that are not inside another of them."""
    known = {node.mem_id for node in nodes}
    return [node for node in nodes if not _is_in(node, known)]


def _is_in(node: LexborNode, known: set[int]) -> bool:
    return any(parent.mem_id in known for parent in parents(node))


def _leads_on(article: LexborNode) -> bool:
    return article.css_first(LINKED_HEADINGS) is not None


AN_ARTICLE, A_LIST = 0.7, 0.9
"""The share of the prose of a page, or of its `main`, that an article has to hold, and articles without a title of the
page, which may be teasers below it. What the others hold is left out."""

A_MAIN, A_TITLED_MAIN = 0.5, 0.1
"""The share of a `main`, which is said to be all of the content; with the title of the page in it, it may be short."""

SURE = 0.9
"""The share of all text, menus included, that needs no closer look."""

BESIDE_TAGS = ("header", "footer", "aside")
BESIDE_ROLES = ("banner", "contentinfo", "complementary")
BESIDE = "header, footer, aside, [role=banner], [role=contentinfo], [role=complementary]"
NAMES_BESIDE = ("footer", "sidebar", "menu", "nav", "crumb", "toc", "contents", "pag")
LOOKED_AT_BESIDE = f"{BESIDE}, {named('id', NAMES_BESIDE)}, {named('class', NAMES_BESIDE)}"
"""What stands around the content where no element says which part of the body is the content."""

FOOTER_NAME = re.compile(
    r"(?:^|[\s_-])(?:site|page|global|main|doc|the|wrapper)?[_-]?footer(?:$|[\s_-])", re.IGNORECASE
)
MENU_NAME = re.compile(
    r"(?:^|[\s_-])(?:\w*side-?bar\w*|\w*menu\w*|nav-?bar\w*|bread-?crumbs?|(?:\w+-)?nav(?:igation)?|(?:top|bottom|sub)nav"
    r"|nav(?:header|footer)|toc|table-of-contents|pagination|pager)(?:$|[\s_-])",
    re.IGNORECASE,
)
CONTENTS_NAME = re.compile(r"(?:^|[\s_-])(?:toc|table-of-contents)(?:$|[\s_-])", re.IGNORECASE)
"""A page may be a table of contents."""

START = ("", ".", "..", "#")
"""Addresses of the start of a site."""

SECTIONS = frozenset(("article", "main", "section", "blockquote", "figure"))
SMALL = 0.3
"""Share of the page that a part around its content may hold."""


def main_content(body: LexborNode, elements: Elements, removed: Removed) -> list[LexborNode]:
    """The elements that hold it, in their order."""
    kinds: dict[str, list[LexborNode]] = {}
    for kind, node in elements.main_parts():
        kinds.setdefault(kind, []).append(node)
    scales = Scales()
    parts = Articles(outermost(kinds.get("article", [])), outermost(kinds.get("main", [])), scales)
    page = _Page(body, parts.teasers, scales)
    mains = parts.mains if page.is_most(parts.mains, A_TITLED_MAIN if _has_title(parts.mains) else A_MAIN) else []
    within = _Page(mains[0], parts.teasers, scales) if len(mains) == 1 else page
    for found, least in (
        (parts.articles, AN_ARTICLE if parts.has_title else A_LIST),
        (outermost(kinds.get("markdown", [])), AN_ARTICLE),
    ):
        if within.is_most(found, least):
            return [*_above(elements, found), *found]
    if mains:
        return [*_above(elements, mains), *mains]
    _take_what_stands_beside(body, elements, removed)
    return [body]


class _Page:
    """A page, or the `main` of it, and how much of it a part holds."""

    def __init__(self, around: LexborNode, teasers: list[LexborNode], scales: Scales) -> None:
        self._around = around
        self._teasers = teasers
        self._scales = scales

    @cached_property
    def _prose(self) -> int:
        inside = [node for node in self._teasers if _holds(self._around, node)]
        return weight_of_prose(self._around) - _prose_beside(self._around) - sum(map(weight_of_prose, inside))

    def is_most(self, found: list[LexborNode], least: float) -> bool:
        """Whether these elements hold the share of its prose that they have to."""
        held = sum(map(self._scales.weight, found))
        if not held:
            return False
        whole = self._scales.weight(self._around)
        if held >= SURE * whole:
            return True
        prose = sum(map(weight_of_prose, found)) - sum(map(_prose_beside, found))
        return prose + FEW >= least * self._prose and (bool(prose) or held + FEW >= least * whole)


def _has_title(mains: list[LexborNode]) -> bool:
    return any(node.css_first("h1") is not None for node in mains)


def _prose_beside(around: LexborNode) -> int:
    """What does not count as content, whichever part of the page is it."""
    beside = [node for node in around.css(BESIDE) if not _is_inner(node)]
    return sum(map(weight_of_prose, outermost(beside)))


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
    if (
        header is None
        or header.tag != "header"
        or not _is_said(header)
        or any(_holds(header, node) for node in content)
    ):
        return [headings[0]]
    return [header]


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
    for node in body.css(LOOKED_AT_BESIDE):
        if node.parent is None or node.tag == "body":
            continue
        if node.tag not in BESIDE_TAGS and node.attributes.get("role") not in BESIDE_ROLES:
            if _is_named_beside(node, whole):
                removed.take(node, AROUND)
        elif _is_inner(node):
            continue
        elif title is not None and _holds(node, title):
            if not _is_said(node):
                node.insert_before(title, move=True)
                removed.take(node, AROUND)
        elif node.tag == "footer" or not _is_a_note(node):
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
    if not menu or (held > SMALL * whole and CONTENTS_NAME.search(names)):
        return False
    return weight_of_links(node) > held / 2


def _holds(node: LexborNode, inner: LexborNode) -> bool:
    return any(parent.mem_id == node.mem_id for parent in parents(inner))


def _is_a_note(node: LexborNode) -> bool:
    """Sentences beside the content are a part of it: a remark, a box of facts. Links are not."""
    held = sum(weight_of_prose(line) for line in node.css("p, dd, td"))
    return held > weight(node) / 2
