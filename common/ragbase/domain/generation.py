"""The numbers of an object's versions, for buckets that do not number them themselves."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def next_generation(last: int, now: datetime) -> int:
    """The microseconds since 1970, as Cloud Storage numbers them, but above `last` whatever the clock says."""
    return max((now - _EPOCH) // timedelta(microseconds=1), last + 1)
