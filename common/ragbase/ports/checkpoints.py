"""The progress of work that takes several runs."""

from __future__ import annotations

from typing import Protocol


class Checkpoints(Protocol):
    """Keeps the progress of work that takes several runs."""

    def load(self, name: str) -> str | None:
        """The text that was saved last under this name; None if there is none, or it was cleared."""
        ...

    def save(self, name: str, text: str | None) -> None:
        """Replace the text under this name, durably. None clears it."""
        ...
