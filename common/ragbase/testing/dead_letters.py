"""Dead letters in a dictionary."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

from ragbase.domain.dead_letter import DeadLetter
from ragbase.ports import DeadLetterPlace


class MemoryDeadLetters:
    """Implements the DeadLetters port."""

    def __init__(self) -> None:
        self._letters: dict[str, DeadLetter] = {}
        self._lock = threading.Lock()

    def keep(self, dead_letter: DeadLetter) -> None:
        with self._lock:
            known = self._letters.get(dead_letter.id, dead_letter)
            self._letters[dead_letter.id] = replace(dead_letter, first_seen=known.first_seen)

    def get(self, id: str) -> DeadLetter | None:
        with self._lock:
            return self._letters.get(id)

    def about(self, document_id: str) -> Sequence[DeadLetter]:
        return [dead_letter for dead_letter in self._newest() if dead_letter.document_id == document_id]

    def page(self, *, before: DeadLetter | DeadLetterPlace | None = None, limit: int) -> Sequence[DeadLetter]:
        newest = self._newest()
        return [dead_letter for dead_letter in newest if before is None or _place(dead_letter) < _place(before)][:limit]

    def remove(self, dead_letter: DeadLetter) -> bool:
        with self._lock:
            known = self._letters.get(dead_letter.id)
            if known is None or known.last_seen != dead_letter.last_seen:
                return False
            del self._letters[dead_letter.id]
            return True

    def _newest(self) -> list[DeadLetter]:
        with self._lock:
            return sorted(self._letters.values(), key=_place, reverse=True)


def _place(dead_letter: DeadLetter | DeadLetterPlace) -> tuple[object, str]:
    return (dead_letter.last_seen, dead_letter.id)
