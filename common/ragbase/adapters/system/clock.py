"""The time of this machine."""

from __future__ import annotations

from datetime import UTC, datetime


class SystemClock:
    """Implements the Clock port."""

    def now(self) -> datetime:
        return datetime.now(UTC)
