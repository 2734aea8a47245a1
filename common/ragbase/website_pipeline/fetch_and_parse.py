"""A page's title, text and headings (docs/contracts/website-pipeline.md, section 2)."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from html import escape
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup, UnicodeDammit
from bs4.element import NavigableString, PageElement, Tag

from ragbase.formats.html.furniture import EDIT, WORD
from ragbase.formats.html.tokenizer import IN_HTML, MAX_DEPTH, is_nested_too_deep, plain_text, tokens
from ragbase.website_pipeline.get import get

_LOG = logging.getLogger(__name__)

MAIN = ("article", ".markdown", "main, [role=main]", "body")
"""Where the main content is: in the first of these that has text."""

NEVER_TEXT = (
    "script, style, template, noscript, svg, canvas, iframe, object, embed, input, select, button, dialog, nav, "
    "[role=navigation], [role=search], [role=dialog], [role=alertdialog], [aria-hidden=true], a.headerlink, a.anchor, "
    "[class*=language-] > span.lang, "
    "#onetrust-consent-sdk, #CybotCookiebotDialog, #usercentrics-root, .cc-window, .osano-cm-window, "
    "#cookie-law-info-bar, .qc-cmp2-container"
)
IN_PAGE_LINKS = 'a[href^="#"]'
EDIT_LINKS = 'a[href*="edit" i], a[href*="blob" i], a[title*="edit" i], a[class*="edit" i]'
AROUND = "header, footer, aside, [role=banner], [role=contentinfo], [role=complementary]"
"""What stands around the content where no element says which part of the body is the content."""

LINK, LINK_END = re.compile(r"<a[\s/>]", re.IGNORECASE), re.compile(r"</a[\s/>]", re.IGNORECASE)
MAX_PAGE = 8 * 1024 * 1024
"""Bytes. The tree of a page takes some 50 times as much memory."""

_OK = 200
_HEADINGS = ("h1", "h2")
_CELLS = ("td", "th")
_INLINE = frozenset(
    ("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "img",
    "ins", "kbd", "label", "mark", "math", "nobr", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike",
    "strong", "sub", "sup", "time", "tt", "u", "var", "wbr")
)  # fmt: skip
"""Elements that do not end a line (HTML Standard, "Phrasing content"). All others do."""


class ParsedText(str):
    """The text of a page. It knows where its headings begin: a heading's words may stand in the text as well."""

    __slots__ = ("heading_starts",)
    heading_starts: tuple[int, ...]


def fetch_and_parse(url: str) -> tuple[str, str, list[tuple[str, str]]]:
    """The title of the page, the text of its main content, and each H1 and H2 of that as (level, text).

    The text has a line for each block. It is a ParsedText, so that `chunk_text` cuts it where the headings stand.
    Raises requests.HTTPError for a status that is not 200, requests.Timeout after 30 s, and another
    requests.RequestException if there is no answer; and ValueError for a page that takes too long to read.
    """
    import requests
    from requests.utils import get_encoding_from_headers

    with get(url) as (response, body):
        if response.status_code != _OK:
            raise requests.HTTPError(f"{response.status_code} for url: {url}", response=response)
        declared = "charset" in response.headers.get("Content-Type", "").lower()
        encoding = get_encoding_from_headers(response.headers) if declared else None
        page = _parsed(url, b"".join(body), encoding)
    title = " ".join(page.title.get_text().split()) if page.title else ""
    for node in page.select("head, title"):
        node.decompose()
    text, headings = _read(page)
    return title or unquote(urlsplit(url).path) or "/", text, headings


def _parsed(url: str, body: bytes, encoding: str | None) -> BeautifulSoup:
    """Of a page that is nested very deep, only its title and the lines of its text: a tree takes a time that grows with
    the square of the depth. Raises ValueError for what is too long for a page."""
    if len(body) > MAX_PAGE:
        raise ValueError(f"{url} has more than {MAX_PAGE} bytes, which is no page to read. Divide it.")
    known = [encoding] if encoding else []
    source = UnicodeDammit(body, known_definite_encodings=known, is_html=True).unicode_markup or ""
    open_links = len(LINK.findall(source)) - len(LINK_END.findall(source))  # no other link ends them here
    if open_links > MAX_DEPTH or is_nested_too_deep(source):
        _LOG.warning("%s is nested more than %d levels deep: read without its headings.", url, MAX_DEPTH)
        source = _plain_page(source)
    end = source.rfind(">") + 1  # the parser looks for the end of each tag behind it, again and again
    return BeautifulSoup(source[:end] + source[end:].replace("<", "&lt;"), "html.parser")


def _plain_page(source: str) -> str:
    raw = (token for token in tokens(source) if token.re is IN_HTML and token["raw"])
    title = next((token["content"] for token in raw if token["raw"].lower() == "title"), "")
    return f"<title>{title}</title><body>{escape(plain_text(source)[0]).replace(chr(10), '<br>')}</body>"


def _read(page: BeautifulSoup) -> tuple[ParsedText, list[tuple[str, str]]]:
    for node in page.select(NEVER_TEXT):
        node.decompose()
    for node in page.select(IN_PAGE_LINKS):
        if not WORD.search(node.get_text()) and node.find("img") is None:
            node.decompose()
    for node in page.select(EDIT_LINKS):
        if EDIT.fullmatch(node.get_text()) or EDIT.fullmatch(str(node.get("title", ""))):
            node.decompose()
    main = _main_content(page)
    lines = _Lines()
    above = page.find("h1")
    if above is not None and not any(part is above or part.find("h1") for part in main):
        lines.note_heading(above)  # a theme may put the title of the page in front of its content
    for part in main:
        lines.read(part)
    return lines.text(), lines.headings


def _main_content(page: BeautifulSoup) -> Sequence[Tag]:
    """The first of the places for it that has text; of several articles all."""
    for selector in MAIN:
        found = page.select(selector)
        if selector == "body":
            for node in page.select(AROUND):
                node.decompose()
        outermost: list[Tag] = []
        inside: set[int] = set()
        for node in found:
            if id(node) not in inside:
                outermost.append(node)
                inside.update(id(part) for part in node.descendants)
        if any(node.get_text(strip=True) for node in outermost):
            return outermost
    return [page] if page.find("body") is None else []


class _Lines:
    """Takes elements and makes a line of each block, with the headings in them."""

    def __init__(self) -> None:
        self.headings: list[tuple[str, str]] = []
        self._starts: list[int] = []
        self._lines: list[str] = []
        self._line: list[str] = []
        self._length = 0

    def read(self, main: Tag) -> None:
        steps: list[PageElement | None] = [main]  # None is the end of a block; a stack, as pages may be nested deeply
        while steps:
            node = steps.pop()
            if isinstance(node, NavigableString):
                if type(node) is NavigableString:  # no comment
                    self._line.append(node)
            elif not isinstance(node, Tag):
                self._end_line()
            elif node.name in _HEADINGS:
                self._end_line()
                self._add(self.note_heading(node))
            elif node.name == "pre":
                self._end_line()
                for end in node.find_all("br"):
                    end.replace_with("\n")
                self._add(node.get_text().strip("\n"))
            elif node.name in _CELLS:
                steps += [*reversed(node.contents)]
                self._line.append(" ")
            elif node.name in _INLINE:
                steps += reversed(node.contents)
            else:
                self._end_line()
                steps += [None, *reversed(node.contents)]
        self._end_line()

    def note_heading(self, node: Tag) -> str:
        """The words of a heading that begins here. One without any is none."""
        words = " ".join(node.get_text().split())
        if words:
            self.headings.append((node.name, words))
            self._starts.append(self._length)
        return words

    def text(self) -> ParsedText:
        text = ParsedText("\n".join(self._lines))
        text.heading_starts = tuple(self._starts)
        return text

    def _end_line(self) -> None:
        self._add(" ".join("".join(self._line).split()))
        self._line.clear()

    def _add(self, line: str) -> None:
        if line.strip():
            self._lines.append(line)
            self._length += len(line) + 1
