"""The text of the smaller parts of a Word document: notes, comments, headers and footers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ragbase.formats.office.parts import local, parse

HIDDEN = "hidden text"
POWER = re.compile(r"[-+\u2212]?(?:\d+|[a-zA-Z])")
"""Not the end of `1st`. Without its sign, ten to the sixth is one hundred and six."""
OFF = ("0", "false", "off")
NOT_SEEN = ("del", "moveFrom", "Fallback")
SEPARATORS = ("separator", "continuationSeparator", "continuationNotice")
"""Notes that are a line between the text and the notes."""


@dataclass(slots=True)
class Texts:
    """The paragraphs of each note by its id, those of a part without notes under an empty id, and the hidden texts.
    `empty` is the part without any note."""

    paragraphs: dict[str, list[str]] = field(default_factory=dict)
    hidden: list[str] = field(default_factory=list)
    empty: bytes = b""

    @property
    def all(self) -> list[str]:
        return [paragraph for paragraphs in self.paragraphs.values() for paragraph in paragraphs]


def is_on(said: dict[str, str]) -> bool:
    """Whether an element such as `<w:vanish/>` says yes."""
    return next((value for key, value in said.items() if local(key) == "val"), "1").lower() not in OFF


def last_of(pieces: list[str]) -> str:
    """The last letter of a text in pieces."""
    return next((piece[-1] for piece in reversed(pieces) if piece), "")


def texts_of(data: bytes, note: str | None, hidden_styles: frozenset[str]) -> Texts:  # noqa: PLR0915 - three handlers
    """The texts of a part whose notes are elements called `note`; None for a part that is all one text. Raises
    Damaged."""
    found = Texts()
    paragraph: list[str] = []
    run: list[str] = []
    id = "" if note is None else None
    author = ""
    is_hidden = in_text = is_high = False
    unseen = 0
    root = ""

    def start(tag: str, said: dict[str, str]) -> None:
        nonlocal id, author, is_hidden, in_text, is_high, unseen, root
        name = local(tag)
        if not root:
            spaces = {key: value for key, value in said.items() if key.startswith("xmlns")}
            root = tag
            declared = "".join(f' {key}="{value}"' for key, value in spaces.items() if '"' not in value)
            found.empty = f"<{tag}{declared}/>".encode()
        if name == note:
            values = {local(key): value for key, value in said.items()}
            id = None if values.get("type") in SEPARATORS else values.get("id", "")
            author = values.get("author", "").strip()
        elif name in NOT_SEEN:
            unseen += 1
        elif name == "r":
            is_hidden = is_high = False
        elif name == "rStyle":
            is_hidden |= any(value in hidden_styles for value in said.values())
        elif name == "vanish":
            is_hidden = is_on(said)
        elif name == "vertAlign":
            is_high = "superscript" in said.values()
        elif name == "t":
            in_text = not unseen
        elif name in ("tab", "br", "cr") and not unseen:
            run.append(" ")
        elif name == "noBreakHyphen":
            run.append("-")

    def end(tag: str) -> None:
        nonlocal id, in_text, is_hidden, is_high, unseen
        name = local(tag)
        if name == "t":
            in_text = False
        elif name in NOT_SEEN:
            unseen -= 1
        elif name == "r":
            text = "".join(run)
            run.clear()
            if is_hidden:
                found.hidden.append(text)
            else:
                is_power = is_high and POWER.fullmatch(text.strip()) and last_of(paragraph).isalnum()
                paragraph.append(f"^{text.strip()}" if is_power else text)
            is_hidden = is_high = False
        elif name == "p":
            text = " ".join("".join(paragraph).split())
            paragraph.clear()
            if text and id is not None:
                texts = found.paragraphs.setdefault(id, [])
                texts.append(f"Comment by {author}: {text}" if note == "comment" and author and not texts else text)
        elif name == note:
            id = None

    def text(piece: str) -> None:
        if in_text:
            run.append(piece)

    parse(data, start=start, end=end, text=text)
    return found
