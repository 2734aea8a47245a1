"""Bytes to Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ragbase.domain.chunk import Extraction


class Extractor(Protocol):
    """Bytes to Markdown. Formats are given by their names (ragbase/formats/table.py)."""

    @property
    def versions(self) -> str:
        """Names the versions of all formats: an index holds documents of all of them."""
        ...

    def version(self, format: str) -> str:
        """Names everything that decides which text a file of this format gives."""
        ...

    def allows(self, format: str) -> bool:
        """Whether the settings allow documents of this format."""
        ...

    def detect(self, data: bytes, promised: str | None) -> str:
        """The format that the content really has; None promises nothing. Raises PermanentError if no allowed format
        fits."""
        ...

    def extract(self, data: bytes, format: str) -> Extraction:
        """Raises PermanentError with the code that fits."""
        ...
