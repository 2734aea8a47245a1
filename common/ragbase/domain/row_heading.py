"""The headings that readers write above a row of a table or an item of a list: "row 12", "item 3: Sloop".

Their numbers are ours. Nobody wrote them into the file, so a question with a year or an amount must not find them.
"""

from __future__ import annotations

import re

_HEADING = re.compile(r"(?m)^(#{1,6} )(?:row|item) \d+(?:: |$)")
_TITLE = re.compile(r"(?:row|item) \d+(?:: |$)")


def without_row_numbers(path: tuple[str, ...], text: str) -> tuple[tuple[str, ...], str]:
    """The headings above a passage and its text, with the name that a row has, if it has one, and without its number.

    A passage without such a heading above it is no row.
    """
    if not any(map(_TITLE.match, path)):
        return path, text
    return tuple(filter(None, (_TITLE.sub("", title) for title in path))), _HEADING.sub(r"\1", text)
