"""Part texts in a dictionary."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby

from ragbase.ports import Clock, StoredText


class MemoryPartTexts:
    """Implements the PartTexts port."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._texts: dict[tuple[str, int], dict[str, tuple[str, datetime]]] = {}
        self._lock = threading.Lock()

    def put(self, document_id: str, generation: int, name: str, text: str) -> None:
        with self._lock:
            self._texts.setdefault((document_id, generation), {})[name] = (text, self._clock.now())

    def read(self, document_id: str, generation: int, name: str) -> str | None:
        with self._lock:
            text, _ = self._texts.get((document_id, generation), {}).get(name, (None, None))
            return text

    def delete(self, document_id: str, generation: int) -> None:
        with self._lock:
            self._texts.pop((document_id, generation), None)

    def scan(self, *, after: str = "", limit: int) -> Sequence[StoredText]:
        with self._lock:
            stored = [
                StoredText(document_id=id, generation=generation, written_at=max(at for _, at in texts.values()))
                for (id, generation), texts in sorted(self._texts.items())
                if id > after
            ]
        found: list[StoredText] = []
        for _, of_document in groupby(stored, key=lambda one: one.document_id):
            found += of_document
            if len(found) >= limit:
                break
        return found
