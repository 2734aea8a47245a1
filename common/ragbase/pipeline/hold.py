"""A hold: for a moment, no document flips. A reindex makes what is left, and switches to the index that it has built.

A reindex that dies cannot end its hold, so each hold runs out after LENGTH. A reindex that needs it for
longer extends it in time.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.ports import Ports

LENGTH = timedelta(minutes=2)
"""Mostly longer than a reindex needs for a page of documents. If it needs longer, it begins its last passes again."""

CHECKPOINT = "hold"
"""Its text is the time at which the hold runs out."""


def is_held(ports: Ports) -> bool:
    """Whether somebody holds all flips."""
    text = ports.checkpoints.load(CHECKPOINT)
    return text is not None and datetime.fromisoformat(text) > ports.clock.now()


class Hold:
    """The hold of one reindex. It begins as soon as it is made, and takes the place of another one."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._until = self._save()

    def extend(self) -> bool:
        """Let it last for at least three quarters of LENGTH from now. False if it was over before: documents may have
        flipped."""
        if self._until - self._ports.clock.now() > LENGTH * 3 / 4:
            return True
        before = self._until
        if not self._is_mine():
            return False
        self._until = self._save()
        return self._ports.clock.now() < before

    def lasts(self) -> bool:
        """Whether half of LENGTH is left, so that even a slow switch ends before the hold does, and no other one has
        taken its place."""
        return self._is_mine() and self._until - self._ports.clock.now() > LENGTH / 2

    def end(self) -> None:
        if self._is_mine():
            self._ports.checkpoints.save(CHECKPOINT, None)

    def _save(self) -> datetime:
        until = self._ports.clock.now() + LENGTH
        self._ports.checkpoints.save(CHECKPOINT, until.isoformat())
        return until

    def _is_mine(self) -> bool:
        return self._ports.checkpoints.load(CHECKPOINT) == self._until.isoformat()
