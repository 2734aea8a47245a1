"""The plain words of a heading, without its Markdown."""

from __future__ import annotations

import re

MAX_TITLE = 200
"""Characters. A heading is embedded with every passage under it, and an encoder reads about 1,000 characters."""

CLOSING = re.compile(r"\s*(?:\{[^{}]*\}\s*)?$")
CLOSING_HASHES = re.compile(r"(?:^|\s+)#+$")
BREAKS = re.compile("[\u00ad\u200b\u2060\ufeff]+")
"""Soft hyphens and blanks without a width: where a long word may be broken. A title is one line."""
MAY_BE_MARKUP = re.compile(r"[#{`\[\\<*~_]")
MARKUP = re.compile(
    r"(?P<ticks>`+)(?P<code>.+?)(?P=ticks)(?!`)"
    r"|!?\[(?P<text>[^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])"
    r"|\\(?P<escaped>[^\w\s]|_)"
    r"|<!--.*?-->"
    r"|</?[a-z][a-z0-9]*(?:\s[^<>]*)?/?>"
    r"|\*+|~~|(?<!\w)_+(?=\S)|(?<=\S)_+(?!\w)"
)
"""Inline code, links and images, escapes, HTML, emphasis: in this order, because code is kept word for word."""


def heading_title(line: str) -> str:
    """What a reader sees of a heading line: `Traits with [`Vec<T>`](v.html) {#traits}` gives `Traits with Vec<T>`."""
    title = line[: 2 * MAX_TITLE]
    if MAY_BE_MARKUP.search(title):
        title = CLOSING.sub("", title, count=1)
        title = CLOSING_HASHES.sub("", title, count=1)
        title = CLOSING.sub("", title, count=1)
        title = _plain(title)
    if not title.isascii():
        title = BREAKS.sub("", title)
    return " ".join(title.split())[:MAX_TITLE]


def _plain(text: str) -> str:
    return MARKUP.sub(_words, text)


def _words(markup: re.Match[str]) -> str:
    if code := markup["code"]:
        return code.strip()
    if text := markup["text"]:
        return _plain(text)
    return markup["escaped"] or ""
