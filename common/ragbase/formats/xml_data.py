"""Data in XML as an outline of its elements, as JSON is."""

from __future__ import annotations

import html
from collections.abc import Mapping
from itertools import groupby
from typing import TYPE_CHECKING

from ragbase.formats.outlined import OutlinedText
from ragbase.formats.xml_document import MAX_DEPTH, NotRead, local, new_parser, parse

if TYPE_CHECKING:
    from ragbase.domain.extraction import Extraction
    from ragbase.formats.extraction_limits import ExtractionLimits
    from ragbase.formats.json_parts import Value


def read_data(text: str, limits: ExtractionLimits) -> Extraction:
    """Raises NotRead; PermanentError, as OutlinedText."""
    from dataclasses import replace

    from ragbase.domain.left_out import LeftOut

    tree = _Tree()
    parser = new_parser()
    parser.StartElementHandler = tree.start
    parser.EndElementHandler = tree.end
    parser.CharacterDataHandler = tree.characters
    parser.CommentHandler = tree.comments.append
    parser.SkippedEntityHandler = lambda name, is_parameter: tree.characters(html.unescape(f"&{name};"))
    parse(parser, text)
    out = OutlinedText(limits.max_text_characters)
    out.add(tuple(tree.members[0]))
    comments = "\n".join(filter(str.strip, tree.comments))
    return replace(out.extraction(), left_out=(LeftOut("comments", comments),) if comments else ())


class _Tree:
    """The elements that are open, each with what is in it: attributes, texts and elements, by their names."""

    def __init__(self) -> None:
        self.members: list[list[tuple[str, Value]]] = [[]]
        self.comments: list[str] = []
        self._texts: list[list[str]] = [[]]
        self._is_drawing = False  # its attributes and its elements without text are lines and colours

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if len(self.members) == 1 and local(tag) == "svg":
            self._is_drawing = True
        if self._is_drawing:
            attributes = {}
        if len(self.members) > MAX_DEPTH:
            raise NotRead(f"Nested more than {MAX_DEPTH} levels deep")
        self._end_text()
        self.members.append(
            [(local(name), value) for name, value in attributes.items() if not name.startswith(("xmlns", "xsi:"))]
        )
        self._texts.append([])

    def characters(self, text: str) -> None:
        self._texts[-1].append(text)

    def end(self, tag: str) -> None:
        text = "".join(self._texts.pop()).strip()
        members = self.members.pop()
        value: Value = tuple(_grouped(members)) + ((("text", text),) if text else ()) if members else text
        if value or not self._is_drawing:
            self.members[-1].append((local(tag), value))

    def _end_text(self) -> None:
        """A text with elements among it keeps its place."""
        text = "".join(self._texts[-1]).strip()
        self._texts[-1].clear()
        if text:
            self.members[-1].append(("text", text))


def _grouped(members: list[tuple[str, Value]]) -> list[tuple[str, Value]]:
    """Elements of one name after each other are a list."""
    grouped: list[tuple[str, Value]] = []
    for name, group in groupby(members, key=lambda member: member[0]):
        values = [value for _, value in group]
        grouped.append((name, values if len(values) > 1 else values[0]))
    return grouped
