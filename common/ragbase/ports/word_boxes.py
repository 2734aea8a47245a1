"""Where the words of documents stand on their pages, beside the chunks that have the text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ragbase.ports.given_texts import StoredText


class WordBoxes(Protocol):
    """Boxes (domain/word_boxes.py) for each document, generation and reader. `reader` names everything that decided the
    text that they are for (domain/reading.py): while a reindex goes on, one generation has the texts of two readers."""

    def put(self, document_id: str, generation: int, reader: str, boxes: bytes) -> None:
        """Write the boxes durably, in the place of those of this reader."""
        ...

    def read(self, document_id: str, generation: int, reader: str) -> bytes | None:
        """None if there are none of this reader."""
        ...

    def delete(self, document_id: str, generation: int) -> None:
        """Remove all boxes of the generation."""
        ...

    def scan(self, *, after: str = "", limit: int) -> Sequence[StoredText]:
        """For the next documents after the id `after`, by id: each generation that has boxes, and when the last of
        these were written. If there is another document after them, they are at least `limit`; those of one document
        are never divided."""
        ...
