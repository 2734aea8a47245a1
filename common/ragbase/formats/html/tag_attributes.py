"""The attributes of a tag, as they are written in the source of a page."""

from __future__ import annotations

import re

from ragbase.formats.html.tokenizer import unescaped

VALUE = r"\s*+=\s*+(?:\"(?P<double>[^\"]*+)\"|'(?P<single>[^']*+)'|(?P<bare>[^\s>\"'][^\s>]*+)?+)"
ATTRIBUTE = re.compile(rf"[\s/]++|(?P<name>[^\s/>][^\s/>=]*+)(?:{VALUE})?+")
"""Or what stands before one. Were it part of the attribute, a tag of slashes alone would be gone through from each."""


def attributes_of(tag: str, start: int) -> dict[str, str]:
    """By their names in lower case, the first of each name. `start` is where the name of the tag ends."""
    found: dict[str, str] = {}
    for attribute in ATTRIBUTE.finditer(tag, start, len(tag) - tag.endswith(">")):
        if attribute["name"] is None:
            continue
        value = attribute["double"] or attribute["single"] or attribute["bare"] or ""
        found.setdefault(attribute["name"].lower(), unescaped(value))
    return found
