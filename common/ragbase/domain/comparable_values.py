"""How what a document says of itself is compared: as a text, a number or a day."""

from __future__ import annotations

import math
import re
import unicodedata
from datetime import date

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_DAY = re.compile(r"(?P<year>\d{4})(?:-?(?P<month>\d\d)(?:-?(?P<day>\d\d))?)?(?!\d)", re.ASCII)


def folded(text: str) -> str:
    """A text for comparison: without regard to capitals, and to how an accent is encoded."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def number_of(text: str) -> float | None:
    """The number that the whole text is; None if it is none, or one too large for a 64-bit float."""
    number = float(text) if _NUMBER.fullmatch(text) else math.inf
    return number if math.isfinite(number) else None


def day_of(text: str | None) -> int | None:
    """The day on which a date begins: 20240101 for "2024", 20240131 for "2024-01-31T09:30:00Z"."""
    found = _DAY.match(text or "")
    if found is None:
        return None
    try:
        return day_number(date(int(found["year"]), int(found["month"] or 1), int(found["day"] or 1)))
    except ValueError:
        return None


def day_number(day: date) -> int:
    return day.year * 10_000 + day.month * 100 + day.day
