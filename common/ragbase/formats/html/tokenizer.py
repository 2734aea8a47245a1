"""The tags of a page in the order of its source: for pages that no parser may have, and to tell which those are.

It follows the states of the HTML Standard ("Tokenization"), and takes a time that grows with the length of the source.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator

ATTRIBUTES = r"""(?:[\s/]++|[^\s/>][^\s/>=]*+(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>"'][^\s>]*+)?+)?+)*+"""
"""A `>` in quotation marks ends no tag, and quotation marks are some only after `=`."""

NO_TAGS_IN = "script|style|textarea|title|xmp|iframe|noembed|noframes"
NAME = r"/?[a-zA-Z][^\s/>]*+"
TAG = rf"(?P<tag>{NAME}){ATTRIBUTES}(?:>|\Z)"
COMMENT = r"!--(?:-?>|[^-]*+(?:-(?!-!?>)[^-]*+)*+(?:--!?>|\Z))"
BOGUS_COMMENT = r"(?:[!?]|/[^a-zA-Z])[^>]*+(?:>|\Z)"
RAW = (
    rf"(?P<raw>(?i:{NO_TAGS_IN}))(?=[\s/>]){ATTRIBUTES}>"
    r"(?P<content>[^<]*+(?:<(?!/(?i:(?P=raw))[\s/>])[^<]*+)*+)"
    rf"(?:</(?i:(?P=raw)){ATTRIBUTES}(?:>|\Z))?+"
)
HTML_IN_DRAWING = ("foreignobject", "desc", "title", "annotation-xml")
ENDS_DRAWING = ("p", "div", "span", "table", "ul", "ol", "dl", "pre", "h1", "h2", "h3", "h4", "body", "br", "img")
"""HTML that ends a drawing in which it stands ("The rules for parsing tokens in foreign content")."""

DRAWINGS = ("svg", "math")
NOT_IN_ICON = "|".join((*DRAWINGS, *HTML_IN_DRAWING, *ENDS_DRAWING))
ICON = (
    rf"(?i:svg)(?=[\s>]){ATTRIBUTES}(?:(?<=/)>|>(?:[^<]++|<(?!/?(?i:{NOT_IN_ICON})[\s/>])"
    rf"(?:{NAME}{ATTRIBUTES}>|{COMMENT})){{0,500}}+</(?i:svg)\s*+>)"
)
"""A drawing without HTML in it, as one token."""

IN_HTML = re.compile(rf"<(?:{RAW}|{TAG}|{COMMENT}|{BOGUS_COMMENT})")
WITHOUT_ICONS = re.compile(rf"<(?:{RAW}|{ICON}|{TAG}|{COMMENT}|{BOGUS_COMMENT})")
IN_DRAWING = re.compile(rf"<(?:!\[CDATA\[|{TAG}|{COMMENT}|{BOGUS_COMMENT})|\]\]>")
"""In SVG and MathML a `title` or a `style` may have tags in it, and a tag that ends in `/>` is closed."""

DRAWING = re.compile(r"<(?:svg|math)[\s/>]", re.IGNORECASE)

MAX_DEPTH = 500
"""Levels of nesting. Parsers take a time that grows with the square of it, and the converter drops what is deeper than
1024 levels."""

MAX_OPEN_STYLES = 20
"""Unclosed elements such as <b>, which a parser repeats in every paragraph that follows."""

MAX_INDENTED = 50
"""Lists and quotations within each other. Each of their lines is written with a mark or blanks for each of them: a page
of 250 KB could become 60 MB."""

INDENTING = frozenset(("blockquote", "ul", "ol", "dl"))
INDENTED = re.compile(rf"<(?P<tag>/?(?:{'|'.join(sorted(INDENTING))}))(?=[\s>/])", re.IGNORECASE)

FEW_TAGS = 1000
"""Tags that open an element. So few take no long time, however they are nested."""

STYLES = frozenset(("b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"))
VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr")
)
STYLE = re.compile(rf"<(?:{'|'.join(sorted(STYLES))})[\s>/]", re.IGNORECASE)
LEAF = re.compile(r'<([a-zA-Z][a-zA-Z0-9-]*+)(?:\s++[a-zA-Z_:][\w:.-]*+(?:="[^"<>]*+")?+)*+\s*+>[^<]*+</\1\s*+>')
"""An element that has nothing but text in it: with attributes that are written without doubt, it is closed."""

NOT_NESTING = VOID | frozenset(
    ("a", "p", "li", "dt", "dd", "tr", "td", "th", "option", "thead", "tbody", "tfoot", "colgroup", "optgroup")
)
"""Elements that have no content, or that the next of their kind closes."""

INLINE = frozenset(
    ("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins",
    "kbd", "label", "mark", "nobr", "q", "rb", "rp", "rt", "rtc", "ruby", "s", "samp", "small", "span", "strike",
    "strong", "sub", "sup", "time", "tspan", "tt", "u", "var", "wbr")
)  # fmt: skip
"""Elements that do not end a word."""

NEVER_TEXT = frozenset(("style", "script"))
"""In drawings, they are elements as others."""

SHOWN_RAW = frozenset(("textarea", "xmp"))
HIDES = re.compile(
    r"\shidden(?=[\s/>=])(?!\s*=\s*[\"']?until-found)|display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE
)
BLANK_LINES = re.compile(r"\n\s*\n\s*")
LONG_NUMBER = re.compile(r"&#(?:[0-9]{20,}+|[xX][0-9a-fA-F]{20,}+);?")
"""Of no character. Python makes no integer of more than 4,300 digits."""

INLINE_TAG = re.compile(rf"</?(?:{'|'.join(sorted(INLINE))})(?=[\s>])[^>\"]*+(?:\"[^\"]*+\"[^>\"]*+)*+>")
WRITTEN_TAG = re.compile(r"<!--.*?-->|<[^>\"]*+(?:\"[^\"]*+\"[^>\"]*+)*+>", re.DOTALL)
"""A tag as a parser writes it."""


def is_nested_too_deep(source: str) -> bool:
    """Counts tags as the parser does, or more: an element is open until a tag with its name closes it."""
    if _opened(source) <= FEW_TAGS or _is_shallow(source):
        return False
    is_open: dict[str, int] = {}
    names: dict[str, str] = {}
    depth = styles = 0
    for token in tokens(source, WITHOUT_ICONS):
        tag = token["tag"]
        name = names.get(tag)
        if name is None:
            name = (tag or "").lower()
            names[tag] = name = "" if name.lstrip("/") in NOT_NESTING else name
        if not name:
            continue
        if name[0] != "/":
            step = 1
        else:
            name, step = name[1:], -1
            if not is_open.get(name):
                continue
        is_open[name] = is_open.get(name, 0) + step
        depth += step
        if name in STYLES:
            styles += step
        if depth > MAX_DEPTH or styles > MAX_OPEN_STYLES:
            return True
    return False


def is_indented_too_deep(source: str) -> bool:
    """Most pages are told without a look at their other tags. Scripts and comments may have such tags, too."""
    return _is_indented(INDENTED.finditer(source)) and _is_indented(tokens(source))


def _is_indented(tags: Iterable[re.Match[str]]) -> bool:
    depth = 0
    for tag in tags:
        name = (tag["tag"] or "").lower()
        if name in INDENTING:
            depth += 1
            if depth > MAX_INDENTED:
                return True
        elif name[1:] in INDENTING and depth:
            depth -= 1
    return False


def _opened(source: str) -> int:
    """At most so many tags open an element."""
    return source.count("<") - source.count("</")


def _is_shallow(source: str) -> bool:
    """Whether few elements are left without those that have nothing but text in them, and those that have these. It
    costs a tenth of a look at each tag."""
    for _ in range(3):
        source = LEAF.sub(" ", source)
        if _opened(source) <= FEW_TAGS and len(STYLE.findall(source)) <= MAX_OPEN_STYLES:
            return True
    return False


def tokens(source: str, in_html: re.Pattern[str] = IN_HTML) -> Iterator[re.Match[str]]:
    """Tags (group `tag`, with a `/` if it closes), comments, and elements that have no tags in them (`raw`, `content`).
    What is between them is text."""
    return _with_drawings(source, in_html) if DRAWING.search(source) else in_html.finditer(source)


def _with_drawings(source: str, in_html: re.Pattern[str]) -> Iterator[re.Match[str]]:
    position, within = 0, [""]  # none, then the drawings that are open, and the elements in them that have HTML again
    while True:
        in_drawing = within[-1] in DRAWINGS
        for token in (IN_DRAWING if in_drawing else in_html).finditer(source, position):
            yield token
            tag = (token["tag"] or "").lower()
            if tag in DRAWINGS or (in_drawing and tag in HTML_IN_DRAWING):
                if token[0].endswith("/>"):
                    continue
                within.append(tag)
            elif in_drawing and tag in ENDS_DRAWING:
                within = [""]
            elif tag[:1] == "/" and tag[1:] == within[-1]:
                within.pop()
            else:
                continue
            position = token.end()
            break
        else:
            return


def plain_text(source: str) -> tuple[str, str]:
    """The text of a page, and what an attribute of its own element hides, without a tree of its elements."""
    parts: list[str] = []
    hidden: list[str] = []
    leaving = ""  # the element that is left out, and where its text begins
    opened = began = position = 0
    for token in tokens(source):
        parts.append(source[position : token.start()])
        position = token.end()
        tag = (token["tag"] or "").lower()
        name = tag.lstrip("/")
        if token.re is IN_HTML and (token["raw"] or "").lower() in SHOWN_RAW:
            parts.append(token["content"])
        elif name not in INLINE:
            parts.append("\n")
        if leaving and name == leaving:
            opened += 1 if name == tag else -1
            if not opened:
                if name not in NEVER_TEXT:
                    hidden += parts[began:]
                del parts[began:]
                leaving = ""
        elif not leaving and name == tag and _leaves(name, token[0]):
            leaving, opened, began = name, 1, len(parts)
    parts.append(source[position:])
    return _written(parts), _written(hidden)


def _leaves(name: str, tag: str) -> bool:
    """Whether what the tag opens is left out."""
    if not name or name in NOT_NESTING or tag.endswith("/>"):
        return False
    return name in NEVER_TEXT or HIDES.search(tag) is not None


def text_of(written: str) -> str:
    """The text of HTML as a parser writes it."""
    return unescaped(WRITTEN_TAG.sub("\n", INLINE_TAG.sub("", written)))


def unescaped(text: str) -> str:
    """The text with the characters that its character references stand for."""
    return html.unescape(LONG_NUMBER.sub("\ufffd", text))


def _written(parts: list[str]) -> str:
    lines = unescaped("".join(parts)).replace("\0", "\ufffd")
    return BLANK_LINES.sub("\n\n", lines).strip()


VALUE = r"\s*+=\s*+(?:\"(?P<double>[^\"]*+)\"|'(?P<single>[^']*+)'|(?P<bare>[^\s>\"'][^\s>]*+)?+)"
ATTRIBUTE = re.compile(rf"[\s/]++|(?P<name>[^\s/>][^\s/>=]*+)(?:{VALUE})?+")
"""Or what stands before one. Were it part of the attribute, a tag of slashes alone would be gone through from each."""


def attributes_of(tag: str, start: int) -> dict[str, str]:
    """By their names in lower case, the first of each name. `start` is where the name of the tag ends."""
    found: dict[str, str] = {}
    for attribute in ATTRIBUTE.finditer(tag, start, len(tag) - tag.endswith(">")):
        if attribute["name"] is None:
            continue
        value = attribute["double"] or attribute["single"] or attribute["bare"] or ""
        found.setdefault(attribute["name"].lower(), unescaped(value))
    return found
