"""The numbers of an object's versions, for buckets that do not number them themselves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def generation_at(moment: datetime) -> int:
    """The microseconds since 1970, as Cloud Storage numbers what is written at that moment."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def next_generation(last: int, now: datetime) -> int:
    """The number of what is written now, but above `last` whatever the clock says."""
    return max(generation_at(now), last + 1)
