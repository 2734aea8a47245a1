"""Sitemaps (sitemaps.org/protocol.html): the pages that a site names, read in bounded memory."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from xml.parsers import expat

from ragbase.sources.gunzip import gunzip
from ragbase.sources.page_name import MAX_ADDRESS

_GZIP = b"\x1f\x8b"
_ROOTS = {"urlset": "url", "sitemapindex": "sitemap"}
"""What the items below a root are called."""
_FIELDS = ("loc", "lastmod")
_ITEM, _FIELD = 2, 3
"""How deep an item and its fields are."""


class NotASitemap(ValueError):
    """These bytes are something else, such as the page that a site shows for every address."""


@dataclass(frozen=True, slots=True)
class Location:
    """An address in a sitemap: of a page, or in an index of a sitemap. `modified` is as it is written there."""

    url: str
    modified: str | None = None
    is_sitemap: bool = False


def read_sitemap(chunks: Iterable[bytes]) -> Iterator[Location]:
    """The locations of a sitemap or of an index of sitemaps, compressed with gzip or not.

    Raises NotASitemap, after the locations in front of the fault: nothing is wrong with those.
    """
    reader = _Reader()
    for chunk in _unpacked(chunks):
        yield from reader.read(chunk)
    yield from reader.read(b"", last=True)


def _unpacked(chunks: Iterable[bytes]) -> Iterator[bytes]:
    rest = iter(chunks)
    first = next(rest, b"")
    whole = chain([first], rest)
    try:
        yield from gunzip(whole) if first.startswith(_GZIP) else whole
    except zlib.error as error:
        raise NotASitemap(f"The gzip file is damaged: {error}") from error


class _Reader:
    """Keeps one location at a time, and counts on its caller to bound the bytes. Refuses a DTD, and so any entities."""

    def __init__(self) -> None:
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._refuse_dtd
        self._path: list[str] = []
        self._item = dict.fromkeys(_FIELDS, "")
        self._found: list[Location] = []

    def read(self, chunk: bytes, *, last: bool = False) -> Iterator[Location]:
        self._found = []
        fault: NotASitemap | None = None
        try:
            self._parser.Parse(chunk, last)
        except expat.ExpatError as error:
            fault = NotASitemap(f"Not a sitemap: {error}")
        except NotASitemap as error:
            fault = error
        yield from self._found
        if fault:
            raise fault

    def _start(self, name: str, _attributes: dict[str, str]) -> None:
        tag = name.rpartition(" ")[2]  # without its namespace
        if not self._path and tag not in _ROOTS:
            raise NotASitemap(f"Not a sitemap: its root is <{tag[:40]}>.")
        self._path.append(tag)

    def _text(self, text: str) -> None:
        """The text of an extension, such as `<image:loc>`, is deeper."""
        if len(self._path) == _FIELD and self._path[-1] in _FIELDS and len(self._item[self._path[-1]]) <= MAX_ADDRESS:
            self._item[self._path[-1]] += text

    def _end(self, _name: str) -> None:
        if len(self._path) == _ITEM:
            url, modified = (self._item[field].strip() for field in _FIELDS)
            self._item = dict.fromkeys(_FIELDS, "")
            if url and len(url) <= MAX_ADDRESS and self._path[-1] == _ROOTS[self._path[0]]:
                self._found.append(Location(url, modified or None, is_sitemap=self._path[-1] == "sitemap"))
        self._path.pop()

    def _refuse_dtd(self, *_declared: object) -> None:
        raise NotASitemap("Not a sitemap: it has a DTD.")
