"""A website as a source: the pages of its sitemap or, without one, those that its links lead to."""

from __future__ import annotations

import hashlib
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from urllib.parse import urljoin, urlsplit

from ragbase.domain.errors import EntryChanged, Unavailable, UnreadableFile, UnreadableSource
from ragbase.domain.limits import MAX_FILE_SIZE
from ragbase.ports import SourceEntry
from ragbase.sources.fetch import AddressRefused, Fetched, Fetcher, FetchFailed
from ragbase.sources.page_name import canonical_url, is_below, page_name
from ragbase.sources.robots import Robots, read_robots
from ragbase.sources.sitemap import Location, NotASitemap, read_sitemap

AGENT = "ragbase"
"""What a site knows us by, in its log and in its robots.txt."""

MAX_URLS = 50_000
MAX_URL_CHARACTERS = 10_000_000
"""Of all pages of a site together: what is remembered of them while they are listed."""
MAX_SITEMAPS = 1_000
MAX_SITEMAP = 50 * 1024 * 1024
"""Bytes, unpacked (sitemaps.org/protocol.html)."""
_SECONDS_BETWEEN = 0.1
"""Between two requests to a server of others, if its robots.txt asks for no more."""
_MOST_SECONDS_BETWEEN = 30.0
_FAILURES = 10
"""Pages that fail one after another: then the server is away, or has had enough."""
_OK, _NOT_MODIFIED = 200, 304
_GONE = (404, 410)
_MISSING = (401, 403, 404, 410)
_LATER = (429, 503)
_PAGE_TYPES = ("text/html", "application/xhtml+xml")
_ETAG, _MODIFIED, _HASH = "etag ", "modified ", "sha256 "
"""How a mark begins that is the page's ETag, its Last-Modified, or made of its bytes."""
_MAX_MARK = 500


@dataclass(frozen=True, slots=True)
class Remembered:
    """A page as an earlier sync brought it: its mark, and a function that reads its bytes."""

    mark: str
    read: Callable[[], bytes]


class SiteSource:
    """Implements the DocumentSource port with requests one after another.

    The mark of a page is its ETag or Last-Modified, so that a page that is remembered and unchanged costs one
    conditional request. The `lastmod` of a sitemap is no mark: many sites write the day, or the time of their build.
    """

    in_order = False

    def __init__(
        self,
        url: str,
        *,
        allowed_hosts: frozenset[str] = frozenset(),
        remembered: Callable[[str], Remembered | None] = lambda _name: None,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        """All pages at or below `url`. `remembered` finds a page by its name. A host of `allowed_hosts` is one's own:
        there is no pause between requests unless its robots.txt asks for one. Raises UnreadableSource for what is no
        address of a website."""
        root = canonical_url(url)
        if root is None:
            raise UnreadableSource(f"{url}: this is no address of a website such as https://example.com/docs/.")
        parts = urlsplit(root)
        self._site = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}/"
        self._start = root
        self._fetcher = Fetcher(AGENT, allowed_hosts=allowed_hosts)
        self._remembered = remembered
        self._wait = wait
        self._pause = 0.0 if parts.hostname in allowed_hosts else _SECONDS_BETWEEN
        self._failures = 0
        self._turn = Lock()

    @property
    def address(self) -> str:
        return self._site

    @property
    def root(self) -> str:
        parts = urlsplit(self._site)
        return parts.netloc + parts.path

    def entries(self, *, after: str = "") -> Iterator[SourceEntry]:
        """All pages, also with `after`: only a look at a page tells its name, as it may lead to another one."""
        robots = self._robots()
        self._pause = max(self._pause, min(robots.delay, _MOST_SECONDS_BETWEEN))
        pages = _Pages(self._site)
        named = self._from_sitemaps(robots, pages)
        if not named:
            pages.add(self._start)
        names: set[str] = set()
        while (url := pages.next()) is not None:
            if not robots.allows(url) or page_name(url, self._site) in names:
                continue
            seen = self._look_at(url, needs_links=not named)
            if seen is None:
                continue
            for link in seen.links:
                pages.add(link)
            name = page_name(seen.url, self._site)
            if name not in names and robots.allows(seen.url):
                names.add(name)
                yield SourceEntry(name=name, mark=seen.mark, url=seen.url)

    def read(self, entry: SourceEntry) -> Iterator[bytes]:
        """A page without ETag and Last-Modified may be another one than was listed: the next sync reads it again."""
        url = entry.url or self._site
        try:
            with self._get(url) as answer:
                if answer.status in _GONE:
                    raise EntryChanged(f"{url}: it was removed while it was read. Run the sync again.")
                if answer.status != _OK:
                    raise UnreadableFile(f"{url}: the website answers with status {answer.status}.")
                mark = _mark(answer)
                if mark and mark != entry.mark:
                    raise EntryChanged(f"{url}: it was changed while it was read. Run the sync again.")
                yield from answer.body
        except (FetchFailed, AddressRefused) as error:
            raise UnreadableFile(f"{url}: {error}") from error

    def close(self) -> None:
        self._fetcher.close()

    def _robots(self) -> Robots:
        try:
            return read_robots(self._site, self._fetcher, AGENT)
        except AddressRefused as error:
            raise UnreadableSource(f"{self._site}: {error}") from error

    def _from_sitemaps(self, robots: Robots, pages: _Pages) -> bool:
        """Whether a sitemap names any page. If it names none of this site, as in a copy of a site for tests, those with
        the same paths here are meant."""
        guess = urljoin(self._site, "sitemap.xml")
        known = dict.fromkeys([guess, *robots.sitemaps])
        waiting = deque(known)
        elsewhere = _Pages(self._site)
        while waiting:
            sitemap = waiting.popleft()
            for location in self._sitemap(sitemap, may_be_missing=sitemap == guess):
                url = canonical_url(location.url)
                if url is None:
                    continue
                here = urljoin(self._site, urlsplit(url)._replace(scheme="", netloc="").geturl())
                if location.is_sitemap:
                    if here not in known:
                        known[here] = None
                        waiting.append(here)
                    if len(known) > MAX_SITEMAPS:
                        raise UnreadableSource(f"{guess}: it has more than {MAX_SITEMAPS} sitemaps. Name a folder.")
                elif is_below(url, self._site):
                    pages.add(url)
                else:
                    elsewhere.add(here)
        if not pages.count:
            while (other := elsewhere.next()) is not None:
                pages.add(other)
        return pages.count > 0

    def _sitemap(self, url: str, *, may_be_missing: bool) -> Iterator[Location]:
        try:
            with self._get(url, max_bytes=MAX_SITEMAP) as answer:
                if answer.status == _OK:
                    yield from read_sitemap(answer.body)
                elif not may_be_missing or answer.status not in _MISSING:
                    raise Unavailable(f"{url}: the website answers with status {answer.status}. Sync again later.")
        except NotASitemap as error:
            if not may_be_missing:
                raise UnreadableSource(f"{url}: {error}") from error
        except AddressRefused as error:
            raise UnreadableSource(f"{url}: {error}") from error
        except FetchFailed as error:
            raise Unavailable(f"{error} Sync again later.") from error

    def _look_at(self, url: str, *, needs_links: bool) -> _Seen | None:
        """None for what is no page of this site. What cannot be read is an entry: to read it says why."""
        before = self._remembered(page_name(url, self._site))
        try:
            with self._get(url, headers=_conditions(before.mark) if before else {}) as answer:
                status = answer.status
                if status == _NOT_MODIFIED and before:
                    links = _links(before.read(), url) if needs_links else []
                    return _Seen(url, before.mark, links)
                if status == _OK:
                    return self._seen(answer, needs_links=needs_links)
        except (FetchFailed, AddressRefused) as error:
            status, reason = 0, str(error)
        else:
            reason = f"{url} answers with status {status}."
        if needs_links and url == self._start:
            raise Unavailable(f"{reason} Sync again later.")
        if status in _GONE:
            return None
        self._failures += 1
        if self._failures >= _FAILURES:
            raise Unavailable(f"{reason} So did the {_FAILURES - 1} pages before it. Sync again later.")
        return _Seen(url, f"unreadable {status}", [])

    def _seen(self, answer: Fetched, *, needs_links: bool) -> _Seen | None:
        self._failures = 0
        url = canonical_url(answer.url)
        content_type = answer.headers.get("Content-Type", _PAGE_TYPES[0]).partition(";")[0].strip().lower()
        if url is None or not is_below(url, self._site) or content_type not in _PAGE_TYPES:
            return None
        body = b"".join(answer.body)
        mark = _mark(answer) or _HASH + hashlib.sha256(body).hexdigest()
        return _Seen(url, mark, _links(body, answer.url) if needs_links else [])

    @contextmanager
    def _get(
        self, url: str, *, max_bytes: int = MAX_FILE_SIZE, headers: Mapping[str, str] | None = None
    ) -> Iterator[Fetched]:
        """One request at a time, and a pause before it. A server that asks for patience gets it, three times."""
        with self._turn:
            for left in (2, 1, 0):
                self._wait(self._pause)
                with self._fetcher.get(url, max_bytes=max_bytes, headers=headers) as answer:
                    if not left or answer.status not in _LATER:
                        yield answer
                        return
                    patience = answer.headers.get("Retry-After", "")
                self._wait(min(int(patience) if patience.isdecimal() else 1, _MOST_SECONDS_BETWEEN))


@dataclass(frozen=True, slots=True)
class _Seen:
    url: str
    mark: str
    links: list[str]


class _Pages:
    """The pages of a site that are still to be looked at, each once."""

    def __init__(self, site: str) -> None:
        self._site = site
        self._waiting: deque[str] = deque()
        self._known: set[str] = set()
        self._characters = 0

    @property
    def count(self) -> int:
        return len(self._known)

    def add(self, url: str) -> None:
        """Raises UnreadableSource if there are too many."""
        if url in self._known or not is_below(url, self._site):
            return
        self._known.add(url)
        self._characters += len(url)
        if len(self._known) > MAX_URLS or self._characters > MAX_URL_CHARACTERS:
            raise UnreadableSource(
                f"{self._site}: it has more than {MAX_URLS:,} pages, or very long addresses. Sync a folder of it."
            )
        self._waiting.append(url)

    def next(self) -> str | None:
        return self._waiting.popleft() if self._waiting else None


def _mark(answer: Fetched) -> str | None:
    """None for an answer without an ETag and a Last-Modified that can be sent back."""
    for kind, header in ((_ETAG, "ETag"), (_MODIFIED, "Last-Modified")):
        value = answer.headers.get(header, "")
        if value and len(value) <= _MAX_MARK and value.isascii() and value.isprintable():
            return kind + value
    return None


def _conditions(mark: str) -> dict[str, str]:
    if mark.startswith(_ETAG):
        return {"If-None-Match": mark.removeprefix(_ETAG)}
    return {"If-Modified-Since": mark.removeprefix(_MODIFIED)} if mark.startswith(_MODIFIED) else {}


def _links(body: bytes, url: str) -> list[str]:
    """The addresses that a page links to."""
    from selectolax.lexbor import LexborHTMLParser

    page = LexborHTMLParser(body)
    base = page.css_first("base[href]")
    root = urljoin(url, base.attributes.get("href") or "") if base else url
    found = (
        canonical_url(link.attributes.get("href") or "", root) for link in page.css("a[href]:not([rel~=nofollow])")
    )
    return [link for link in dict.fromkeys(found) if link]
