"""Bytes to Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ragbase.domain.routing import Format

if TYPE_CHECKING:
    from ragbase.domain.chunk import Extraction


class Extractor(Protocol):
    """Bytes to Markdown."""

    @property
    def fingerprint(self) -> str:
        """Names the version of everything that decides what comes out."""
        ...

    def detect(self, data: bytes, promised: Format) -> Format:
        """The format that the content really has. Raises PermanentError where nothing here reads it."""
        ...

    def extract(self, data: bytes, format: Format) -> Extraction:
        """Raises PermanentError with the code that fits."""
        ...
