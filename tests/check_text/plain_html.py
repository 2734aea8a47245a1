"""The words of a page: all text that html5lib finds in its body, hidden or not."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any
from xml.etree import ElementTree

NO_TEXT = frozenset(("script", "style", "template", "noscript", "iframe", "noembed", "noframes", "head", "object"))
IN_A_LINE = frozenset(
    (
        *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i"),
        *("ins", "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time"),
        *("tspan", "tt", "u", "var", "wbr", "math", "menclose", "mfenced", "mfrac", "mi", "mmultiscripts", "mn", "mo"),
        *("mover", "mpadded", "mroot", "mrow", "ms", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtext", "munder"),
        *("munderover", "semantics"),
    )
)
"""Elements inside of a line. All others end it."""

SAID = frozenset(
    (
        *("alt", "title", "href", "src", "aria-label", "placeholder", "value", "label", "summary", "datetime"),
        *("content", "cite", "class"),
    )
)
"""Attributes with words that a reader may give."""

FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n(.*?)^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
XHTML = re.compile(rb"\A(?:\xef\xbb\xbf)?\s*<\?xml|<html[^>]{0,500}http://www\.w3\.org/1999/xhtml")


def read_html(data: bytes) -> tuple[str, str]:
    """The text of the body; and what its attributes, its head, its front matter and the numbers of its lists say."""
    text = _decoded(data)
    front = FRONT_MATTER.match(text)
    if front:
        text = text[front.end() :]
    seen: list[str] = []
    also: list[str] = [front[1] if front else ""]
    page = _parsed(text, data)
    _collect(page, seen, also)
    also += map(str, range(1 + sum(1 for element in page.iter() if str(element.tag).endswith("li"))))
    return "".join(seen), " ".join(also)


def _decoded(data: bytes) -> str:
    from html5lib._inputstream import HTMLBinaryInputStream

    stream = HTMLBinaryInputStream(data, useChardet=False)
    encoding = stream.charEncoding[0].name
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode(encoding, "replace")


def _parsed(text: str, data: bytes) -> Any:
    import html5lib

    if XHTML.search(data[:2000]):
        with suppress(ElementTree.ParseError):
            return ElementTree.fromstring(data if "encoding" in text[:100] else text)
    return html5lib.parse(text, namespaceHTMLElements=False)


def _collect(root: Any, seen: list[str], also: list[str]) -> None:
    """Without recursion: pages may be deep."""
    todo: list[tuple[Any, str]] = [(root, "open")]
    while todo:
        element, what = todo.pop()
        if what == "tail":
            seen.append(element.tail or "")
            continue
        if what == "end":
            seen.append("\n\n")
            continue
        if not isinstance(element.tag, str):
            todo.append((element, "tail"))  # a comment
            continue
        tag = element.tag.rpartition("}")[2].lower()
        also += [value for name, value in element.attrib.items() if name.rpartition("}")[2] in SAID]
        todo.append((element, "tail"))
        if tag == "math" and not _has_annotation(element):
            seen.append("".join("".join(element.itertext()).split()))  # blanks between its elements are not shown
            continue
        if tag in NO_TEXT or (tag == "math" and _has_annotation(element)):
            also.append(" ".join(element.itertext()) if tag in ("head", "noscript", "math") else "")
            continue
        if tag not in IN_A_LINE:
            seen.append("\n\n")
            todo.append((element, "end"))
        seen.append(element.text or "")
        todo += [(child, "open") for child in reversed(list(element))]


def _has_annotation(formula: Any) -> bool:
    """Whether it stands there as TeX, too: a reader gives one of both."""
    return any(str(element.tag).endswith("annotation") for element in formula.iter())
