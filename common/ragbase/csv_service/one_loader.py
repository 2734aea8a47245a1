"""Only one process at a time loads rows: another one could remove what this one has just written."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime

from ragbase.domain.errors import Busy, TransientError
from ragbase.domain.lease import LOADER_LEASE, Lease
from ragbase.leases.heartbeat import heartbeat
from ragbase.leases.kept_lease import FREE, KeptLease
from ragbase.ports import Checkpoints, Clock

_BEAT = LOADER_LEASE.total_seconds() / 3
_LOOK = 0.5
"""Seconds between two looks whether it is free."""


class OneLoader:
    """A lease that the processes with the same checkpoints share. A thread that has it may enter it again."""

    def __init__(self, checkpoints: Checkpoints, clock: Clock, owner: str, wait: Callable[[float], object]) -> None:
        """`owner` names this process, and no other. `wait` waits for so many seconds."""
        self._lease = KeptLease(
            "csv-loader", checkpoints, clock, length=LOADER_LEASE, lease_in=_lease_in, with_lease=_with_lease
        )
        self._owner = owner
        self._wait = wait
        self._thread = threading.RLock()
        self._depth = 0

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Wait until no other process loads, and keep the lease while the context is entered."""
        with self._thread:
            if self._depth:
                yield
                return
            while not self._lease.take(self._owner):
                self._wait(_LOOK)
            self._depth += 1
            try:
                with heartbeat(self._beat, every=_BEAT):
                    yield
            finally:
                self._depth -= 1
                with suppress(TransientError):  # it runs out by itself
                    self._lease.give_back()

    def check(self) -> None:
        """Call it before each write. Raises Busy if the lease is over, because this process stood still."""
        if self._lease.is_over:
            raise Busy("Loading the CSV file took longer than its lease, and another process may load it. Load again.")

    def _beat(self) -> bool:
        """Whether to go on. A lease that is over is not renewed: another process may have had it meanwhile."""
        try:
            return not self._lease.is_over and self._lease.renew()
        except TransientError:
            return True


def _lease_in(text: str | None) -> Lease:
    if text is None:
        return FREE
    lease = json.loads(text)
    return Lease(lease["owner"], 0, datetime.fromisoformat(lease["until"]))


def _with_lease(_: str | None, lease: Lease) -> str:
    return json.dumps({"owner": lease.worker, "until": lease.until.isoformat()})
