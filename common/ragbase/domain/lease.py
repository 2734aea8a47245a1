"""The right to do some work alone, for a while."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to process a document, or a part of it, until a time. Claim number `claim` of a worker (a running
    process) holds it."""

    worker: str
    claim: int
    until: datetime

    def same_claim(self, other: Lease | None) -> bool:
        return other is not None and (self.worker, self.claim) == (other.worker, other.claim)

    def runs(self, now: datetime) -> bool:
        return self.until > now
