"""A document that an extractor elsewhere is to read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class HandedOut:
    """Since when it waits for its text, and until when."""

    since: datetime
    until: datetime

    def is_over(self, now: datetime) -> bool:
        return now >= self.until
