"""How reStructuredText is told from other texts."""

from __future__ import annotations

import re

SIGNS = tuple(
    re.compile(sign, re.MULTILINE)
    for sign in (
        r"^ *\.\. (?:[a-z][\w:-]{1,40}::(?: |$)|_[^:\n]{1,80}:(?: |$)|\|[^|\n]{1,60}\| )"
        r"|:[a-z][\w:-]{0,40}:`[^`\n]{1,200}`",
        r"^\S.{1,120}\n([=~^\"'`*+.#-])\1{3,}$",
        r"^[^.\s].*::$|:[a-z][\w:-]{0,40}:`[^`\n]{1,200}`|``[^`\n]{1,200}``|`__?\b|"
        r"^\.\. [a-z][\w:-]{1,40}::[^\n]*\n\n? +\S",
    )
)
MARKDOWN = re.compile(r"^(?:```|~~~|#{1,6} \S)", re.MULTILINE)


def has_signs(text: str) -> bool:
    """Whether it has a directive, a target or a role, an underlined title and another mark, and nothing of Markdown."""
    return all(sign.search(text) for sign in SIGNS) and not MARKDOWN.search(text)
