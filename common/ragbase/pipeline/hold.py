"""A hold: for a moment, no document flips. A reindex makes what is left, and switches to the index that it has built.

A reindex that dies cannot end its hold, so each hold runs out after HOLD_LEASE. A reindex that needs it for
longer extends it in time.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from ragbase.domain.lease import HOLD_LEASE, Lease
from ragbase.leases.kept_lease import FREE, KeptLease

if TYPE_CHECKING:
    from ragbase.ports import Checkpoints, Clock

CHECKPOINT = "hold"
"""Its text is the time at which the hold runs out, which also names the hold."""


def is_held(checkpoints: Checkpoints, clock: Clock) -> bool:
    """Whether somebody holds all flips."""
    return lease_in(checkpoints.load(CHECKPOINT)).runs(clock.now())


class Hold:
    """The hold of one reindex."""

    def __init__(self, checkpoints: Checkpoints, clock: Clock) -> None:
        self._clock = clock
        self._lease = KeptLease(
            CHECKPOINT, checkpoints, clock, length=HOLD_LEASE, lease_in=lease_in, with_lease=_with_lease
        )

    def begin(self) -> bool:
        """False if another reindex holds all flips: it is about to switch, or has died."""
        return self._lease.take()

    def extend(self) -> bool:
        """Let it last for at least three quarters of HOLD_LEASE from now. False if it was over before: documents may
        have flipped."""
        until, is_over = self._lease.until, self._lease.is_over
        if not is_over and until - self._clock.now() > HOLD_LEASE * 3 / 4:
            return True
        return self._lease.renew() and not is_over and self._clock.now() < until

    def lasts(self) -> bool:
        """Whether half of HOLD_LEASE is left, so that even a slow switch ends before the hold does."""
        return (
            not self._lease.is_over and self._lease.is_mine() and self._lease.until - self._clock.now() > HOLD_LEASE / 2
        )

    def end(self) -> None:
        self._lease.give_back()


def lease_in(text: str | None) -> Lease:
    return Lease(text, 0, datetime.fromisoformat(text)) if text is not None else FREE


def _with_lease(_: str | None, lease: Lease) -> str:
    return lease.until.isoformat()
