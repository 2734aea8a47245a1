"""The anchor of a heading, as GitHub makes it: so that a link works there and on the site."""

from __future__ import annotations

import re


def anchor(heading: str, separator: str) -> str:
    """`POST /api/query` is `post-apiquery`."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", separator)
