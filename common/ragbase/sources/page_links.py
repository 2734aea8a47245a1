"""Where a page of a website leads.

Its tags are read in one way through its source: a tree of its elements takes a time that grows with the square of how
many attributes a tag has and of how deep elements are nested, and the page may be anybody's.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urljoin

from ragbase.formats.html.tokenizer import attributes_of, tokens
from ragbase.sources.page_name import MAX_ADDRESS, canonical_url

_HEAD = frozenset(
    ("", "html", "head", "base", "link", "meta", "noscript", "script", "style", "template", "title")
)  # fmt: skip
"""Tags that may stand in front of the body ("The rules for parsing tokens in HTML content", HTML Standard)."""
_LOOKED_AT = frozenset(("a", "base", "link"))


class PageLinks:
    """The links of a page that was read at `url`, as canonical URLs."""

    def __init__(self, body: bytes, url: str) -> None:
        self._links: list[str] = []
        self._canonical: str | None = None
        self._base = url
        has_base = False
        for tag, attributes, is_in_head in link_tags(body.decode("utf-8", "ignore")):
            href, relations = attributes.get("href"), attributes.get("rel", "").lower().split()
            if href is None:
                continue
            if tag == "base" and not has_base:
                has_base, self._base = True, based_on(url, href)
            elif tag == "a" and "nofollow" not in relations:
                self._links.append(href)
            elif tag == "link" and is_in_head and self._canonical is None and "canonical" in relations:
                self._canonical = href

    def all(self) -> Iterator[str]:
        """One after another: together, they may be a thousand times as long as the page."""
        return filter(None, map(self._url, dict.fromkeys(self._links)))

    def canonical(self) -> str | None:
        """The address under which the page wants to be known (RFC 6596), if it says so."""
        return self._url(self._canonical) if self._canonical is not None else None

    def _url(self, href: str) -> str | None:
        return canonical_url(href, self._base)


def link_tags(source: str) -> Iterator[tuple[str, dict[str, str], bool]]:
    """Each tag <a>, <base> or <link> that is no part of a template, with its attributes, and whether it stands in the
    head."""
    is_in_head, within, position = True, 0, 0
    for token in tokens(source):
        if is_in_head and not within and not source[position : token.start()].isspace():
            is_in_head = position == token.start()
        position = token.end()
        tag = (token["tag"] or "").lower()
        if tag == "template":
            within += 1
        elif tag == "/template":
            within = max(within - 1, 0)
        if within:
            continue
        if is_in_head:
            is_in_head = tag.lstrip("/") in _HEAD
        if tag in _LOOKED_AT:
            yield tag, attributes_of(token[0], 1 + len(tag)), is_in_head


def based_on(url: str, base: str) -> str:
    """The address that the links of a page are based on, whose <base> says this. One that is too long is none."""
    try:
        said = urljoin(url, base)
    except ValueError:
        return url
    return said if len(said) <= MAX_ADDRESS else url
