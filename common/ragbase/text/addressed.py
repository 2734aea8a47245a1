"""Parts of a passage that speak to the language model that reads them, and not to people.

A model that obeys such a part says what it is told to, and the part itself has the words: to cite it would make an
order look like a fact. So a model does not get it. Its readers do: search finds it, and the evidence shows it.

What gives a part away are its words (addressed_words.py), also where they are hidden: in another spelling, in letters
of another script, apart, backwards, or encoded. Texts for people hardly ever have them. A text that only
claims something is not found: it is what the document says.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

from ragbase.text.addressed_words import SHOUTED, STRONG, WEAK
from ragbase.text.harmless import visible

LEFT_OUT = "[…]"
"""Stands in the place of a part that the model does not get."""
_UNIT = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+•|]|\d{1,3}[.)]|#{1,6})\s)|(?<=\n)(?=#{1,6}\s)")
_HEADING = re.compile(r"^[ \t]{0,3}#{1,6}\s")
_APART = re.compile(r"(?<!\w)(?:\w[ .\-_*·]){4,}\w(?!\w)")
_MARKS_IN_WORD = re.compile(r"[*_~`]|(?<=\w)[|\\/.\-]{1,3}(?=\w)|<[^>\n]{0,80}>|<!--|-->")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}[ :]?){10,}")
_ESCAPES = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})")
_CODES = re.compile(r"(?:\b\d{2,3}\b[ ,;]{1,2}){9,}\d{2,3}\b|(?:\b[01]{7,8}\b ?){10,}")
"""Letters by their numbers, decimal or binary."""
_BASE32 = re.compile(r"\b[A-Z2-7]{16,}={0,6}")
_LETTER = re.compile(
    r"(?:LATIN|SYMBOL|SQUARED|CIRCLED)\b.*\b(?:LETTER|CAPITAL)(?: TURNED| REVERSED| INVERTED)? ([A-Z])$"
)
"""The Unicode name of a sign that is a letter in another form, which NFKC leaves: small capitals, flags, squares."""
_DEEPEST = 3
"""Times that a text is encoded and looked into."""
_DIGITS = str.maketrans("013457@$!|", "oieastasil")
_LEET = re.compile(r"(?<!\w)(?=\w*[a-z])(?=\w*[013457@$])[\w@$!|]{3,}")
_LOOKALIKES = str.maketrans("абвгԁеһіјкӏмнорԛсѕтуԝхαεικνορτυχ", "abbrdehijklmhopqcstywxaeiknoptux")
_HIDDEN = (
    "ignore",
    "answer",
    "instruction",
    "assistant",
    "system",
    "respond",
    "reply",
    "output",
    "disregard",
    "forget",
)


@dataclass(frozen=True, slots=True)
class ForModel:
    """The text that a model gets, and how many parts of it are left out."""

    text: str
    left_out: int = 0

    @property
    def is_empty(self) -> bool:
        return not any(map(str.isalnum, self.text))


def for_model(text: str) -> ForModel:
    """The text without the paragraphs, items and rows that speak to a model. One that turns it from its instructions
    takes with it what follows up to the next heading; one that ends with a colon, what follows it."""
    units = list(_units(text))
    kept: list[str] = []
    left_out, orders, follows = 0, False, False
    for unit, gap in units:
        is_heading = _HEADING.match(unit) is not None
        strong, weak = _speaks(unit)
        orders = strong or (orders and not is_heading)
        if orders or weak or follows:
            left_out += 1
            follows = unit.rstrip(" \t*_\"'“„«").endswith((":", "：")) and not is_heading
            kept.append(f"{LEFT_OUT}{gap}")
        else:
            follows = False
            kept.append(f"{unit}{gap}")
    return ForModel("".join(kept) if left_out else text, left_out)


def speaks_to_model(text: str) -> bool:
    return any(_speaks(text))


def _units(text: str) -> Iterator[tuple[str, str]]:
    """Each part, and what is between it and the next."""
    at = 0
    for gap in _UNIT.finditer(text):
        if gap.end() > at:
            yield text[at : gap.start()], gap[0]
        at = gap.end()
    yield text[at:], ""


def _speaks(unit: str) -> tuple[bool, bool]:
    """Whether it turns a model from its instructions, and whether it tells it what to say."""
    if not any(map(str.isalpha, unit)):
        return False, False
    if SHOUTED.search(unit):
        return True, False
    weak = False
    for form in dict.fromkeys(_forms(unit)):
        if any(pattern.search(form) for pattern in STRONG):
            return True, weak
        weak = weak or any(pattern.search(form) for pattern in WEAK)
    return False, weak


def _forms(unit: str) -> Iterator[str]:
    """The text in small letters, and what it is if it is read in another way."""
    plain = unicodedata.normalize("NFKC", html.unescape(visible(unit))).lower()
    yield plain
    if not plain.isascii():
        yield "".join(_as_letter(sign) for sign in plain)
    yield " ".join(_MARKS_IN_WORD.sub("", plain).split())
    if not plain.isascii() and re.search("[a-z]", plain):
        yield plain.translate(_LOOKALIKES)
        yield "".join(one for one in unicodedata.normalize("NFD", plain) if not unicodedata.combining(one))
    if _APART.search(plain):
        yield _APART.sub(lambda found: re.sub(r"[ .\-_*·]", "", found[0]), plain)
        yield re.sub(r"(?<=\w)[ .\-_*·](?=\w(?:\W|$))", "", plain)
    if _LEET.search(plain):
        yield _LEET.sub(lambda found: found[0].translate(_DIGITS), plain)
    for hidden in (plain[::-1], codecs.encode(plain, "rot13")):
        if any(word in hidden for word in _HIDDEN):
            yield hidden
    decoded = [unit]
    for _ in range(_DEEPEST):
        decoded = [text for one in decoded for text in _decoded(one)]
        yield from map(str.lower, decoded)


@lru_cache(4096)
def _as_letter(sign: str) -> str:
    """The Latin letter that a sign is another form of; nothing for a sign that nobody sees."""
    if sign.isascii():
        return sign
    if unicodedata.category(sign) == "Cf":
        return ""
    found = _LETTER.search(unicodedata.name(sign, ""))
    return found[1].lower() if found is not None else sign


def _decoded(unit: str) -> Iterator[str]:
    if "%" in unit:
        yield unquote(unit)
    if "=4" in unit or "=6" in unit or "=7" in unit:  # quoted-printable letters
        yield unquote(unit.replace("=", "%"))
    if "\\" in unit:
        yield _ESCAPES.sub(lambda found: chr(int(found[1] or found[2], 16)), unit)
    for found in _BASE64.finditer(unit):
        packed = found[0].rstrip("=").translate(str.maketrans("-_", "+/"))
        try:
            yield base64.b64decode(packed[: len(packed) - (len(packed) % 4 == 1)] + "=" * (-len(packed) % 4)).decode()
        except (binascii.Error, ValueError):
            continue
    for found in _BASE32.finditer(unit):
        packed = found[0].rstrip("=")
        try:
            yield base64.b32decode(packed + "=" * (-len(packed) % 8)).decode()
        except (binascii.Error, ValueError):
            continue
    for found in _CODES.finditer(unit):
        numbers = re.findall(r"\d+", found[0])
        base = 2 if all(set(one) <= {"0", "1"} and len(one) > 3 for one in numbers) else 10  # noqa: PLR2004
        yield "".join(chr(int(one, base)) for one in numbers)
    for found in _HEX.finditer(unit):
        try:
            yield bytes.fromhex(re.sub("[ :]", "", found[0])).decode()
        except ValueError:
            continue
