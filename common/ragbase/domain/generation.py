"""The numbers of generations, for buckets that do not number them themselves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def generation_at(moment: datetime) -> int:
    """The number that Cloud Storage gives to a generation written at that moment: the microseconds since 1970."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def next_generation(last: int, now: datetime) -> int:
    """The number of a generation that is written now: above `last`, even if the clock has gone back."""
    return max(generation_at(now), last + 1)
