"""The texts of the parts of long documents, until the last part is read and the chunks are made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ragbase.ports.given_texts import StoredText


class PartTexts(Protocol):
    """Several texts for each document and generation. A part's `name` says which pages they are, and who has read them
    (domain/reading.py)."""

    def put(self, document_id: str, generation: int, name: str, text: str) -> None:
        """Write the text durably, in the place of the one that has the name."""
        ...

    def read(self, document_id: str, generation: int, name: str) -> str | None:
        """None if there is no such text."""
        ...

    def delete(self, document_id: str, generation: int) -> None:
        """Remove all texts of the generation."""
        ...

    def scan(self, *, after: str = "", limit: int) -> Sequence[StoredText]:
        """For the next documents after the id `after`, by id: each generation that has texts, and when the last of
        these was written. If there is another document after them, they are at least `limit`; those of one document are
        never divided."""
        ...
