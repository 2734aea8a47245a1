"""Dead letters in a dictionary."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

from ragbase.domain.dead_letter import DeadLetter


class MemoryDeadLetters:
    """Implements the DeadLetters port."""

    def __init__(self) -> None:
        self._letters: dict[str, DeadLetter] = {}
        self._lock = threading.Lock()

    def keep(self, letter: DeadLetter) -> None:
        with self._lock:
            known = self._letters.get(letter.id, letter)
            self._letters[letter.id] = replace(letter, first_seen=known.first_seen)

    def get(self, id: str) -> DeadLetter | None:
        with self._lock:
            return self._letters.get(id)

    def about(self, document_id: str) -> Sequence[DeadLetter]:
        return [letter for letter in self._newest() if letter.document_id == document_id]

    def page(self, *, before: DeadLetter | None = None, limit: int) -> Sequence[DeadLetter]:
        newest = self._newest()
        return [letter for letter in newest if before is None or _place(letter) < _place(before)][:limit]

    def remove(self, letter: DeadLetter) -> bool:
        with self._lock:
            known = self._letters.get(letter.id)
            if known is None or known.last_seen != letter.last_seen:
                return False
            del self._letters[letter.id]
            return True

    def _newest(self) -> list[DeadLetter]:
        with self._lock:
            return sorted(self._letters.values(), key=_place, reverse=True)


def _place(letter: DeadLetter) -> tuple[object, str]:
    return (letter.last_seen, letter.id)
