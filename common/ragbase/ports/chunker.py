"""Markdown to passages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ragbase.domain.chunk import Passage
    from ragbase.domain.chunk_size import ChunkSize
    from ragbase.domain.extraction import Extraction


class Chunker(Protocol):
    """Splits an extraction into passages. `fingerprint` names everything that decides where it cuts."""

    @property
    def fingerprint(self) -> str: ...

    def sized(self, size: ChunkSize | None) -> Chunker:
        """This chunker with another size; itself for None."""

    def split(self, extraction: Extraction) -> list[Passage]:
        """In order. Raises PermanentError (FILE_TOO_LARGE) for more passages than one document may have."""
