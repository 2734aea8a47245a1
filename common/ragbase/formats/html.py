"""HTML → Markdown: the main content of a page, without what stands around it."""

from __future__ import annotations

import codecs
import html
import re
from functools import cache
from typing import TYPE_CHECKING

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.extraction import Extraction
from ragbase.domain.metadata import DocumentMetadata
from ragbase.formats.decode import Decoded, beginning
from ragbase.formats.reader import Reader
from ragbase.formats.text import check_text_file, decode_within

if TYPE_CHECKING:
    from html_to_markdown import ConversionOptions
    from selectolax.lexbor import LexborHTMLParser, LexborNode

    from ragbase.formats.extraction_limits import ExtractionLimits

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
WORD = re.compile(r"\w")
"""A link to a place in the page without a letter is the anchor of a heading: `¶`, `#`, nothing that is seen."""

TAG_LINKS = "a[rel~=tag]"
"""A tag of the article (HTML Standard, "Link type tag"). A footer with such links has nothing else to say."""

EDIT_LINKS = 'a[href*="edit" i], a[href*="blob" i], a[title*="edit" i], a[class*="edit" i]'
EDIT = re.compile(
    r"\W*(?:edit|improve|suggest (?:changes|edits)(?: to)?)"
    r"(?: (?:(?:this|the) )?(?:page|doc|document|file|article)(?: (?:on|in) \w+)?| on \w+)\W*",
    re.IGNORECASE,
)
"""The text or the title of a link to the source of the page."""

CONSENT = '[id*="cookie" i], [class*="cookie" i], [id*="consent" i], [class*="consent" i], [id*="gdpr" i]'
CONSENT_BANNER = re.compile(
    r"(?:cookie|consent|gdpr)s?[-_ ]?(?:\w*[-_])?"
    r"(?:banner|bar|notice|popup|pop-up|modal|overlay|dialog|message|alert|wrapper|container|manager|law|info|consent)"
    r"|(?:banner|notice|popup|modal|overlay|dialog|bar)[-_ ]?(?:\w*[-_])?(?:cookie|consent|gdpr)"
    r"|^(?:cookies?|(?:cookie)?consent|gdpr)$",
    re.IGNORECASE | re.MULTILINE,
)
AROUND = "header, footer, aside, [role=banner], [role=contentinfo], [role=complementary]"
"""What stands around the content where no element says which part of the body is the content."""

PAGE = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)(?=[\s>/])", re.IGNORECASE | re.DOTALL
)
TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
CHARSET = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)|<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w.:-]+)",
    re.IGNORECASE,
)
CHARSET_WITHIN = 1024
"""Bytes in which a page declares its encoding (HTML Standard, "Determining the character encoding")."""

WEB_NAMES = {
    "iso-8859-1": "cp1252",
    "latin1": "cp1252",
    "us-ascii": "cp1252",
    "iso-8859-9": "cp1254",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
}
"""Encodings that browsers read as a larger one (Encoding Standard, "Names and labels")."""

MAX_PAGE = 8 * 1024 * 1024
"""Characters. The parser and the converter take up to 70 times as many bytes of memory."""

MAX_DEPTH = 500
"""Levels of nesting. Parsers take a time that grows with the square of it, and the converter drops what is deeper than
1024 levels."""

MAX_OPEN_STYLES = 20
"""Unclosed elements such as <b>, which a parser repeats in every paragraph that follows."""

STYLES = frozenset(("b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"))
NOT_NESTING = frozenset(
    ("a", "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
    "p", "li", "dt", "dd", "tr", "td", "th", "option", "thead", "tbody", "tfoot", "colgroup", "optgroup")
)  # fmt: skip
"""Elements that have no content, or that the next of their kind closes."""

OPENED = re.compile(r"<(/?)([a-z][^\s/>]*+)[^>]*+>")
"""A tag in lower case. One that ends in `/>` is open, too (HTML Standard, "Tag open state")."""

DRAWING = re.compile(r"<svg\b.*?(?:</svg\s*>|\Z)", re.IGNORECASE | re.DOTALL)
"""Removed before anything else: its elements follow other rules, and have no sentences."""

RAW = re.compile(
    r"<(script|style|textarea|title|xmp|iframe|noframes)\b.*?(?:</\1\s*>|\Z)|<!--.*?(?:-->|\Z)",
    re.IGNORECASE | re.DOTALL,
)
"""What has no tags in it, whatever it looks like."""

BLANK_LINES = re.compile(r"\n\s*\n\s*")


def read_html_file(data: bytes, limits: ExtractionLimits) -> Extraction:
    """Raises PermanentError, as `decode_within`, and FILE_TOO_LARGE if the Markdown becomes too long."""
    decoded = _declared(data) or decode_within(data, limits)
    text, notes = decoded.text, decoded.notes
    if not TAG.search(text):
        return Extraction(text, notes=notes)
    text = DRAWING.sub("", text)
    if len(text) > MAX_PAGE or _is_nested_too_deep(text):
        why = (
            f"Over {MAX_PAGE} characters long" if len(text) > MAX_PAGE else f"Nested more than {MAX_DEPTH} levels deep"
        )
        note = f"{why}: read as plain text, without headings, tables and links."
        return Extraction(_plain(text), notes=(*notes, note))
    from selectolax.lexbor import LexborHTMLParser

    page = LexborHTMLParser(text)
    metadata = _metadata(page)
    markdown = _markdown(page)
    if len(markdown) > limits.max_text_characters:
        raise PermanentError(
            ErrorCode.FILE_TOO_LARGE,
            f"The page unpacks to more than {limits.max_text_characters} characters of text. "
            "Split it into smaller files.",
        )
    return Extraction(markdown, metadata=metadata, notes=notes)


def is_page(data: bytes) -> bool:
    """Whether it begins as a page does. Markdown may begin with other elements."""
    return PAGE.match(beginning(data, CHARSET_WITHIN)) is not None


def _declared(data: bytes) -> Decoded | None:
    """The text in the encoding that the page declares; None if it declares none, or none that it is in.

    UTF-8 and marks of UTF-16 are more certain than what is declared.
    """
    declared = CHARSET.search(data[:CHARSET_WITHIN])
    if declared is None or data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return None
    name = (declared[1] or declared[2]).decode().lower()
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        try:
            codec = codecs.lookup(WEB_NAMES.get(name, name))
            text = data.decode(codec.name) if codec._is_text_encoding else ""
        except (LookupError, UnicodeError):
            return None
        return Decoded(text) if text and "\0" not in text else None
    return None


def _markdown(page: LexborHTMLParser) -> str:
    from html_to_markdown import convert

    body = page.body
    if body is None:
        return ""
    from ragbase.formats.html_meaning import keep_meaning

    keep_meaning(page, body)
    for node in page.css(NEVER_TEXT):
        node.decompose()
    for node in _outermost([node for node in body.css("footer") if node.css_first(TAG_LINKS) is not None]):
        node.decompose()
    for node in body.css(CONSENT):
        names = f"{node.attributes.get('id') or ''}\n{node.attributes.get('class') or ''}"
        if node.tag not in ("body", "main", "article") and CONSENT_BANNER.search(names):
            node.decompose()
    for node in body.css(IN_PAGE_LINKS):
        if not WORD.search(node.text()) and node.css_first("img") is None:
            node.decompose()
    for node in body.css(EDIT_LINKS):
        if EDIT.fullmatch(node.text()) or EDIT.fullmatch(node.attributes.get("title") or ""):
            node.decompose()
    content = _main(page, body)
    return (convert(content, _options()).content or "").replace("\0", "\ufffd").strip("\n")


def _main(page: LexborHTMLParser, body: LexborNode) -> str:
    """The HTML of the main content. Of several articles, or of several of another kind, it is all of them."""
    for selector in MAIN:
        found = _outermost(page.css(selector))
        if selector == "body":
            for node in body.css(AROUND):
                node.decompose()
        if any(node.text(deep=True).strip() for node in found):
            above = _above_articles(page, found) if selector == "article" else []
            return "\n".join(node.html or "" for node in (*above, *found))
    return ""


def _above_articles(page: LexborHTMLParser, articles: list[LexborNode]) -> list[LexborNode]:
    """The heading that stands above a list of articles, with what it has to say, as on the page of a category."""
    headings = page.css("main h1")
    if len(headings) != 1 or any(node.css_first("h1") is not None for node in articles):
        return []
    header = headings[0].parent
    return [header if header is not None and header.tag == "header" else headings[0]]


def _outermost(nodes: list[LexborNode]) -> list[LexborNode]:
    """Those that are not inside another of them."""
    known = {node.mem_id for node in nodes}
    from ragbase.formats.html_meaning import parents

    return [node for node in nodes if not any(parent.mem_id in known for parent in parents(node))]


@cache
def _options() -> ConversionOptions:
    from html_to_markdown import ConversionOptions

    return ConversionOptions(
        bullets="-",
        compact_tables=True,
        expand_abbreviations=False,
        extract_metadata=False,
        hidden_content="reachable",
        highlight_style="none",
        inline_data_media="alt_text_only",
    )


def _metadata(page: LexborHTMLParser) -> DocumentMetadata:
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


def _is_nested_too_deep(text: str) -> bool:
    """Counts tags as the parser does, or more: an element is open until a tag with its name closes it."""
    is_open: dict[str, int] = {}
    depth = styles = 0
    tags = RAW.sub("", text[: text.rfind(">") + 1].lower())
    for closing, tag in OPENED.findall(tags):
        if tag in NOT_NESTING:
            continue
        count = is_open.get(tag, 0)
        if closing:
            if not count:
                continue
            step = -1
        else:
            step = 1
        is_open[tag] = count + step
        depth += step
        if tag in STYLES:
            styles += step
        if depth > MAX_DEPTH or styles > MAX_OPEN_STYLES:
            return True
    return False


def _plain(text: str) -> str:
    lines = html.unescape(TAG.sub("\n", RAW.sub("\n", text))).replace("\0", "\ufffd")
    return BLANK_LINES.sub("\n\n", lines).strip()


READER = Reader(
    version="html-v3",
    check=check_text_file,
    read=read_html_file,
    proves=is_page,
)
