"""What kinds of things a text names: dates, amounts, names. It rather sees one too many, as what is said to be missing
has to be."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from enum import StrEnum
from functools import cache

from ragbase.text.kind_words import words_of_kind


class Kind(StrEnum):
    """What a question can ask for, finer than AnswerType: a duration is no price."""

    DATE = "date"
    MONEY = "money"
    DURATION = "duration"
    NUMBER = "number"
    NAME = "name"
    PLACE = "place"
    YES_OR_NO = "yes"
    OTHER = "other"


_FIGURES = r"\d(?:[\w.,:/'-]*\w)?"
_SIGNS = {
    Kind.NUMBER: rf"{_FIGURES}|[½⅓¼¾⅔%]|\b[IVXLC]{{2,}}\b",
    Kind.DATE: rf"{_FIGURES}|\b[IVX]{{2,}}\b",
    Kind.MONEY: r"\d[\d.,\s]*(?:[$€£¥₽₫₹₺₩₪฿]|kr\b|zł|usd|eur)|[$€£¥₽₫₹₺₩₪฿]",
}
_NO_CAPITALS = re.compile(
    "[\u0590-\u08ff\u0900-\u0dff\u0e00-\u0fff\u1000-\u109f\u10a0-\u10ff\u1780-\u17ff\u3040-\u9fff\uac00-\ud7af]"
)
"""Letters of scripts that do not show a name."""
_CAPITALISED = re.compile(r"(?<![\w'’])[^\W\d_][\w'’-]*")
_SENTENCE_START = re.compile(r"(?:\A|[.!?:;…»”\"|\n]\s*)[\"“„«¿¡(*_\s-]*\Z")
_EVERY_NOUN = "german"
"""It writes every noun with a capital, so that a capital shows no name."""


@cache
def _finds(kind: Kind, language: str | None) -> re.Pattern[str]:
    return re.compile(f"{_SIGNS[kind]}|{words_of_kind(kind.value, language)}", re.IGNORECASE)


def holds(text: str, kind: Kind, asked: Collection[str] = (), language: str | None = None) -> bool | None:
    """Whether the text names something of this kind, beside the figures and names that the question has itself, which
    are `asked` in small letters. None if that cannot be told: the script has no capitals, or the kind is none that a
    text shows. A duration may be a figure alone, as an age is."""
    text = unicodedata.normalize("NFC", text)
    if kind in (Kind.NAME, Kind.PLACE):
        return _holds_name(text, asked, language)
    if kind is Kind.DURATION:
        kind = Kind.DATE
    if kind not in _SIGNS:
        return None
    found = (one[0].casefold().strip() for one in _finds(kind, language).finditer(text))
    return any(one not in asked or not any(map(str.isdigit, one)) for one in found)


def _holds_name(text: str, asked: Collection[str], language: str | None) -> bool | None:
    if language == _EVERY_NOUN or _NO_CAPITALS.search(text):
        return None
    for found in _CAPITALISED.finditer(text):
        word = found[0]
        if not word[0].isupper() or word.casefold() in asked:
            continue
        if not _SENTENCE_START.search(text, max(found.start() - 8, 0), found.start()) or word[1:2].isupper():
            return True
    return False
