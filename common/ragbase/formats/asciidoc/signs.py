"""How AsciiDoc is told from other texts."""

from __future__ import annotations

import re

SIGNS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\n={1,5} [^=\n]*[^=\s](?=\n)",
        r"\n\[(?:source|listing|NOTE|TIP|WARNING|IMPORTANT|CAUTION|quote|verse|cols|options|horizontal|\[[\w-]+\])[^\]\n]*"
        r"\]\]?(?=\n)",
        r"\n-{4,}\n(?:.{0,2000}\n){1,100}?-{4,}(?=\n)",
        r"\n\|={3,}(?=\n)",
        r"\n(?:include|image|ifdef|ifndef)::[^\s\[]*\[.*\](?=\n)",
        r"<<[\w-]+(?:,[^<>\n]+)?>>|(?:xref|link|linkgit):[^\s\[]{1,100}\[",
        r"\n:[a-z][\w-]*:(?: .*)?(?=\n)",
        r"\n\S.{0,100}::\n(?:\s+\S|\n)",
        r"\n\+\n",
    )
)
"""In a text with a line end before and behind it."""
ENOUGH = 3
"""Different signs of AsciiDoc, of which the first or the second is one. A text about Markdown or a diff has fewer."""


def has_signs(text: str) -> bool:
    """Whether it has several signs that no other markup has."""
    text = f"\n{text}\n"
    if not any(sign.search(text) for sign in SIGNS[:2]):
        return False
    return sum(sign.search(text) is not None for sign in SIGNS) >= ENOUGH
