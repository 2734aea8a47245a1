"""What a page says about itself in its head."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.domain.metadata import DocumentMetadata
from ragbase.formats.html.furniture import TAG_LINKS

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser


def read_metadata(page: LexborHTMLParser) -> DocumentMetadata:
    head = page.head
    named: dict[str, list[str]] = {}
    for node in head.css("meta[content]") if head is not None else ():
        name = node.attributes.get("property") or node.attributes.get("name") or ""
        named.setdefault(name.lower(), []).append(node.attributes.get("content") or "")

    def first(*names: str) -> str | None:
        return next((text for name in names for text in named.get(name, ()) if text.strip()), None)

    title = head.css_first("title") if head is not None else None
    canonical = head.css_first("link[rel=canonical]") if head is not None else None
    time = page.css_first("article time[datetime], main time[datetime]")
    listed = [first("keywords") or "", *named.get("article:tag", ())]
    tags = [tag for line in listed for tag in line.split(",")]
    if len(page.css("article")) == 1:
        tags += [link.text() for link in page.css(f"article {TAG_LINKS}")]
    return DocumentMetadata.of(
        title=first("og:title") or (title.text() if title is not None else None),
        tags=tags,
        date=first("article:published_time", "date", "dc.date", "dcterms.date", "last-modified")
        or (time.attributes.get("datetime") if time is not None else None),
        url=(canonical.attributes.get("href") if canonical is not None else None) or first("og:url"),
    )
