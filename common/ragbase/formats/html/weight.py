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
