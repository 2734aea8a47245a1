"""The times of day in a text: 14:30, 2:30 p.m., 14.30 Uhr, 14h30."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TIME = re.compile(
    r"(?<![\w.:/-])(?P<hour>\d\d?)(?:(?P<mark>[:.hH])(?P<minute>\d\d))?(?:\s?(?P<half>[ap]\.?\s?m\b\.?)|\s?(?P<word>Uhr)\b)?"
    r"(?![:/]?\d|[.]\d|[^\W\d_])",
    re.IGNORECASE,
)
_NOON = 12
_DAY = 24 * 60
_HOUR = 60


@dataclass(frozen=True, slots=True)
class ClockTime:
    """`minutes` are those since midnight that it may be: 2:30 is also one in the afternoon, 02:30 is not."""

    start: int
    end: int
    minutes: frozenset[int]


def clock_times_in(text: str) -> list[ClockTime]:
    """The times of day, in order. 2.30 is one beside "Uhr", "a.m." or "p.m." only, and so is a whole hour."""
    return [found for match in _TIME.finditer(text) if (found := _time(match)) is not None]


def _time(match: re.Match[str]) -> ClockTime | None:
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    is_told = match["half"] is not None or match["word"] is not None
    if hour * _HOUR + minute > _DAY or minute >= _HOUR or not (is_told or match["mark"] in {":", "h", "H"}):
        return None
    if match["half"] is not None:
        if not 1 <= hour <= _NOON:
            return None
        hour = hour % _NOON + (_NOON if match["half"][0] in "pP" else 0)
        return ClockTime(*match.span(), frozenset([hour * _HOUR + minute]))
    options = {hour * _HOUR + minute}
    if 1 <= hour <= _NOON and not match["hour"].startswith("0"):
        options.add((hour % _NOON + _NOON) * _HOUR + minute)
    return ClockTime(*match.span(), frozenset(options))
