"""What the styles of an OpenDocument file say of the text that has them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ragbase.formats.office.parts import attribute

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

TITLE = "Title"
MOST_PARENTS = 20


@dataclass(slots=True)
class OdfStyles:
    """The names of styles of hidden text, of high letters, of titles, of numbered lists and of hidden slides."""

    hidden: set[str] = field(default_factory=set)
    high: set[str] = field(default_factory=set)
    numbered: set[tuple[str, int]] = field(default_factory=set)
    hidden_slides: set[str] = field(default_factory=set)
    _parents: dict[str, str] = field(default_factory=dict)

    def add(self, root: Element) -> None:
        """Those of a part."""
        for style in root.iter("style"):
            name = attribute(style.attrib, "name") or ""
            self._parents[name] = attribute(style.attrib, "parent-style-name") or ""
            for properties in style:
                if attribute(properties.attrib, "display") == "none":
                    self.hidden.add(name)
                if (attribute(properties.attrib, "text-position") or "").startswith("super"):
                    self.high.add(name)
                if attribute(properties.attrib, "visibility") == "hidden":
                    self.hidden_slides.add(name)
        for style in root.iter("list-style"):
            for level in style.iter("list-level-style-number"):
                place = attribute(level.attrib, "level") or ""
                if place.isdigit() and attribute(level.attrib, "num-format"):
                    self.numbered.add((attribute(style.attrib, "name") or "", int(place)))

    def is_title(self, name: str) -> bool:
        """Whether the style is that of a document's title, or made from it."""
        return any(parent == TITLE for parent in self._line(name))

    def is_hidden(self, name: str) -> bool:
        return not self.hidden.isdisjoint(self._line(name))

    def _line(self, name: str) -> list[str]:
        line = [name]
        while len(line) < MOST_PARENTS and (parent := self._parents.get(line[-1])):
            line.append(parent)
        return line
