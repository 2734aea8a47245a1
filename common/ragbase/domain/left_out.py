"""Text of a file that its reader left out on purpose."""

from __future__ import annotations

import re
from dataclasses import dataclass

WORD = re.compile(r"\w+")
SHOWN = 120
"""Characters of the text that a note shows."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """`what` names the text in a user's words, such as "hidden text" or "running lines on pages 2–8". `text` is all of
    it, as it would have been read. `shown` says whether a note may show its beginning: hidden text may be written to
    give a model instructions, so its words go nowhere.
    """

    what: str
    text: str
    shown: bool = True

    @property
    def note(self) -> str:
        """What the document's status says of it."""
        words = len(WORD.findall(self.text))
        count = f"{words} word{'' if words == 1 else 's'}"
        text = " ".join(self.text.split())
        beginning = f"{text[:SHOWN].rstrip()}…" if len(text) > SHOWN else text
        return f"Left out: {self.what}: “{beginning}” ({count})." if self.shown else f"Left out: {self.what} ({count})."
