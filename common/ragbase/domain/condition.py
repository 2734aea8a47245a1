"""Conditions on the keys of a document's front matter.

A value is a text, and also a number or a day if all of it reads as one. Stores compare nothing but labels
(domain/labels.py), so a number or a day is told them in steps: as itself, and as the groups of 16, 256, 4,096 and so on
that it is in. A range then is at most 15 steps of each size at both of its ends. Lucene found numbers so before it had
trees for them (NumericRangeQuery of Lucene 2.9 to 5).

A field for each key is no way, as the keys are the authors': Qdrant Cloud refuses a filter over a field without an
index, and has 100 indexes at most for a collection (https://qdrant.tech/documentation/cloud/configure-cluster). Nothing
limits the values of one condition there, unless an operator sets `condition_max_size`.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum

from ragbase.domain.comparable_values import day_number, day_of, folded, number_of
from ragbase.domain.metadata import MAX_KEY, MAX_VALUE

_DATE = re.compile(r"\d{4}-\d\d(?:-\d\d(?:[T ].*)?)?", re.ASCII | re.DOTALL)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_STEP_BITS = 4


class _Kind(Enum):
    """What can be in a range, with the bits of its places. Of a number, they are the first bits of a 64-bit float:
    whole numbers up to 16,777,216 have places of their own, larger ones share them, and the record decides."""

    NUMBER = 36
    DAY = 28


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What the front matter has to say under `key` (capitals make no difference). If the key has a list, one of its
    items has to.

    Either it `equals` a text (capitals make no difference; "2024-01-31" is a day, True is "true"), a number or a day,
    or it is `at_least` and `at_most` these numbers or days, of which one may be left out. A date with a time counts as
    its day, one without a day as the first of its month. Raises ValueError for anything else.
    """

    key: str
    equals: str | float | date | None = None
    at_least: float | date | None = None
    at_most: float | date | None = None

    def __post_init__(self) -> None:
        if not self.key.strip() or len(self.key) > MAX_KEY:
            raise ValueError(f"a key has 1 to {MAX_KEY} characters")
        given = [one for one in (self.equals, self.at_least, self.at_most) if one is not None]
        is_range = self.at_least is not None or self.at_most is not None
        if is_range == (self.equals is not None):
            raise ValueError("it needs either what the key equals, or the ends of a range")
        for one in given:
            if isinstance(one, str) and (not one.strip() or len(one) > MAX_VALUE):
                raise ValueError(f"a text has 1 to {MAX_VALUE} characters")
            if not isinstance(one, str | date) and not _is_finite(one):
                raise ValueError("a number has to be finite, as a 64-bit float")
        if len({isinstance(one, date) for one in given}) == 2:  # noqa: PLR2004 - one is a day, the other a number
            raise ValueError("both ends of a range are numbers, or both are days")

    @property
    def facts(self) -> Sequence[str]:
        """A document that meets the condition has one of these facts (`facts_of`)."""
        key = _key(self.key)
        if self._text is not None:
            return [_text_fact(key, self._text)]
        kind, low, high = self._range
        first = _place(kind, low) if low is not None else 0
        last = _place(kind, high) if high is not None else 2**kind.value - 1
        facts = [_step_fact(key, kind, level, place) for level, place in _steps(first, last, kind.value)]
        return facts or [_text_fact(key, "")]  # the range ends before it begins, and no value is empty

    def is_met_by(self, front_matter: Iterable[tuple[str, str]]) -> bool:
        key = _key(self.key)
        return any(self._fits(text) for name, text in front_matter if name == key)

    def _fits(self, text: str) -> bool:
        if self._text is not None:
            return _plain(text) == _plain(self._text)
        kind, low, high = self._range
        found = _value(text)
        if found is None or found[0] is not kind:
            return False
        return (low is None or low <= found[1]) and (high is None or found[1] <= high)

    @property
    def _text(self) -> str | None:
        """What the key equals, if that is a text."""
        text = str(self.equals) if isinstance(self.equals, bool) else self.equals
        return text if isinstance(text, str) and day_in(text) is None else None

    @property
    def _range(self) -> tuple[_Kind, float | None, float | None]:
        """The kind of its ends, and the ends; None for one that is open. What equals a value is a range of it alone."""
        alone = day_in(self.equals) if isinstance(self.equals, str) else self.equals
        low, high = (self.at_least, self.at_most) if alone is None else (alone, alone)
        kind = _Kind.DAY if isinstance(low, date) or isinstance(high, date) else _Kind.NUMBER
        return kind, _sortable(low), _sortable(high)


def day_in(text: str) -> date | None:
    """The day that the whole text is, such as 2024-01-31; None if it is none."""
    try:
        return date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        return None


def facts_of(key: str, text: str) -> Iterator[str]:
    """What can be asked of one value of the front matter."""
    yield _text_fact(key, text)
    value = _value(text)
    if value is not None:
        kind, number = value
        place = _place(kind, number)
        for level in range(0, kind.value, _STEP_BITS):
            yield _step_fact(key, kind, level, place >> level)


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # a whole number with hundreds of digits
        return False


def _key(typed: str) -> str:
    return folded(typed.strip())


def _plain(text: str) -> str:
    return folded(" ".join(text.split()))


def _text_fact(key: str, text: str) -> str:
    return f"{key}\0{_plain(text)}"


def _step_fact(key: str, kind: _Kind, level: int, place: int) -> str:
    return f"{key}\0{kind.name}\0{level}\0{place}"


def _sortable(end: float | date | None) -> float | None:
    return day_number(end) if isinstance(end, date) else end


def _value(text: str) -> tuple[_Kind, float] | None:
    """The text as a number or a day; None if it is neither."""
    number = number_of(text)
    if number is not None:
        return _Kind.NUMBER, number
    day = day_of(text) if _DATE.fullmatch(text) else None
    return (_Kind.DAY, day) if day is not None else None


def _place(kind: _Kind, number: float) -> int:
    """A whole number below 2**kind.value that is never smaller for a larger number."""
    if kind is _Kind.DAY:
        return int(number)
    (bits,) = struct.unpack(">Q", struct.pack(">d", number + 0.0))  # -0.0 becomes 0.0
    # The bits of floats are in order but for the sign, and in the opposite order below zero.
    ordered = bits ^ (2**64 - 1 if bits >> 63 else 2**63)
    return int(ordered >> 64 - kind.value)


def _steps(first: int, last: int, bits: int) -> Iterator[tuple[int, int]]:
    """The fewest steps that hold the places from `first` to `last`, and no other: their levels and numbers."""
    full = 2**_STEP_BITS
    for level in range(0, bits, _STEP_BITS):
        is_largest = level + _STEP_BITS >= bits
        while first <= last and (is_largest or first % full):
            yield level, first
            first += 1
        while first <= last and (last + 1) % full:
            yield level, last
            last -= 1
        if first > last:
            return
        first, last = first // full, last // full
