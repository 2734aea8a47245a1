"""How far work has come that takes several runs."""

from __future__ import annotations

from typing import Protocol


class Checkpoints(Protocol):
    """Where work that takes several runs keeps how far it has come."""

    def load(self, name: str) -> str | None:
        """What was saved last under this name; None where nothing was, or where it was cleared."""
        ...

    def save(self, name: str, text: str | None) -> None:
        """Keep `text` under the name, durably, in place of what was there. None clears it."""
        ...
