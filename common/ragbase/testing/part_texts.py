"""Part texts in a dictionary."""

from __future__ import annotations

from collections.abc import Sequence

from ragbase.ports import Clock, StoredText
from ragbase.testing.generation_values import GenerationValues


class MemoryPartTexts:
    """Implements the PartTexts port."""

    def __init__(self, clock: Clock) -> None:
        self._texts = GenerationValues[str](clock)

    def put(self, document_id: str, generation: int, name: str, text: str) -> None:
        self._texts.put(document_id, generation, name, text)

    def read(self, document_id: str, generation: int, name: str) -> str | None:
        return self._texts.read(document_id, generation, name)

    def delete(self, document_id: str, generation: int) -> None:
        self._texts.delete(document_id, generation)

    def scan(self, *, after: str = "", limit: int) -> Sequence[StoredText]:
        return self._texts.scan(after=after, limit=limit)
