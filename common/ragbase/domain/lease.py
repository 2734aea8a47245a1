"""The right to do some work alone, for a while."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from ragbase.domain.passed import APART

DOCUMENT_LEASE = timedelta(seconds=10)
"""How long a claim of a document holds without a renewal: the documents of a dead worker are free after that."""

PART_LEASE = timedelta(seconds=60)
"""The same for a part, if that of documents is no longer. All parts of a document write to one record, and Firestore
takes about one write a second of one document for long
(https://cloud.google.com/firestore/quotas#writes_and_transactions): 20 parts that renew twice a minute are within that.
"""

SOURCE_LEASE = timedelta(minutes=2)
"""The same for a scheduled source."""

LOADER_LEASE = timedelta(seconds=10)
"""The same for the process that loads a CSV file: if it dies, others wait no longer than that."""

HOLD_LEASE = timedelta(minutes=2)
"""The same for the hold of a reindex. Mostly longer than it needs for a page of documents. If it needs longer, it
begins its last passes again."""

_LONGEST = max(DOCUMENT_LEASE, PART_LEASE, SOURCE_LEASE, LOADER_LEASE, HOLD_LEASE)


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
        """Not if it would run for longer than any lease does: then the clock was put back. Its holder renews it."""
        return now < self.until <= now + _LONGEST + APART
