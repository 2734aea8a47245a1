"""Word boxes in a dictionary."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby

from ragbase.ports import Clock, StoredText


class MemoryWordBoxes:
    """Implements the WordBoxes port."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._boxes: dict[tuple[str, int], dict[str, tuple[bytes, datetime]]] = {}
        self._lock = threading.Lock()

    def put(self, document_id: str, generation: int, reader: str, boxes: bytes) -> None:
        with self._lock:
            self._boxes.setdefault((document_id, generation), {})[reader] = (boxes, self._clock.now())

    def read(self, document_id: str, generation: int, reader: str) -> bytes | None:
        with self._lock:
            boxes, _ = self._boxes.get((document_id, generation), {}).get(reader, (None, None))
            return boxes

    def delete(self, document_id: str, generation: int) -> None:
        with self._lock:
            self._boxes.pop((document_id, generation), None)

    def scan(self, *, after: str = "", limit: int) -> Sequence[StoredText]:
        with self._lock:
            stored = [
                StoredText(document_id=id, generation=generation, written_at=max(at for _, at in boxes.values()))
                for (id, generation), boxes in sorted(self._boxes.items())
                if id > after
            ]
        found: list[StoredText] = []
        for _, of_document in groupby(stored, key=lambda one: one.document_id):
            found += of_document
            if len(found) >= limit:
                break
        return found
