"""The pages of a website (docs/contracts/website-pipeline.md, section 1)."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urldefrag, urljoin, urlsplit

from ragbase.formats.html.declared_encoding import declared
from ragbase.sources.page_links import based_on, link_tags
from ragbase.sources.sitemap import NotASitemap, read_sitemap
from ragbase.website_pipeline.get import get

if TYPE_CHECKING:
    from requests import Response

_LOG = logging.getLogger(__name__)
_PAGE_TYPES = ("text/html", "application/xhtml+xml")


def discover_urls(base_url: str) -> list[str]:
    """The URLs of all pages at or below `base_url`, sorted, each once: those of its sitemap or else, by following links
    from there, those that are found.

    An index of sitemaps is followed. A page that cannot be fetched stays in the list: reading it says why. Raises
    ValueError if `base_url` is no address of a website, and requests.RequestException if there is neither a sitemap nor
    a page at `base_url`.
    """
    import requests

    checked_url(base_url)
    try:
        urls = set(_from_sitemap(base_url))
        how = "from sitemap"
    except (requests.RequestException, NotASitemap) as error:
        _LOG.info("No sitemap (%s): following links", error)
        urls = _crawl(base_url)
        how = "by following links"
    _LOG.info("Discovered %d URLs %s", len(urls), how)
    return sorted(urls)


def checked_url(url: str) -> str:
    """Raises ValueError if it is no address that begins with http:// or https:// and a host."""
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_valid = False
    if not is_valid or any(character.isspace() for character in url):
        raise ValueError(f"{url!r} is not the URL of a website. It begins with https:// or http:// and a host.")
    return url


def _is_below(url: str, base_url: str) -> bool:
    """Not every URL that begins with these characters: the host `site.com.example` is another than `site.com`."""
    base = base_url.rstrip("/")
    return url.startswith(base) and url[len(base) : len(base) + 1] in ("", "/", "?", "#")


def _from_sitemap(base_url: str) -> Iterator[str]:
    waiting = deque([f"{base_url.rstrip('/')}/sitemap.xml"])
    known = set(waiting)
    while waiting:
        with get(waiting.popleft()) as (_, body):
            for location in read_sitemap(body):
                if not _is_below(location.url, base_url):
                    continue
                if not location.is_sitemap:
                    yield location.url
                elif location.url not in known:
                    known.add(location.url)
                    waiting.append(location.url)


def _crawl(base_url: str) -> set[str]:
    import requests

    root = base_url if urlsplit(base_url).path else f"{base_url}/"
    waiting = deque([root])
    visited = {root}
    pages: set[str] = set()
    while waiting:
        url = waiting.popleft()
        try:
            with get(url) as (response, body):
                if not _is_page(response) or not _is_below(response.url, base_url):
                    continue
                links = _links(response.url, b"".join(body))
            pages.add(urldefrag(response.url).url)
        except requests.RequestException as error:
            if url == root:
                raise
            _LOG.warning("Cannot follow the links of %s: %s", url, error)
            pages.add(url)
            continue
        for link in links:
            if _is_below(link, base_url) and link not in visited:
                visited.add(link)
                waiting.append(link)
    return pages


def _is_page(response: Response) -> bool:
    content_type = response.headers.get("Content-Type", _PAGE_TYPES[0])
    return content_type.partition(";")[0].strip().lower() in _PAGE_TYPES


def _links(url: str, body: bytes) -> list[str]:
    """The addresses that a page links to, whole and without fragments."""
    decoded = declared(body)
    tags = list(link_tags(decoded.text if decoded is not None else body.decode("utf-8", "replace")))
    root = next((attributes["href"] for tag, attributes, _ in tags if tag == "base" and "href" in attributes), None)
    base = based_on(url, root) if root is not None else url
    links = []
    for tag, attributes, _ in tags:
        if tag != "a" or "href" not in attributes:
            continue
        try:
            links.append(urldefrag(urljoin(base, attributes["href"].strip())).url)
        except ValueError:  # such as http://[
            continue
    return links
