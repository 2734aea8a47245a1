"""The dates of a text, however they are written: "3 May 2024", "May 3rd, 2024", "2024-05-03", "03.05.2024"."""

from __future__ import annotations

import re
from calendar import monthrange, weekday
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

from ragbase.retrieval.meaning.calendar_words import calendar_words
from ragbase.text.scripts import MARKS

_WORD = rf"[^\W\d_](?:[^\W\d_]|[{MARKS}]|[’'-](?=[^\W\d_]))*"
_FIRST_YEAR = 1000
_LAST_DAY = 31
_LAST_MONTH = 12
_NO_DAY: tuple[None] = (None,)
_DIGITS_OF_DAY = 2
_DIGITS_OF_YEAR = 4
_NUMERIC = re.compile(
    r"(?<![\w.:/-])(?:(?P<year>\d{4})(?P<sign>[-/.])(?P<month>\d\d?)(?P=sign)(?P<day>\d\d?)"
    r"|(?P<one>\d\d?)(?P<mark>[-/.])[ \u00a0]?(?P<two>\d\d?)(?P=mark)[ \u00a0]?(?P<of>\d{4}))(?![\w/:-]|[.]\d)"
)
_SIGNED = re.compile(  # of Chinese, Japanese and Korean
    r"(?:(?P<year>\d{4})\s*[年년]\s*)?(?P<month>\d\d?)\s*[月월](?:\s*(?P<day>\d\d?)\s*[日号號일])?"
)
_NUMBERED_MONTH = re.compile(  # of Vietnamese
    r"(?:(?P<day>\d\d?)\s+)?tháng\s+(?P<month>\d\d?)(?:(?:\s+năm\s+|/)(?P<year>\d{4}))?", re.IGNORECASE
)
_UNSPACED_DAYS = (
    "一二三四五六日",
    "一二三四五六天",
    "月火水木金土日",
    "월화수목금토일",
    ("จันทร์", "อังคาร", "พุธ", "พฤหัส", "ศุกร์", "เสาร์", "อาทิตย์"),
)
"""From Monday on. No blank parts them from the words beside them, or a particle follows."""
_UNSPACED_WEEKDAY = re.compile(
    rf"(?:星期|礼拜|禮拜)([一二三四五六日天])|([月火水木金土日])曜|([월화수목금토일])요일|วัน({'|'.join(_UNSPACED_DAYS[4])})"
)
_PIECE = re.compile(rf"(?P<number>\d+)|(?P<word>{_WORD})|(?P<sign>[^\w\s])")
_WORDS_BETWEEN = """. , º ª st nd rd th er ο η de del of den der le the d' د من ई года р ° ' ’ di da do ngày"""
_BETWEEN = frozenset(_WORDS_BETWEEN.split())
_WORDS_TO = "– — - to until till through and bis und à au et al a y hasta e ao até do tot en по до ~ i až la"
_TO = frozenset(_WORDS_TO.split())
_OF = frozenset({"of", "de", "del", "den"})
"""Before a year, and never between the name of a month and its day."""
_OTHER_WORDS = "may mars march mai maj mayo mei maja maju luty ocak marca set ago out mar"
_AMBIGUOUS = frozenset(_OTHER_WORDS.split())
"""Months that are other words, too: they name one beside a number only."""


@dataclass(frozen=True, slots=True)
class Date:
    """A day, a month of a year, or a day of a month. `options` are the (year, month, day) that it may be: 03/05/2024
    is two of them."""

    start: int
    end: int
    options: frozenset[tuple[int | None, int, int | None]]

    def agrees(self, other: Date) -> bool:
        """Whether both may be the same: what one of them leaves open tells nothing."""
        return any(
            all(ours is None or theirs is None or ours == theirs for ours, theirs in zip(one, two, strict=True))
            for one, two in product(self.options, other.options)
        )

    def adds(self, other: Date) -> set[int]:
        """The years and days that it has and the other one leaves open."""
        years = {one[0] for one in self.options if one[0] is not None}
        days = {one[2] for one in self.options if one[2] is not None}
        has_year, has_day = any(one[0] for one in other.options), any(one[2] for one in other.options)
        return (set() if has_year else years) | (set() if has_day else days)

    @property
    def numbers(self) -> set[int]:
        return {number for one in self.options for number in one if number is not None}


def dates_in(text: str) -> list[Date]:
    """The dates in the text, in order. A year alone is a number."""
    found = [date for date in _all(text) if date.options]
    found.sort(key=lambda one: (one.start, -one.end))
    kept: list[Date] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def weekdays_in(text: str) -> set[int]:
    """The weekdays that are named, from 0, which is Monday."""
    named = calendar_words("weekday")
    spaced = {day for word in _words(text) for day in named.get(word, ())}
    return spaced | {day for found in _UNSPACED_WEEKDAY.finditer(text) for day in _unspaced_weekday(found)}


def _unspaced_weekday(found: re.Match[str]) -> Iterator[int]:
    name = next(filter(None, found.groups()))
    yield from (days.index(name) for days in _UNSPACED_DAYS if name in days)


def weekdays_of(dates: Sequence[Date]) -> set[int]:
    """The weekdays on which these dates are."""
    found = set[int]()
    for one in dates:
        for year, month, day in one.options:
            if year is not None and day is not None and day <= monthrange(year, month)[1]:
                found.add(weekday(year, month, day))
    return found


def _words(text: str) -> Iterator[str]:
    return (match[0] for match in re.finditer(_WORD, text.casefold()))


def _all(text: str) -> Iterator[Date]:
    for match in _NUMERIC.finditer(text):
        yield _date(match.span(), _numeric(match))
    for pattern in (_SIGNED, _NUMBERED_MONTH):
        for match in pattern.finditer(text):
            if match["day"] or match["year"]:
                day = int(match["day"]) if match["day"] else None
                year = int(match["year"]) if match["year"] else None
                yield _date(match.span(), [(year, int(match["month"]), day)])
    yield from _named(text)


def _numeric(match: re.Match[str]) -> list[tuple[int | None, int, int | None]]:
    if match["year"]:
        return [(int(match["year"]), int(match["month"]), int(match["day"]))]
    year, one, two = int(match["of"]), int(match["one"]), int(match["two"])
    return [(year, two, one)] if match["mark"] == "." else [(year, two, one), (year, one, two)]


def _date(span: tuple[int, int], options: Sequence[tuple[int | None, int, int | None]]) -> Date:
    return Date(*span, frozenset(one for one in options if _is_date(*one)))


def _is_date(year: int | None, month: int, day: int | None) -> bool:
    """Whether it is written as a date. A 31st of September is one that no place agrees with."""
    is_year = year is None or year >= _FIRST_YEAR
    return is_year and 1 <= month <= _LAST_MONTH and (day is None or 1 <= day <= _LAST_DAY)


def _named(text: str) -> Iterator[Date]:
    pieces = list(_PIECE.finditer(text))
    for place, piece in enumerate(pieces):
        word = piece[0].casefold()
        if piece.lastgroup != "word" or not (months := _months(word)):
            continue
        days, first = _before(pieces, place)
        year, day_after, last = _after(pieces, place)
        if not days and day_after is not None:
            days = [day_after]
        is_name = piece[0][0].isupper() or not piece[0].isascii()
        if not days and year is None and (word in _AMBIGUOUS or word in calendar_words("short") or not is_name):
            continue
        span = pieces[first].start(), pieces[last].end()
        yield _date(span, [(year, month, day) for month in months for day in days or _NO_DAY])


def _before(pieces: Sequence[re.Match[str]], place: int) -> tuple[list[int], int]:
    """The days before the name of a month ("4 to 8 May"), and where they begin."""
    days: list[int] = []
    first = at = place
    while at > 0:
        at -= 1
        if (number := _number(pieces[at])) is not None:
            if not 1 <= number <= _LAST_DAY or len(pieces[at][0]) > _DIGITS_OF_DAY:
                break
            days.append(number)
            first = at
        elif pieces[at][0].casefold() in _BETWEEN and pieces[at][0] != ",":
            continue
        elif not (days and pieces[at][0].casefold() in _TO):
            break
    return days, first


def _after(pieces: Sequence[re.Match[str]], place: int) -> tuple[int | None, int | None, int]:
    """The year and the day after the name of a month, and where they end."""
    year = day = None
    last = at = place
    while at + 1 < len(pieces):
        at += 1
        if (number := _number(pieces[at])) is not None:
            if year is None and len(pieces[at][0]) == _DIGITS_OF_YEAR:
                year, last = number, at
                break
            is_day = 1 <= number <= _LAST_DAY and pieces[at - 1][0].casefold() not in _OF
            if day is None and is_day and len(pieces[at][0]) <= _DIGITS_OF_DAY:
                day, last = number, at
            else:
                break
        elif pieces[at][0].casefold() not in _BETWEEN:
            break
    return year, day, last


def _number(piece: re.Match[str]) -> int | None:
    """The number that may be a day or a year. Digits without end are none."""
    return int(piece[0]) if piece.lastgroup == "number" and len(piece[0]) <= _DIGITS_OF_YEAR else None


@cache
def _months(word: str) -> frozenset[int]:
    wide, short = calendar_words("month"), calendar_words("short")
    for written in (word, word.removeprefix("d'").removeprefix("d’"), *(_of(word))):
        if written in wide:
            return wide[written]
    return short.get(word, frozenset())


def _of(word: str) -> Iterator[str]:
    """A Turkish month before its case: Mayıs'ta."""
    for mark in "'’":
        if mark in word:
            yield word.partition(mark)[0]
