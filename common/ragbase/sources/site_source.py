"""A website as a source: the pages of its sitemap or, without one, those that its links lead to."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from urllib.parse import urljoin, urlsplit

from ragbase.domain.errors import EntryChanged, Unavailable, UnreadableFile, UnreadableSource
from ragbase.domain.left_out import LeftOutFile
from ragbase.domain.limits import MAX_FILE_SIZE
from ragbase.ports import SourceEntry
from ragbase.sources.fetch import AddressRefused, Fetcher, FetchFailed
from ragbase.sources.kept_pages import KeptPages
from ragbase.sources.page_look import GONE, PageLook, PageLooks, Remembered, mark_of, names_pdf
from ragbase.sources.page_name import canonical_url, is_below, page_name
from ragbase.sources.page_queue import PageQueue
from ragbase.sources.polite_fetcher import MOST_SECONDS_BETWEEN, PoliteFetcher
from ragbase.sources.robots import Robots, read_robots
from ragbase.sources.sitemap import Location, NotASitemap, read_sitemap

AGENT = "ragbase"
"""What a site knows us by, in its log and in its robots.txt."""

MAX_SITEMAPS = 1_000
MAX_SITEMAP = 50 * 1024 * 1024
"""Bytes, unpacked (sitemaps.org/protocol.html)."""
_SECONDS_BETWEEN = 0.1
"""Between two requests to a server of others, if its robots.txt asks for no more."""
_FAILURES = 10
"""Pages that fail one after another: then the server is away, or has had enough."""
_OK = 200
_MISSING = (401, 403, 404, 410)
_FORBIDDEN = LeftOutFile(
    one="page that robots.txt forbids",
    many="pages that robots.txt forbids",
    reason="The site does not want programs to read it. If it is yours, allow the user agent ragbase there.",
)
_COPY = LeftOutFile(
    one="copy of another page",
    many="copies of other pages",
    reason="It names another page of this site as the one to read (rel=canonical), which is there.",
)


class SiteSource:
    """Implements the DocumentSource port. A new or changed page is asked for once: its bytes are kept until they are
    read.

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
        connections: int = 1,
        pdf: bool = False,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        """All pages at or below `url`, and with `pdf` the PDFs there that pages link to. `remembered` finds a page by
        its name. A host of `allowed_hosts` is one's own: there is no pause between requests unless its robots.txt asks
        for one. Raises UnreadableSource for what is no address of a website."""
        root = canonical_url(url)
        if root is None:
            raise UnreadableSource(f"{url}: this is no address of a website such as https://example.com/docs/.")
        parts = urlsplit(root)
        self._site = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}/"
        self._start = root
        pause = 0.0 if parts.hostname in allowed_hosts else _SECONDS_BETWEEN
        fetcher = Fetcher(AGENT, allowed_hosts=allowed_hosts)
        self._polite = PoliteFetcher(fetcher, connections=connections, pause=pause, wait=wait)
        self._connections = connections
        self._pdf = pdf
        self._kept = KeptPages()
        self._looks = PageLooks(self._polite, self._kept, site=self._site, start=root, remembered=remembered, pdf=pdf)

    @property
    def address(self) -> str:
        return self._site

    @property
    def root(self) -> str:
        parts = urlsplit(self._site)
        return parts.netloc + parts.path

    def entries(self, *, after: str = "") -> Iterator[SourceEntry]:
        """All pages, also with `after`: only a look at a page tells its name, as it may lead to another one."""
        self._kept.clear()
        robots = self._robots()
        self._polite.pause = max(self._polite.pause, min(robots.delay, MOST_SECONDS_BETWEEN))
        queue = PageQueue(self._site)
        is_mapped = self._from_sitemaps(robots, queue)
        if not is_mapped:
            queue.add(self._start)
        names: set[str] = set()
        copies: list[PageLook] = []
        failures = 0
        for seen in self._look_at_all(queue, robots, names, needs_links=not is_mapped or self._pdf):
            failures = failures + 1 if seen.fault else 0
            if failures >= _FAILURES:
                raise Unavailable(f"{seen.fault} So did the {_FAILURES - 1} pages before it. Sync again later.")
            for link in seen.links:
                if not is_mapped or names_pdf(link):
                    queue.add(link)
            if seen.copy_of is not None:
                queue.add(seen.copy_of)
                copies.append(seen)
            elif seen.left_out is not None:
                yield self._left_out(seen.url, seen.left_out)
            elif seen.mark is not None:
                yield from self._entry(seen, robots, names)
        for copy in copies:
            if page_name(copy.copy_of or "", self._site) not in names:  # the page that it names is not there
                yield from self._entry(copy, robots, names)
            elif page_name(copy.url, self._site) not in names:
                yield self._left_out(copy.url, _COPY)

    def read(self, entry: SourceEntry) -> Iterator[bytes]:
        """A page without ETag and Last-Modified may be another one than was listed: the next sync reads it again."""
        kept = self._kept.take(entry.name, entry.mark)
        if kept is not None:
            yield from kept
            return
        url = entry.url or self._site
        try:
            with self._polite.get(url, max_bytes=MAX_FILE_SIZE) as answer:
                if answer.status in GONE:
                    raise EntryChanged(f"{url}: it was removed while it was read. Run the sync again.")
                if answer.status != _OK:
                    raise UnreadableFile(f"{url}: the website answers with status {answer.status}.")
                mark = mark_of(answer)
                if mark and mark != entry.mark:
                    raise EntryChanged(f"{url}: it was changed while it was read. Run the sync again.")
                yield from answer.body
        except (FetchFailed, AddressRefused) as error:
            raise UnreadableFile(f"{url}: {error}") from error

    def close(self) -> None:
        self._polite.fetcher.close()
        self._kept.close()

    def _look_at_all(
        self, queue: PageQueue, robots: Robots, names: set[str], *, needs_links: bool
    ) -> Iterator[PageLook]:
        """What was seen of each page, in the order of the queue, which may grow meanwhile. There are as many looks at a
        time as connections. A page whose name is known already is passed over."""
        with ThreadPoolExecutor(self._connections, thread_name_prefix="site") as threads:
            looks = deque[Future[PageLook]]()
            try:
                while True:
                    while len(looks) < self._connections and (url := queue.next()) is not None:
                        if not robots.allows(url):
                            yield PageLook(url, left_out=_FORBIDDEN)
                        elif page_name(url, self._site) not in names:
                            looks.append(threads.submit(self._looks.look_at, url, needs_links=needs_links))
                    if not looks:
                        return
                    yield looks.popleft().result()
            finally:
                threads.shutdown(wait=True, cancel_futures=True)

    def _entry(self, seen: PageLook, robots: Robots, names: set[str]) -> Iterator[SourceEntry]:
        name = page_name(seen.url, self._site)
        if seen.mark is not None and name not in names and robots.allows(seen.url):
            names.add(name)
            yield SourceEntry(name=name, mark=seen.mark, url=seen.url)

    def _left_out(self, url: str, why: LeftOutFile) -> SourceEntry:
        return SourceEntry(name=page_name(url, self._site), mark="", url=url, left_out=why)

    def _robots(self) -> Robots:
        try:
            return read_robots(self._site, self._polite.fetcher, AGENT)
        except AddressRefused as error:
            raise UnreadableSource(f"{self._site}: {error}") from error

    def _from_sitemaps(self, robots: Robots, pages: PageQueue) -> bool:
        """Whether a sitemap names any page. If it names none of this site, as in a copy of a site for tests, those with
        the same paths here are meant."""
        guess = urljoin(self._site, "sitemap.xml")
        known = dict.fromkeys([guess, *robots.sitemaps])
        waiting = deque(known)
        elsewhere = PageQueue(self._site)
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
            with self._polite.get(url, max_bytes=MAX_SITEMAP) as answer:
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
