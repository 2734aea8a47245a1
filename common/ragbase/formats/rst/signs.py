"""How reStructuredText is told from other texts."""

from __future__ import annotations

import re

ROLE = r":[a-z][\w:-]{0,40}:`[^`\n]{1,200}`"
SIGNS = tuple(
    re.compile(sign)
    for sign in (
        r"\n\S.{1,120}\n([=~^\"'`*+.#-])\1{3,}(?=\n)",
        rf"\.\. (?:[a-z][\w:-]{{1,40}}::(?=[ \n])|_[^:\n]{{1,80}}:(?=[ \n])|\|[^|\n]{{1,60}}\| )|{ROLE}",
        rf"\n[^.\s].*::(?=\n)|{ROLE}|``[^`\n]{{1,200}}``|`__?\b|\n\.\. [a-z][\w:-]{{1,40}}::[^\n]*\n\n? +\S",
    )
)
"""An underlined title; a directive, a target or a role; another mark. A line end stands before and behind the text."""
MARKDOWN = re.compile(r"\n(?:```|~~~|#{1,6} \S)")


def has_signs(text: str) -> bool:
    """Whether it has a directive, a target or a role, an underlined title and another mark, and nothing of Markdown."""
    text = f"\n{text}\n"
    return all(sign.search(text) for sign in SIGNS) and not MARKDOWN.search(text)
