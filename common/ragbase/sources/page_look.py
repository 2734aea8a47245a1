"""One look at a page of a website: its mark and its links, or why it is left out.

A mark is what a server says of a page, so that the next request can name it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from threading import Lock
from urllib.parse import urlsplit

from ragbase.domain.errors import Unavailable
from ragbase.domain.left_out import LeftOutFile
from ragbase.domain.limits import MAX_FILE_SIZE
from ragbase.sources.fetch import AddressRefused, Fetched, FetchFailed
from ragbase.sources.kept_pages import KeptPages
from ragbase.sources.page_links import PageLinks
from ragbase.sources.page_name import canonical_url, is_below, page_name
from ragbase.sources.polite_fetcher import PoliteFetcher

GONE = (404, 410)
_OK, _NOT_MODIFIED = 200, 304
_PAGE_TYPES = ("text/html", "application/xhtml+xml")
_PDF_TYPE = "application/pdf"
_SMALL = 4 * 1024 * 1024
"""Bytes of a page. Of larger ones, only one at a time is in memory, however many connections there are."""
_ETAG, _MODIFIED, _HASH = "etag ", "modified ", "sha256 "
"""How a mark begins that is the page's ETag, its Last-Modified, or made of its bytes."""
_MAX_MARK = 500
_ELSEWHERE = LeftOutFile(
    one="page that leads out of the site",
    many="pages that lead out of the site",
    reason="Its address leads to one that is not below that of the source: sync that one, too.",
)
_PDF = LeftOutFile(
    one="PDF",
    many="PDFs",
    reason="The setting site_pdf is off. RAGBASE_SITE_PDF=true takes the PDFs that pages link to.",
)


@dataclass(frozen=True, slots=True)
class Remembered:
    """A page as an earlier sync brought it: its mark, and a function that reads its bytes."""

    mark: str
    read: Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class PageLook:
    """What one look at a page has shown. `mark` is None for what is no page of this site, and `left_out` says why;
    `fault` says why a page could not be read."""

    url: str
    mark: str | None = None
    links: Iterable[str] = ()
    copy_of: str | None = None
    fault: str = ""
    left_out: LeftOutFile | None = None


class PageLooks:
    """Looks at the pages of one site, for several threads at once. The bytes of what is new or has changed go to
    `kept`."""

    def __init__(
        self,
        polite: PoliteFetcher,
        kept: KeptPages,
        *,
        site: str,
        start: str,
        remembered: Callable[[str], Remembered | None],
        pdf: bool,
    ) -> None:
        self._polite = polite
        self._kept = kept
        self._site = site
        self._start = start
        self._remembered = remembered
        self._pdf = pdf
        self._large = Lock()

    def look_at(self, url: str, *, needs_links: bool) -> PageLook:
        """What cannot be read has a mark, too: to read it says why."""
        before = self._remembered(page_name(url, self._site))
        headers = _conditions(before.mark) if before else {}
        try:
            with self._polite.get(url, max_bytes=MAX_FILE_SIZE, headers=headers) as answer:
                status = answer.status
                if status == _NOT_MODIFIED and before:
                    has_links = needs_links and not names_pdf(url)
                    return PageLook(url, before.mark, PageLinks(before.read(), url).all() if has_links else ())
                if status == _OK:
                    return self._shown(url, answer, before, needs_links=needs_links)
        except (FetchFailed, AddressRefused) as error:
            status, fault = 0, str(error)
        else:
            fault = f"{url} answers with status {status}."
        if needs_links and url == self._start:
            raise Unavailable(f"{fault} Sync again later.")
        if status in GONE:
            return PageLook(url)
        return PageLook(url, f"unreadable {status}", fault=fault)

    def _shown(self, asked: str, answer: Fetched, before: Remembered | None, *, needs_links: bool) -> PageLook:
        url = canonical_url(answer.url)
        content_type = answer.headers.get("Content-Type", _PAGE_TYPES[0]).partition(";")[0].strip().lower()
        is_pdf = content_type == _PDF_TYPE
        if url is None or not is_below(url, self._site):
            return PageLook(asked, left_out=_ELSEWHERE)
        if is_pdf and not self._pdf:
            return PageLook(url, left_out=_PDF)
        if not is_pdf and content_type not in _PAGE_TYPES:
            return PageLook(url, left_out=_of_another_type(content_type))
        with ExitStack() as held:
            body = self._body(answer, held)
            mark = mark_of(answer) or _mark_of_bytes(body)
            if before is None or before.mark != mark:
                self._kept.keep(page_name(url, self._site), mark, body)
            if is_pdf:
                return PageLook(url, mark)
            links = PageLinks(body, answer.url)
            return PageLook(
                url, mark, links.all() if needs_links else (), copy_of=self._original(url, links.canonical())
            )

    def _body(self, answer: Fetched, held: ExitStack) -> bytes:
        body = bytearray()
        for piece in answer.body:
            if len(body) <= _SMALL < len(body) + len(piece):
                held.enter_context(self._large)
            body += piece
        return bytes(body)

    def _original(self, url: str, canonical: str | None) -> str | None:
        """The other page of this site that a page is a copy of. It is never the first page of the site: sites name that
        for all of their pages, by mistake."""
        if canonical is None or not is_below(canonical, self._site):
            return None
        name, first = page_name(canonical, self._site), page_name(self._site, self._site)
        return canonical if name not in (first, page_name(url, self._site)) else None


def names_pdf(url: str) -> bool:
    return urlsplit(url).path.lower().endswith(".pdf")


def mark_of(answer: Fetched) -> str | None:
    """None for an answer without an ETag and a Last-Modified that can be sent back."""
    for kind, header in ((_ETAG, "ETag"), (_MODIFIED, "Last-Modified")):
        value = answer.headers.get(header, "")
        if value and len(value) <= _MAX_MARK and value.isascii() and value.isprintable():
            return kind + value
    return None


def _mark_of_bytes(body: bytes) -> str:
    return _HASH + hashlib.sha256(body).hexdigest()


def _conditions(mark: str) -> dict[str, str]:
    """The headers with which a request gets the page only if it has changed since."""
    if mark.startswith(_ETAG):
        return {"If-None-Match": mark.removeprefix(_ETAG)}
    return {"If-Modified-Since": mark.removeprefix(_MODIFIED)} if mark.startswith(_MODIFIED) else {}


def _of_another_type(content_type: str) -> LeftOutFile:
    return LeftOutFile(
        one="file that is no page",
        many="files that are no pages",
        reason="A sync of a website takes its HTML pages: download such a file, and ingest it.",
        ending=content_type,
    )
