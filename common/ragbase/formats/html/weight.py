"""How much a part of a page says: its characters, because not all languages have blanks between words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

CLICKED = "a, button, label, option"


def weight(node: LexborNode) -> int:
    """Characters of its text, without blanks around elements."""
    return len(node.text(strip=True))


def weight_of_links(node: LexborNode) -> int:
    """Characters of what can be clicked in it: a menu has little else."""
    return sum(len(link.text(strip=True)) for link in node.css(CLICKED))


def weight_of_prose(node: LexborNode) -> int:
    return weight(node) - weight_of_links(node)


class Scales:
    """Weighs each part of a page once, as long as nothing is taken out of it."""

    def __init__(self) -> None:
        self._known: dict[int, int] = {}

    def weight(self, node: LexborNode) -> int:
        known = self._known.get(node.mem_id)
        if known is None:
            known = self._known[node.mem_id] = weight(node)
        return known
