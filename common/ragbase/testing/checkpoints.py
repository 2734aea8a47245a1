"""Checkpoints in a dictionary."""

from __future__ import annotations

import threading
from collections.abc import Callable


class MemoryCheckpoints:
    """Implements the Checkpoints port."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._updating = threading.Lock()

    def load(self, name: str) -> str | None:
        return self._texts.get(name)

    def save(self, name: str, text: str | None) -> None:
        if text is None:
            self._texts.pop(name, None)
        else:
            self._texts[name] = text

    def update(self, name: str, change: Callable[[str | None], str | None]) -> str | None:
        with self._updating:
            text = change(self._texts.get(name))
            self.save(name, text)
            return text
