"""What a parser takes a time for that grows with the square of it is taken out of a page before the parser sees it.

How deep elements are nested is another limit: tokenizer.py has it. tests/fuzz looks for more of the kind.
"""

from __future__ import annotations

import re

from ragbase.formats.html.tokenizer import ATTRIBUTES, NAME, tokens

MAX_ATTRIBUTES = 500
"""Of one tag. A parser compares each attribute with all others of its tag: with 4 MB of them, for an hour."""

MAX_FRAMES = 10
"""Tags <html> and <body> of one page. A parser collects the attributes of all of them in one element."""

MAX_OPTIONS = 500
"""Of the menus of a page. A parser looks through all options of a menu for each one. Their text stays."""

LONG = 2 * MAX_ATTRIBUTES
"""Characters of a tag that may have so many attributes."""

TAGS = re.compile(rf"<{NAME}{ATTRIBUTES}(?:>|\Z)")
"""Each tag, or more than that, if a comment or a script looks like a tag."""

_ATTRIBUTE = r"[\s/]*+[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"'][^\s>]*+)?+)?+"
FIRST = re.compile(rf"<{NAME}(?:{_ATTRIBUTE}){{{MAX_ATTRIBUTES}}}")
FRAME = re.compile(r"<(?:html|body)(?=[\s/])", re.IGNORECASE)
OPTION = re.compile(r"<opt(?:ion|group)(?=[\s/>])", re.IGNORECASE)
FRAMES = frozenset(("html", "body"))
OPTIONS = frozenset(("option", "optgroup", "/option", "/optgroup"))

CUT = f"A tag has more than {MAX_ATTRIBUTES} attributes: the others are not read."


def within_limits(source: str) -> tuple[str, tuple[str, ...]]:
    """The page, and what is to be said of it. Nearly all pages are returned as they are."""
    has_long = any(tag.end() - tag.start() > LONG for tag in TAGS.finditer(source))
    if not has_long and _few(FRAME, source, MAX_FRAMES) and _few(OPTION, source, MAX_OPTIONS):
        return source, ()
    parts: list[str] = []
    position = frames = options = 0
    is_cut = False
    for token in tokens(source):
        tag = (token["tag"] or "").lower()
        written = token[0]
        frames += tag in FRAMES
        options += tag in OPTIONS
        if tag in FRAMES and frames > MAX_FRAMES:
            written = ""
        elif tag in OPTIONS and options > MAX_OPTIONS:
            written = "\n"
        elif tag and len(written) > LONG:
            written = _cut(written)
            is_cut = is_cut or written != token[0]
        if written != token[0]:
            parts += [source[position : token.start()], written]
            position = token.end()
    return "".join((*parts, source[position:])), (CUT,) if is_cut else ()


def _cut(tag: str) -> str:
    first = FIRST.match(tag)
    return f"{first[0]}>" if first is not None and first.end() < len(tag.rstrip("/> ")) else tag


def _few(pattern: re.Pattern[str], source: str, most: int) -> bool:
    return len(pattern.findall(source)) <= most
