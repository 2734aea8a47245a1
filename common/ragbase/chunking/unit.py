"""How long a passage may be: counted in characters, or in tokens."""

from __future__ import annotations

from typing import Protocol


class Unit(Protocol):
    """Counts a text in one unit. `name` is for messages; `mark` tells the unit from others in a fingerprint."""

    name: str
    mark: str

    def reach(self, text: str, start: int, size: int) -> int:
        """The last position up to which the text from `start` has at most `size` units."""

    def reach_back(self, text: str, end: int, size: int) -> int:
        """The first position from which the text up to `end` has at most `size` units."""

    def fits(self, text: str, start: int, end: int, size: int) -> bool:
        """Whether the text from `start` to `end` has at most `size` units."""


class Characters:
    """Unicode code points, as the offsets of a passage count them."""

    name = "characters"
    mark = ""

    def reach(self, text: str, start: int, size: int) -> int:
        return min(start + size, len(text))

    def reach_back(self, text: str, end: int, size: int) -> int:
        return max(end - size, 0)

    def fits(self, text: str, start: int, end: int, size: int) -> bool:
        return end - start <= size


CHARACTERS = Characters()
