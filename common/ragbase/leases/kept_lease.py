"""A lease that is kept in a checkpoint: of all processes that share it, one has the right to some work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from ragbase.domain.lease import Lease
from ragbase.ports.checkpoints import Checkpoints
from ragbase.ports.clock import Clock

FREE = Lease("", 0, datetime.min.replace(tzinfo=UTC))
"""The lease of what nobody has ever had."""


class KeptLease:
    """The right to some work. Its holder renews it, and gives it back; if the process dies, it runs out after `length`.

    A text may keep more than the lease. `lease_in` reads its lease, and `with_lease` is the text with another one. None
    is the text of a checkpoint that was never written. All changes are made by compare-and-set.
    """

    def __init__(
        self,
        name: str,
        checkpoints: Checkpoints,
        clock: Clock,
        *,
        length: timedelta,
        lease_in: Callable[[str | None], Lease],
        with_lease: Callable[[str | None, Lease], str],
    ) -> None:
        """`name` is that of the checkpoint."""
        self._name = name
        self._checkpoints = checkpoints
        self._clock = clock
        self._length = length
        self._lease_in = lease_in
        self._with_lease = with_lease
        self._held = FREE

    @property
    def until(self) -> datetime:
        """Until when this process may rely on it. Long ago if it does not have it."""
        return self._held.until

    @property
    def is_over(self) -> bool:
        return not self._held.runs(self._clock.now())

    def is_mine(self) -> bool:
        """Whether nobody has taken it since, although it may be over."""
        return self._lease_in(self._checkpoints.load(self._name)).same_claim(self._held)

    def take(
        self,
        worker: str = "",
        begin: Callable[[str | None], tuple[str | None, bool]] = lambda text: (text, True),
    ) -> bool:
        """Whether this process has it now. It is free if nobody holds it, or this `worker` does: the answer to a call
        before may be lost. `begin` makes of a free text what to keep, and says whether to take the lease."""
        taken = False

        def change(text: str | None) -> str | None:
            nonlocal taken
            taken = False
            lease, now = self._lease_in(text), self._clock.now()
            if lease.runs(now) and not (worker and lease.worker == worker):
                return text
            begun, taken = begin(text)
            mine = Lease(worker, lease.claim + 1, now + self._length)
            return self._with_lease(begun, mine) if taken else begun

        text = self._checkpoints.update(self._name, change)
        if taken:
            self._held = self._lease_in(text)
        return taken

    def renew(self, change: Callable[[str | None], str | None] = lambda text: text) -> bool:
        """Hold it for `length` from now, and change what else is kept. False if somebody else has taken it, or it was
        given back: then nothing changes."""
        return self._update(change, self._clock.now() + self._length)

    def give_back(self, change: Callable[[str | None], str | None] = lambda text: text) -> bool:
        """Let others take it. False as `renew`."""
        return self._update(change, FREE.until)

    def _update(self, change: Callable[[str | None], str | None], until: datetime) -> bool:
        is_mine = False

        def changed(text: str | None) -> str | None:
            nonlocal is_mine
            lease = self._lease_in(text)
            is_mine = lease.same_claim(self._held) and lease.until != FREE.until
            return self._with_lease(change(text), replace(self._held, until=until)) if is_mine else text

        text = self._checkpoints.update(self._name, changed)
        if is_mine:
            self._held = self._lease_in(text)
        return is_mine
