"""Rich Text: paragraphs, headings, lists and tables, with notes and comments below their paragraph."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, replace
from typing import Any

from ragbase.domain.left_out import LeftOut
from ragbase.formats.office.markdown import paragraph_of, table_of
from ragbase.formats.office.rtf_names import CODEPAGES, ENDS, LABELS, RUNNING, SEEN, SIGNS, SYMBOLS, UNSEEN
from ragbase.formats.office.word_text import HIDDEN, POWER
from ragbase.formats.unreadable import Damaged, TooLarge

TOKEN = re.compile(
    rb"([^\\{}\r\n]+)|\\'([0-9a-fA-F]{2})|\\([a-zA-Z]{1,32})(-?[0-9]{1,10})? ?|\\([^a-zA-Z])|([{}])|[\r\n]+|\\?\Z|\\",
    re.DOTALL,
)
BEGINNING = b"{\\rtf"
DEEPEST = 1_000
"""Groups within each other. People's documents have some twenty."""
DELETED = "text that tracked changes delete"
RUNNING_LINES = "headers and footers of the pages"
HEADING = re.compile(r"heading ([1-9])\b", re.IGNORECASE)
NUMBERED = re.compile(r"\W*(?:\d+|[a-zA-Z]|[ivxIVX]+)[.)]\W*")
SURROGATES = re.compile("[\ud800-\udfff]+")
DEFAULT = "cp1252"
KINDS = {
    b"fonttbl": "fonts", b"stylesheet": "style", b"info": "info", b"title": "title", b"footnote": "note",
    b"annotation": "comment", b"atnauthor": "author", b"upr": "upr", b"ud": "text", b"shptxt": "text",
}  # fmt: skip
"""What the groups are for that begin with these words. A kind that nobody asks for is no text of the document."""


@dataclass(slots=True)
class _Look:
    """What holds until the group ends. `kind` is the sort of text that the group has; None for none."""

    kind: str | None = "text"
    hidden: bool = False
    deleted: bool = False
    align: bytes = b""
    codepage: str = DEFAULT
    letters_of_unicode: int = 1
    """How many letters behind one in Unicode are for readers that know no Unicode."""


def read_rtf(data: bytes) -> dict[str, Any]:
    """Raises Damaged and TooLarge."""
    if not data.startswith(BEGINNING):
        raise Damaged("it does not begin as Rich Text does")
    reading = _Reading()
    reading.read(data)
    left_out = [LeftOut(what, "\n".join(said), shown=what != HIDDEN) for what, said in reading.left_out.items()]
    return {
        "title": " ".join(reading.title.split()) or None,
        "pages": ["\n\n".join(block for block in reading.blocks if block)],
        "entries": [],
        "notes": [],
        "left_out": [(one.what, one.text, one.shown) for one in left_out if one.text.strip()],
    }


class _Reading:
    def __init__(self) -> None:
        self.blocks: list[str] = []
        self.left_out: dict[str, list[str]] = {}
        self.title = ""
        self._look = _Look()
        self._groups: list[_Look] = []
        self._default = DEFAULT
        self._fonts: dict[int, str] = {}
        self._font = 0
        self._levels: dict[int, int] = {}
        self._style = 0
        self._texts: dict[str, list[str]] = {}
        self._bytes = bytearray()
        self._skip = 0
        self._is_starred = False
        self._level = 0
        self._in_table = False
        self._cells: list[str] = []
        self._items: list[str] = []
        self._rows: list[list[str]] = []
        self._waiting: list[str] = []
        self._notes = 0
        self._author = ""

    def read(self, data: bytes) -> None:
        position, end = len(BEGINNING) - 4, len(data)
        while position < end:
            token = TOKEN.match(data, position)
            if token is None:
                break
            position = token.end()
            text, code, word, number, symbol, brace = token.groups()
            if text is not None:
                self._add_bytes(text)
            elif code is not None:
                self._add_bytes(bytes((int(code, 16),)))
            elif word is not None:
                if word == b"bin":
                    position += max(int(number or 0), 0)
                else:
                    self._flush()
                    self._word(word, number)
            elif symbol is not None:
                self._symbol(symbol)
            elif brace == b"{":
                self._open()
            elif brace == b"}":
                self._close()
        self._flush()
        self._end_paragraph()
        self._end_table()
        self._end_list()

    def _add_bytes(self, data: bytes) -> None:
        if self._look.kind is None:
            return
        if self._skip:
            skipped = min(self._skip, len(data))
            self._skip -= skipped
            data = data[skipped:]
        self._bytes += data

    def _flush(self) -> None:
        if self._bytes:
            self._add(self._bytes.decode(self._look.codepage, "replace"))
            self._bytes.clear()

    def _add(self, text: str) -> None:
        """Text of the kind that the group has, or that is left out."""
        look = self._look
        if look.kind is None or not text:
            return
        if look.kind == "text" and (look.hidden or look.deleted):
            self.left_out.setdefault(HIDDEN if look.hidden else DELETED, []).append(text)
            return
        said = self._texts.setdefault(look.kind, [])
        if look.align == b"super" and POWER.fullmatch(text.strip()) and said and said[-1][-1:].isalnum():
            text = f"^{text}"
        said.append(text)

    def _open(self) -> None:
        self._flush()
        if len(self._groups) >= DEEPEST:
            raise TooLarge(f"its groups are more than {DEEPEST} levels within each other")
        self._groups.append(self._look)
        self._look = replace(self._look)
        self._skip = 0

    def _close(self) -> None:
        self._flush()
        self._skip = 0
        self._is_starred = False
        if not self._groups:
            return
        ended, self._look = self._look.kind, self._groups.pop()
        if ended != self._look.kind and ended is not None:
            self._end_group(ended)

    def _end_group(self, kind: str) -> None:
        """A note, or another text apart, is over."""
        text = self._take(kind)
        if kind == "style":
            found = HEADING.search(text)
            if found:
                self._levels.setdefault(self._style, int(found[1]))
        elif kind == "title":
            self.title = self.title or text
        elif kind == "running" and text.strip():
            self.left_out.setdefault(RUNNING_LINES, []).append(" ".join(text.split()))
        elif kind == "label":
            mark = " ".join(text.split())
            self._texts.setdefault("text", []).append(f"{mark} " if NUMBERED.fullmatch(mark) else "- ")
        elif kind == "author":
            self._author = " ".join(text.split())
        elif kind in ("note", "comment") and (text := " ".join(text.split())):
            if kind == "comment":
                self._waiting.append(f"Comment by {self._author}: {text}" if self._author else text)
                self._author = ""
                return
            self._notes += 1
            self._texts.setdefault("text", []).append(f"[^{self._notes}]")
            self._waiting.append(f"[^{self._notes}]: {text}")

    def _take(self, kind: str) -> str:
        text = "".join(self._texts.pop(kind, ()))
        return SURROGATES.sub(lambda half: half[0].encode("utf-16", "surrogatepass").decode("utf-16", "replace"), text)

    def _symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            self._is_starred = True
        elif symbol in ENDS:
            self._flush()
            self._end_paragraph()
        elif symbol in SYMBOLS:
            if self._skip:
                self._skip -= 1
            else:
                self._flush()
                self._add(SYMBOLS[symbol])

    def _word(self, word: bytes, number: bytes | None) -> None:  # noqa: PLR0912 - one branch a kind of word
        is_starred, self._is_starred = self._is_starred, False
        look = self._look
        value = int(number) if number is not None else 1
        if word == b"u":
            self._add(chr(value & 0xFFFF))
            self._skip = look.letters_of_unicode
            return
        self._skip = 0
        if self._is_destination(word, is_starred=is_starred):
            return
        if word in SIGNS:
            self._add(SIGNS[word])
        elif word in ENDS:
            self._end_paragraph()
        elif word in (b"cell", b"row", b"intbl", b"trowd"):
            self._table(word)
        elif word == b"uc":
            look.letters_of_unicode = max(value, 0)
        elif word == b"v":
            look.hidden = value != 0
        elif word == b"deleted":
            look.deleted = value != 0
        elif word in (b"sub", b"super", b"nosupersub"):
            look.align = b"" if word == b"nosupersub" or not value else word
        elif word == b"plain":
            look.hidden = look.deleted = False
            look.align = b""
        elif word == b"pard":
            if look.kind == "text":
                self._level, self._in_table = 0, False
        elif word == b"s":
            self._style = value
            self._level = self._levels.get(value, 0) if look.kind == "text" else self._level
        elif word == b"outlinelevel":
            self._outline(value + 1)
        elif word in (b"ansicpg", b"f", b"fcharset", b"deff"):
            self._encoding(word, value)

    def _outline(self, level: int) -> None:
        if self._look.kind == "style":
            self._levels[self._style] = level if level <= 6 else 0  # noqa: PLR2004 - Markdown has six levels
        elif self._look.kind == "text":
            self._level = level if level <= 6 else 0  # noqa: PLR2004

    def _encoding(self, word: bytes, value: int) -> None:
        if word == b"ansicpg":
            self._default = _known(f"cp{value}") or DEFAULT
            self._look.codepage = self._default
        elif word == b"fcharset":
            if codepage := CODEPAGES.get(value):
                self._fonts[self._font] = codepage
        elif word == b"f":
            self._font = value
            self._look.codepage = self._fonts.get(value, self._default)

    def _is_destination(self, word: bytes, *, is_starred: bool) -> bool:
        """Whether the word says what the group is for."""
        look = self._look
        if look.kind is None:
            return True
        if word in RUNNING:
            look.kind = "running"
        elif word in LABELS:
            look.kind = "label" if look.kind == "text" else None
        elif word == b"title" and look.kind != "info":
            return False
        elif word in KINDS:
            look.kind = KINDS[word]
        elif word in UNSEEN or (is_starred and word not in SEEN):
            look.kind = None
        else:
            return False
        return True

    def _table(self, word: bytes) -> None:
        if word == b"intbl":
            self._in_table = True
        elif word == b"cell":
            self._cells.append(" ".join(self._take("text").split()))
        elif word == b"row" and self._cells:
            self._rows.append(self._cells)
            self._cells = []

    def _end_paragraph(self) -> None:
        if self._look.kind == "style":
            return
        if self._look.kind not in ("text", None):
            self._texts.setdefault(self._look.kind, []).append(" ")
            return
        if self._in_table and (self._cells or self._texts.get("text")) and self._look.kind == "text":
            self._texts.setdefault("text", []).append(" ")
            return
        lines = [" ".join(line.split()) for line in self._take("text").split("\n")]
        text = "\n".join(filter(None, lines))
        if not text and not self._waiting:
            return
        self._end_table()
        if self._level and text:
            self._end_list()
            self.blocks.append(f"{'#' * self._level} {' '.join(text.split())}")
        elif text.startswith("- "):
            self._items.append(text)
        elif text:
            self._end_list()
            self.blocks.append(paragraph_of(text))
        if self._waiting:
            self._end_list()
        self.blocks += self._waiting
        self._waiting = []

    def _end_list(self) -> None:
        if self._items:
            self.blocks.append("\n".join(self._items))
            self._items = []

    def _end_table(self) -> None:
        if self._cells:
            self._rows.append(self._cells)
            self._cells = []
        if self._rows:
            self._end_list()
            self.blocks += [table_of(self._rows), *self._waiting]
            self._rows, self._waiting = [], []


def _known(codepage: str) -> str | None:
    try:
        return codecs.lookup({"cp65001": "utf-8", "cp10000": "mac_roman"}.get(codepage, codepage)).name
    except LookupError:
        return None
