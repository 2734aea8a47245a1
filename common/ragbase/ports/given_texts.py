"""The texts that extractors elsewhere have given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredText:
    """Where a stored text belongs, and when it was written."""

    document_id: str
    generation: int
    written_at: datetime


class GivenTexts(Protocol):
    """One text for each document and number of a given text (domain/given_text.py)."""

    def put(self, document_id: str, generation: int, text: str) -> None:
        """Write the text durably. A second call with the same text changes nothing."""
        ...

    def read(self, document_id: str, generation: int) -> str:
        """Raises GenerationGone if there is no such text."""
        ...

    def delete(self, document_id: str, generation: int) -> None:
        """Remove the text, if it is there."""
        ...

    def scan(self, *, after: str = "", limit: int) -> Sequence[StoredText]:
        """The texts of the next documents after the id `after`, by id. If there is another document after them, they
        are at least `limit`; the texts of one document are never divided."""
        ...
