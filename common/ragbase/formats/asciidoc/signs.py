"""How AsciiDoc is told from other texts."""

from __future__ import annotations

import re

SIGNS = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^={1,5} [^=\n]*[^=\s]$",
        r"^\[(?:source|listing|NOTE|TIP|WARNING|IMPORTANT|CAUTION|quote|verse|cols|options|horizontal|\[[\w-]+\])[^\]\n]*\]\]?\n",
        r"^-{4,}\n(?:.{0,2000}\n){1,100}?-{4,}$",
        r"^\|={3,}$",
        r"^(?:include|image|ifdef|ifndef)::[^\s\[]*\[.*\]$",
        r"(?:<<[\w-]+(?:,[^<>\n]+)?>>|\b(?:xref|link|linkgit):[^\s\[]{1,100}\[)",
        r"^:[a-z][\w-]*:(?: .*)?$",
        r"^\S.{0,100}::\n(?:\s+\S|\n)",
        r"^\+\n",
    )
)
ENOUGH = 3
"""Different signs of AsciiDoc, of which the first or the second is one. A text about Markdown or a diff has fewer."""


def has_signs(text: str) -> bool:
    """Whether it has several signs that no other markup has."""
    if not any(sign.search(text) for sign in SIGNS[:2]):
        return False
    return sum(sign.search(text) is not None for sign in SIGNS) >= ENOUGH
