"""A text as it is compared: its dates, its numbers, and the rest."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from ragbase.retrieval.meaning.clock_times import ClockTime, clock_times_in
from ragbase.retrieval.meaning.dates import Date, dates_in
from ragbase.retrieval.meaning.numbers import numbers_in
from ragbase.retrieval.meaning.written_number import WrittenNumber
from ragbase.retrieval.negations import Language

BETWEEN = re.compile(r"[,;:.!?…](?=\s|$)|[。，、；：！？()\[\]“”„«»\"]|\s[–—-]\s")
"""What stands between clauses. The colon of 02:30 does not."""

_WRITTEN_OTHERWISE = re.compile(r"(?![0-9])\d|[\uff01-\uff5e]|〇")
"""Digits of other scripts, and wide forms."""


@dataclass(frozen=True)
class ReadText:
    """`text` is in one line, in composed characters and with ASCII digits."""

    text: str
    language: Language

    @cached_property
    def dates(self) -> Sequence[Date]:
        return dates_in(self.text) if _has_letter_or_digit(self.text) else ()

    @cached_property
    def times(self) -> Sequence[ClockTime]:
        return clock_times_in(self.without_dates)

    @cached_property
    def numbers(self) -> Sequence[WrittenNumber]:
        """Those that stand in no date and no time of day."""
        return numbers_in(self._without([*self.dates, *self.times]), self.language.code)

    @cached_property
    def without_dates(self) -> str:
        return self._without(self.dates)

    @cached_property
    def amounts(self) -> Sequence[WrittenNumber]:
        """The numbers, and the days, months and years of the dates."""
        parts = (
            WrittenNumber(one.start, one.end, frozenset([Decimal(number)]))
            for one in self.dates
            for number in one.numbers
        )
        return (*self.numbers, *parts)

    @cached_property
    def rest(self) -> str:
        """The text without its dates, times and numbers."""
        return self._without([*self.dates, *self.times, *(one for one in self.numbers if not one.is_vague)])

    def _without(self, spans: Iterable[Date | ClockTime | WrittenNumber]) -> str:
        text = self.text
        for one in spans:
            text = f"{text[: one.start]}{' ' * (one.end - one.start)}{text[one.end :]}"
        return text


def read(text: str, language: Language) -> ReadText:
    return ReadText(even(text), language)


def even(text: str) -> str:
    """The text in one line, in composed characters and with ASCII digits."""
    text = unicodedata.normalize("NFC", " ".join(text.split()))
    return text if text.isascii() else _WRITTEN_OTHERWISE.sub(_in_ascii, text)


def _in_ascii(sign: re.Match[str]) -> str:
    return "零" if sign[0] == "〇" else str(unicodedata.decimal(sign[0], unicodedata.normalize("NFKC", sign[0])))


def _has_letter_or_digit(text: str) -> bool:
    return any(map(str.isalnum, text))
