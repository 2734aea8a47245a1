"""What is there and is left out on purpose, always with a note: texts of a file, and files of a folder or of another
source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

WORD = re.compile(r"\w+")
_MARK = "Left out: "
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
        lines = dict.fromkeys(" ".join(line.split()) for line in self.text.splitlines())  # each once
        text = " ".join(filter(None, lines))
        beginning = f"{text[:SHOWN].rstrip()}…" if len(text) > SHOWN else text
        shown = f": “{beginning}”" if self.shown else ""
        return f"{_MARK}{self.what}{shown} ({count})."


def left_out_notes(notes: Iterable[str]) -> Sequence[str]:
    """Those of a document's notes that say which text was left out."""
    return [note for note in notes if note.startswith(_MARK)]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutFile:
    """Why a file of a folder or of another source becomes no document.

    `one` and `many` name its kind as people do ("picture", "pictures"), `reason` says the rule and the remedy. Files of
    the same kind and reason are counted together; `ending` is that of this one's name if it tells more than the kind,
    or the whole name of a link. `files` counts the files that it stands for: a hidden folder is one of these, with all
    that is in it.
    """

    one: str
    many: str
    reason: str
    ending: str = ""
    files: int = 1


OTHER_FORM = LeftOutFile(
    one="file whose name another one has",
    many="files whose names others have",
    reason="It differs from another name only in how Unicode writes its accents, so that both are one document. Rename "
    "or remove it.",
)
