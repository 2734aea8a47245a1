"""Given texts in a dictionary."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import datetime
from itertools import groupby

from ragbase.domain.errors import GenerationGone
from ragbase.ports import Clock, StoredText


class MemoryGivenTexts:
    """Implements the GivenTexts port."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._texts: dict[tuple[str, int], tuple[str, datetime]] = {}
        self._lock = threading.Lock()

    def put(self, document_id: str, generation: int, text: str) -> None:
        with self._lock:
            self._texts[document_id, generation] = (text, self._clock.now())

    def read(self, document_id: str, generation: int) -> str:
        with self._lock:
            if (document_id, generation) not in self._texts:
                raise GenerationGone(f"Document {document_id} has no given text {generation}.")
            return self._texts[document_id, generation][0]

    def delete(self, document_id: str, generation: int) -> None:
        with self._lock:
            self._texts.pop((document_id, generation), None)

    def scan(self, *, after: str = "", limit: int) -> Sequence[StoredText]:
        with self._lock:
            texts = [
                StoredText(document_id=id, generation=generation, written_at=written_at)
                for (id, generation), (_, written_at) in sorted(self._texts.items())
                if id > after
            ]
        found: list[StoredText] = []
        for _, of_document in groupby(texts, key=lambda text: text.document_id):
            found += of_document
            if len(found) >= limit:
                break
        return found
