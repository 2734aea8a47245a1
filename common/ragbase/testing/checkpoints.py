"""Checkpoints in a dictionary."""

from __future__ import annotations


class MemoryCheckpoints:
    """Implements the Checkpoints port."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def load(self, name: str) -> str | None:
        return self._texts.get(name)

    def save(self, name: str, text: str | None) -> None:
        if text is None:
            self._texts.pop(name, None)
        else:
            self._texts[name] = text
