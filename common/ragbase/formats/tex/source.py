"""The text of a TeX file, and the groups in it."""

from __future__ import annotations

import re
from dataclasses import dataclass

BRACKET = re.compile(r"\\.|[{}\[\]]", re.DOTALL)
MAX_LOOK = 20_000
"""Characters in which the end of a group is looked for."""

SHORT_LOOK, MANY_OPEN = 200, 20
SHORTEST_LOOK, MOST_OPEN = 40, 2_000
"""How far it is looked for after so many groups without an end."""

MOST_BLANKS = 80
"""Characters between a command and its argument."""


@dataclass(slots=True)
class TexSource:
    """A text, and how many groups in it had no end so far."""

    text: str
    never_closed: int = 0

    @property
    def look(self) -> int:
        """How far an end is looked for."""
        if self.never_closed < MANY_OPEN:
            return MAX_LOOK
        return SHORT_LOOK if self.never_closed < MOST_OPEN else SHORTEST_LOOK

    def argument(self, position: int) -> tuple[str, int]:
        """The group that begins here, or nothing; and where to go on."""
        start = position
        while start < len(self.text) and self.text[start] in " \t\n" and start - position < MOST_BLANKS:
            start += 1
        if not self.text.startswith("{", start):
            return "", position
        stop = self._closing(start, "{", "}")
        return (self.text[start + 1 : stop], stop + 1) if stop >= 0 else ("", start + 1)

    def option(self, position: int) -> tuple[str, int]:
        """As `argument`, of what stands in square brackets."""
        if not self.text.startswith("[", position):
            return "", position
        stop = self._closing(position, "[", "]")
        return (self.text[position + 1 : stop], stop + 1) if stop >= 0 else ("", position)

    def after_option(self, position: int) -> int:
        return self.option(position)[1]

    def after_arguments(self, position: int, count: int) -> int:
        for _ in range(count):
            _, position = self.argument(self.after_option(position))
        return position

    def find(self, closing: str, position: int, end: int) -> int:
        """Where the next `closing` is, if it is near; else -1."""
        stop = self.text.find(closing, position, min(end, position + self.look))
        self.never_closed += stop < 0
        return stop

    def _closing(self, start: int, opening: str, closing: str) -> int:
        """Where the group that opens at `start` is closed; -1 if that is not near."""
        depth = 0
        for found in BRACKET.finditer(self.text, start, start + self.look):
            depth += (found[0] in (opening, "{")) - (found[0] in (closing, "}"))
            if depth <= 0:
                return found.start() if found[0] == closing else -1
        self.never_closed += 1
        return -1
