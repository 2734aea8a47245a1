"""Short texts that outlive a process: the progress of work that takes several runs, and what all processes share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Checkpoints(Protocol):
    """Keeps short texts by name, for all processes."""

    def load(self, name: str) -> str | None:
        """The text that was saved last under this name; None if there is none, or it was cleared."""
        ...

    def save(self, name: str, text: str | None) -> None:
        """Replace the text under this name, durably. None clears it."""
        ...

    def update(self, name: str, change: Callable[[str | None], str | None]) -> str | None:
        """Replace the text under this name by what `change` makes of it, in one step, and return that.

        `change` may be called several times, as others may write in between; it gets the text, or None if there is
        none. If it returns what it got, nothing is written. It never returns None for a text. If the answer of a write
        is lost, the change may be made twice. Raises Unavailable if others write all the time.
        """
        ...
