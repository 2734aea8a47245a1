"""The parts of a document that is a ZIP archive of XML, read within limits and without expanding entities.

What it raises is for the process that reads one document: `TooLarge` for what unpacks to too much, `Damaged` for the
rest.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pyexpat import ExpatError, ParserCreate, XMLParserType
from typing import TYPE_CHECKING, Any

from ragbase.formats.unreadable import Damaged, TooLarge

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

PIECE = 256 * 1024
"""Bytes that are unpacked at once."""

SMALL = 16 * 1024 * 1024
"""Bytes of a part that is read whole: a list of names or of styles, comments, a text box."""

RELATION = ("id", "embed", "dm")
"""How attributes are called that name a relation."""

BROKEN = (zipfile.BadZipFile, zlib.error, OSError, ValueError, RuntimeError, NotImplementedError, EOFError, KeyError)
"""What a damaged archive raises."""


class Parts:
    """The parts of an archive, by their names. Together they may unpack to `limit` bytes."""

    def __init__(self, data: bytes, limit: int) -> None:
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
            self._names = {name.lstrip("/").lower(): name for name in self._archive.namelist()}
        except BROKEN as error:
            raise Damaged from error
        self._left = limit
        self._counted: set[str] = set()

    def check(self) -> None:
        """Raises TooLarge if the archive says itself that it unpacks to more than the limit."""
        if sum(entry.file_size for entry in self._archive.infolist()) > self._left:
            raise TooLarge

    def __contains__(self, name: str) -> bool:
        return name.lower() in self._names

    @property
    def names(self) -> list[str]:
        """As the archive has them."""
        return list(self._names.values())

    def pieces(self, name: str) -> Iterator[bytes]:
        is_first = name not in self._counted
        self._counted.add(name)
        try:
            with self._archive.open(self._names[name.lower()]) as part:
                while piece := part.read(PIECE):
                    self._left -= len(piece) * is_first
                    if self._left < 0:
                        raise TooLarge
                    yield piece
        except BROKEN as error:
            raise Damaged from error

    def read(self, name: str, limit: int = SMALL) -> bytes:
        """The whole part; nothing for one that is not there. Raises TooLarge for one of more than `limit` bytes."""
        if name not in self:
            return b""
        read = bytearray()
        for piece in self.pieces(name):
            read += piece
            if len(read) > limit:
                raise TooLarge
        return bytes(read)

    def related(self, name: str, *, outside: bool = False) -> dict[str, tuple[str, str]]:
        """What a part names as its relations: the kind and the name of each part, by its id; or the addresses outside
        of the document."""
        folder, file = posixpath.split(name)
        found: dict[str, tuple[str, str]] = {}

        def start(tag: str, said: dict[str, str]) -> None:
            if local(tag) == "Relationship" and (said.get("TargetMode") == "External") is outside:
                target = said.get("Target", "")
                if not outside:
                    target = posixpath.normpath(posixpath.join("/", folder, target)).lstrip("/")
                found[said.get("Id", "")] = (said.get("Type", "").rpartition("/")[2], target)

        parse(self.read(posixpath.join(folder, "_rels", f"{file}.rels")), start=start)
        return found

    def related_of(self, name: str, kind: str) -> list[str]:
        """The names of the parts of one kind that a part names."""
        return [target for found, target in self.related(name).values() if found.lower() == kind.lower()]


def local(name: str) -> str:
    """Without the prefix, which every program may choose for itself."""
    return name.rpartition(":")[2]


def attribute(said: dict[str, str], name: str) -> str | None:
    """The value of an attribute, with whatever prefix; None if it is not there."""
    if name in said:
        return said[name]
    return next((value for key, value in said.items() if local(key) == name), None)


def _entity(text: Callable[[str], Any] | None) -> Callable[[str, bool], None]:
    """Says a letter that a document names as HTML does, such as `&nbsp;`: which letter, stands in a file elsewhere."""

    def skipped(name: str, is_parameter: bool) -> None:
        from html.entities import html5

        if text is not None and not is_parameter:
            text(html5.get(f"{name};", ""))

    return skipped


def parser(
    start: Callable[[str, dict[str, str]], Any] | None = None,
    end: Callable[[str], Any] | None = None,
    text: Callable[[str], Any] | None = None,
) -> XMLParserType:
    """A parser of XML that refuses entities of the document's own: they can be nested into billions of letters."""
    new = ParserCreate()
    new.buffer_text = True
    new.StartElementHandler = start
    new.EndElementHandler = end
    new.CharacterDataHandler = text
    new.EntityDeclHandler = _refuse
    new.SkippedEntityHandler = _entity(text)
    return new


def _refuse(*_: object) -> None:
    raise Damaged("the XML declares entities")


def feed(to: XMLParserType, piece: bytes, *, is_last: bool = False) -> None:
    """Raises Damaged for what is no XML."""
    try:
        to.Parse(piece, is_last)
    except (ExpatError, LookupError, ValueError) as error:  # the last two for encodings that the parser does not know
        raise Damaged from error


def parse(data: bytes, **handlers: Callable[..., Any]) -> None:
    """Parse a whole part; an empty one says nothing."""
    if data:
        feed(parser(**handlers), data, is_last=True)


def tree(data: bytes) -> Element:
    """The elements of a part, without prefixes in their names, and without second forms of the same content."""
    from xml.etree.ElementTree import Element, TreeBuilder  # which a document that is read piece by piece needs not

    builder = TreeBuilder()
    second = 0

    def start(tag: str, said: dict[str, str]) -> None:
        nonlocal second
        name = local(tag)
        second += name == "Fallback"
        if not second:
            builder.start(name, said)

    def end(tag: str) -> None:
        nonlocal second
        name = local(tag)
        if not second:
            builder.end(name)
        second -= name == "Fallback"

    def text(piece: str) -> None:
        if not second:
            builder.data(piece)

    parse(data, start=start, end=end, text=text)
    return builder.close() if data else Element("nothing")


def reference(element: Element) -> str:
    """The id of the relation that an element names: of its attributes called `id`, the one with a prefix."""
    return next((value for key, value in element.attrib.items() if ":" in key and local(key) in RELATION), "")
