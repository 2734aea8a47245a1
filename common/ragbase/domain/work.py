"""The work on a document, or on a part of one: who has it, how often it was begun, and what its last attempt met."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ragbase.domain.errors import ErrorCode
from ragbase.domain.lease import Lease
from ragbase.domain.limits import MAX_RETRIES
from ragbase.domain.passed import APART, BETWEEN_LOOKS, passed


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an attempt failed, or a round of them."""

    code: ErrorCode
    reason: str

    @property
    def may_pass(self) -> bool:
        """Whether the content may be right: another round of attempts may succeed."""
        return self.code in (ErrorCode.INTERNAL_ERROR, ErrorCode.TIMEOUT)

    @property
    def told(self) -> str:
        """The reason as a caller of the API is told. One that is about the file has no place of the server in it."""
        from ragbase.domain.server_paths import without_server_paths  # its patterns cost a cold start a millisecond

        return without_server_paths(self.reason) if self.may_pass else self.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Work that is not done yet. Each claim takes the `lease` and counts one of the `attempts`. A part has these two of
    its own; `waiting_since` and `failure` are always those of its document (see there), which has last changed at
    `seen_at`.

    It is a view: the record has these fields (`Document.work`), and gets them back (`Document.with_work`).
    """

    attempts: int
    lease: Lease | None
    waiting_since: datetime | None
    failure: Failure | None
    seen_at: datetime

    @property
    def out_of_retries(self) -> bool:
        """Whether the first attempt and all retries have been started."""
        return self.attempts > MAX_RETRIES

    def is_leased(self, now: datetime) -> bool:
        return self.lease is not None and self.lease.runs(now)

    def is_held_by(self, lease: Lease) -> bool:
        return lease.same_claim(self.lease)

    def was_interrupted(self, now: datetime) -> bool:
        """Whether a worker claimed it and neither finished nor gave it back: the work may have killed the worker."""
        return self.lease is not None and not self.lease.runs(now)

    def waits_too_long(self, longest_wait: timedelta, now: datetime, most: timedelta = BETWEEN_LOOKS) -> bool:
        """Whether what it needs was seen to be away for so long that it is given up. Since the last change, `most` of
        the time counts."""
        since = self.waits_since(now, most)
        return since is not None and now - since >= longest_wait

    def waits_since(self, now: datetime, most: timedelta = BETWEEN_LOOKS) -> datetime | None:
        """`waiting_since`, without the time since the last change that nobody has seen pass."""
        if self.waiting_since is None:
            return None
        return self.waiting_since + (now - self.seen_at) - passed(self.seen_at, now, most)

    def claimed(self, lease: Lease) -> Work:
        """One more attempt begins."""
        return replace(self, lease=lease, attempts=self.attempts + 1)

    def renewed(self, lease: Lease) -> Work:
        """A lease never gets shorter, unless the clock was put back: two threads of a worker may renew it at the same
        time."""
        held = self.lease
        is_longer = held is not None and lease.until <= held.until <= lease.until + APART
        return self if is_longer else replace(self, lease=lease)

    def released(self, failure: Failure) -> Work:
        """The attempt has failed, and counts."""
        return replace(self, lease=None, waiting_since=None, failure=failure)

    def uncounted(self) -> Work:
        """The attempt is over, and does not count."""
        return replace(self, lease=None, attempts=self.attempts - (self.lease is not None))

    def handed_back(self) -> Work:
        """The attempt does not count, and nothing was away."""
        return replace(self.uncounted(), waiting_since=None)

    def waiting(self, failure: Failure, now: datetime) -> Work:
        """Nothing can be done now: note why, and since when. The attempt, if there was one, does not count."""
        return replace(self.uncounted(), failure=failure, waiting_since=self.waiting_since or now)

    def lease_ended(self, worker: str, now: datetime) -> Work:
        """The worker is dead: if it holds the lease, this ends now. The attempt counts."""
        if self.lease is None or self.lease.worker != worker or not self.lease.runs(now):
            return self
        return replace(self, lease=replace(self.lease, until=now))
