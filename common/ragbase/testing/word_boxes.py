"""Word boxes in a dictionary."""

from __future__ import annotations

from collections.abc import Sequence

from ragbase.ports import Clock, StoredText
from ragbase.testing.generation_values import GenerationValues


class MemoryWordBoxes:
    """Implements the WordBoxes port."""

    def __init__(self, clock: Clock) -> None:
        self._boxes = GenerationValues[bytes](clock)

    def put(self, document_id: str, generation: int, reader: str, boxes: bytes) -> None:
        self._boxes.put(document_id, generation, reader, boxes)

    def read(self, document_id: str, generation: int, reader: str) -> bytes | None:
        return self._boxes.read(document_id, generation, reader)

    def delete(self, document_id: str, generation: int) -> None:
        self._boxes.delete(document_id, generation)

    def scan(self, *, after: str = "", limit: int) -> Sequence[StoredText]:
        return self._boxes.scan(after=after, limit=limit)
