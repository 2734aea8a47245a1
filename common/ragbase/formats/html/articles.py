"""The articles of a page: its content, or teasers of other pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.formats.html.meaning import parents

if TYPE_CHECKING:
    from collections.abc import Sequence

    from selectolax.lexbor import LexborNode

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
