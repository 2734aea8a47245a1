"""Only one process at a time loads rows: another one could remove what this one has just written."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta

from ragbase.domain.errors import Busy, TransientError
from ragbase.pipeline.heartbeat import heartbeat
from ragbase.ports import Checkpoints, Clock

_NAME = "csv-loader"
_LEASE = timedelta(seconds=10)
"""If a process dies, others wait no longer than that."""
_BEAT = _LEASE.total_seconds() / 3
_LOOK = 0.5
"""Seconds between two looks whether it is free."""


class OneLoader:
    """A lease that the processes with the same checkpoints share. A thread that has it may enter it again."""

    def __init__(self, checkpoints: Checkpoints, clock: Clock, owner: str, wait: Callable[[float], object]) -> None:
        """`owner` names this process, and no other. `wait` waits for so many seconds."""
        self._checkpoints = checkpoints
        self._clock = clock
        self._owner = owner
        self._wait = wait
        self._thread = threading.RLock()
        self._depth = 0
        self._until: datetime | None = None

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Wait until no other process loads, and keep the lease while the context is entered."""
        with self._thread:
            if self._depth:
                yield
                return
            while not self._take():
                self._wait(_LOOK)
            self._depth += 1
            try:
                with heartbeat(self._beat, every=_BEAT):
                    yield
            finally:
                self._depth -= 1
                self._until = None
                self._give_back()

    def check(self) -> None:
        """Call it before each write. Raises Busy if the lease is over, because this process stood still."""
        if self._until is None or self._clock.now() >= self._until:
            raise Busy("Loading the CSV file took longer than its lease, and another process may load it. Load again.")

    def _take(self) -> bool:
        now = self._clock.now()
        until = now + _LEASE
        mine = _lease(self._owner, until)
        taken = self._checkpoints.update(_NAME, lambda text: mine if self._may_take(text, now) else text) == mine
        if taken:
            self._until = until
        return taken

    def _may_take(self, text: str | None, now: datetime) -> bool:
        if text is None:
            return True
        lease = json.loads(text)
        return bool(lease["owner"] == self._owner or datetime.fromisoformat(lease["until"]) <= now)

    def _give_back(self) -> None:
        """A lease that another process has taken meanwhile stays. If this fails, the lease runs out by itself."""
        now = self._clock.now()
        with suppress(TransientError):
            self._checkpoints.update(_NAME, lambda text: _lease("", now) if self._may_take(text, now) else text)

    def _beat(self) -> bool:
        """Whether to go on. A lease that is over is not renewed: another process may have had it meanwhile."""
        try:
            self.check()
            return self._take()
        except Busy:
            return False
        except TransientError:
            return True


def _lease(owner: str, until: datetime) -> str:
    return json.dumps({"owner": owner, "until": until.isoformat()})
