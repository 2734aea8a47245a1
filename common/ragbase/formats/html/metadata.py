"""What a page says about itself in its head."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.domain.metadata import DocumentMetadata
from ragbase.formats.html.furniture import TAG_LINKS
from ragbase.formats.html.meaning import parents

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

    from ragbase.formats.html.elements import Elements


def read_metadata(page: LexborHTMLParser, elements: Elements | None) -> DocumentMetadata:
    """Before anything is taken out of the page. `elements` are those of its body, if it has one."""
    head = page.head
    named: dict[str, list[str]] = {}
    for node in head.css("meta[content]") if head is not None else ():
        name = node.attributes.get("property") or node.attributes.get("name") or ""
        named.setdefault(name.lower(), []).append(node.attributes.get("content") or "")

    def first(*names: str) -> str | None:
        return next((text for name in names for text in named.get(name, ()) if text.strip()), None)

    title = head.css_first("title") if head is not None else None
    canonical = head.css_first("link[rel=canonical]") if head is not None else None
    times = [node for node in elements.of("time") if "datetime" in node.attributes] if elements is not None else []
    time = next((node for node in times if any(one.tag in ("article", "main") for one in parents(node))), None)
    articles = elements.of("article") if elements is not None else []
    listed = [first("keywords") or "", *named.get("article:tag", ())]
    tags = [tag for line in listed for tag in line.split(",")]
    if len(articles) == 1:
        tags += [link.text() for link in articles[0].css(TAG_LINKS)]
    return DocumentMetadata.of(
        title=first("og:title") or (title.text() if title is not None else None),
        tags=tags,
        date=first("article:published_time", "date", "dc.date", "dcterms.date", "last-modified")
        or (time.attributes.get("datetime") if time is not None else None),
        url=(canonical.attributes.get("href") if canonical is not None else None) or first("og:url"),
    )
