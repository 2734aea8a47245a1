"""A sentence of a model as plain text. No link and no picture of it is ever shown: they could carry what was asked, or
lead a reader to whoever wrote one of the passages."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PICTURE = re.compile(r"!\[[^\]\n]{0,300}\](?:\([^)\n]{0,2000}\)|\[[^\]\n]{0,300}\])?")
_LINK = re.compile(r"\[([^\]\n]{1,300})\](?:\([^)\n]{0,2000}\)|\[[^\]\n]{0,300}\])")
_DEFINITION = re.compile(r"^[ \t]*\[[^\]\n]{1,300}\]:[ \t]*\S.{0,2000}$", re.MULTILINE)
_TAG = re.compile(
    r"</?(?:a|img|script|iframe|style|svg|link|object|embed|form|input|button|video|audio|source|meta|base|body|html|"
    r"div|span|p|br|b|i|u|em|strong|table|tr|td|h[1-6])(?:[\s/][^>\n]{0,2000})?>",
    re.IGNORECASE,
)
_BEGIN = re.compile(r"^[ \t]*(?:(?:[-*+•–]|\d{1,3}[.)]|#{1,6}|>)[ \t]+)+", re.MULTILINE)
"""Of an item, of a heading, of what is quoted."""
_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)([^\n]{0,2000}?\S)\1")
_ADDRESS = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,20}://[^\s<>\"'`)\]]+|\bwww\.[^\s<>\"'`)\]]+|\b(?:javascript|data|mailto|vbscript):[^\s<>\"'`)\]]+",
    re.IGNORECASE,
)


def plain_text(text: str) -> str:
    """The text on one line, without the signs of Markdown and HTML. A link is its words, and a picture nothing."""
    text = _DEFINITION.sub("", text)
    text = _TAG.sub("", _LINK.sub(r"\1", _PICTURE.sub("", text)))
    text = _EMPHASIS.sub(r"\2", _BEGIN.sub("", text))
    return " ".join(text.split())


def without_addresses(text: str, known: Iterable[str]) -> tuple[str, bool]:
    """The text with "…" in place of each address that no known text has, and whether it had one."""
    texts = tuple(known)
    found = [one for one in map(_trimmed, _ADDRESS.findall(text)) if not any(one in known for known in texts)]
    for address in sorted(found, key=len, reverse=True):
        text = text.replace(address, "…")
    return text, bool(found)


def _trimmed(address: str) -> str:
    """Without the signs of the sentence around it."""
    return address.rstrip(".,;:!?*_")
