"""Values by document, generation and name, in a dictionary."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import Generic, TypeVar

from ragbase.ports import Clock, StoredText

_Value = TypeVar("_Value")


class GenerationValues(Generic[_Value]):
    """Any thread may use them."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._values: dict[tuple[str, int], dict[str, tuple[_Value, datetime]]] = {}
        self._lock = threading.Lock()

    def put(self, document_id: str, generation: int, name: str, value: _Value) -> None:
        with self._lock:
            self._values.setdefault((document_id, generation), {})[name] = (value, self._clock.now())

    def read(self, document_id: str, generation: int, name: str) -> _Value | None:
        with self._lock:
            value, _ = self._values.get((document_id, generation), {}).get(name, (None, None))
            return value

    def delete(self, document_id: str, generation: int) -> None:
        with self._lock:
            self._values.pop((document_id, generation), None)

    def scan(self, *, after: str, limit: int) -> Sequence[StoredText]:
        """As the ports PartTexts and WordBoxes have it."""
        with self._lock:
            stored = [
                StoredText(document_id=id, generation=generation, written_at=max(at for _, at in values.values()))
                for (id, generation), values in sorted(self._values.items())
                if id > after
            ]
        found: list[StoredText] = []
        for _, of_document in groupby(stored, key=lambda one: one.document_id):
            found += of_document
            if len(found) >= limit:
                break
        return found
