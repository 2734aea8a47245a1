"""Where a page of a website leads."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urljoin

from ragbase.sources.page_name import canonical_url

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser


class PageLinks:
    """The links of a page that was read at `url`, as canonical URLs."""

    def __init__(self, body: bytes, url: str) -> None:
        from selectolax.lexbor import LexborHTMLParser

        self._page: LexborHTMLParser = LexborHTMLParser(body)
        base = self._page.css_first("base[href]")
        self._base = urljoin(url, base.attributes.get("href") or "") if base else url

    def all(self) -> list[str]:
        found = (self._url(link.attributes) for link in self._page.css("a[href]:not([rel~=nofollow])"))
        return [link for link in dict.fromkeys(found) if link]

    def canonical(self) -> str | None:
        """The address under which the page wants to be known (RFC 6596), if it says so."""
        link = self._page.css_first("head link[rel~=canonical][href]")
        return self._url(link.attributes) if link is not None else None

    def _url(self, attributes: dict[str, str | None]) -> str | None:
        return canonical_url(attributes.get("href") or "", self._base)
