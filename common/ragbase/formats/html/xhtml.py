"""XHTML → HTML: a page that is well-formed XML is read by the rules of XML, in which `<title/>` is closed and CDATA is
text."""

from __future__ import annotations

import re
from html import escape
from html.entities import html5

from ragbase.formats.html.tokenizer import VOID

WITHIN = 4096
"""Characters in which a page says that it is XHTML."""

DECLARATION = re.compile(r"\s*<\?xml\s[^>]*\?>")
ROOT = re.compile(r"<html\s[^>]*xmlns\s*=\s*[\"']http://www\.w3\.org/1999/xhtml[\"']")
MAX_ENTITY = 200
"""Characters that an entity of the page's own may stand for."""

DIFFERS = re.compile(rf"<!\[CDATA\[|<(?!/|(?:{'|'.join(sorted(VOID))})[\s/>])[^<]*/>")
"""What HTML would read as something else. Of other pages both give the same text."""

NO_ENTITIES_IN = frozenset(("script", "style", "xmp", "iframe", "noembed", "noframes", "plaintext"))
"""HTML has no entities in these."""


def xhtml_as_html(source: str) -> str:
    """The same page as HTML has to be written. The source as it is, if it is no XHTML, or not well-formed."""
    if not ROOT.search(source, 0, WITHIN) or not DIFFERS.search(source):
        return source
    from xml.parsers import expat

    writer = _Writer()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.ordered_attributes = True
    parser.UseForeignDTD(True)  # entities that are not declared here may be those of HTML
    parser.StartElementHandler = writer.start
    parser.EndElementHandler = writer.end
    parser.CharacterDataHandler = writer.text
    parser.SkippedEntityHandler = writer.entity
    parser.EntityDeclHandler = _check_entity
    try:
        parser.Parse(DECLARATION.sub("", source, count=1), True)  # what it says of the encoding is done
    except (expat.ExpatError, _UnsafeEntity):
        return source
    return "".join(writer.parts)


class _UnsafeEntity(Exception):
    """An entity may stand for a gigabyte, if others are in it."""


def _check_entity(_name: str, _is_parameter: bool, value: str | None, *_: str | None) -> None:
    """Files and addresses that entities name are not read: the parser skips them."""
    if value is not None and (len(value) > MAX_ENTITY or "&" in value or "%" in value):
        raise _UnsafeEntity


class _Writer:
    def __init__(self) -> None:
        self.parts: list[str] = ["<!doctype html>"]
        self._raw = 0

    def start(self, name: str, attributes: list[str]) -> None:
        name = name.rpartition(":")[2] if name.startswith(("html:", "xhtml:", "h:")) else name
        pairs = zip(attributes[::2], attributes[1::2], strict=True)
        written = "".join(f' {key}="{escape(value)}"' for key, value in pairs)
        self.parts.append(f"<{name}{written}>")
        self._raw += name in NO_ENTITIES_IN

    def end(self, name: str) -> None:
        if name not in VOID:
            self.parts.append(f"</{name}>")
        self._raw -= name in NO_ENTITIES_IN

    def text(self, text: str) -> None:
        if not self._raw:
            self.parts.append(escape(text, quote=False))

    def entity(self, name: str, _is_parameter: bool) -> None:
        self.parts.append(escape(html5.get(f"{name};", f"&{name};"), quote=False))
