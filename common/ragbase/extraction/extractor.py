"""Bytes → Extraction: the port's implementation."""

from __future__ import annotations

from ragbase.domain.chunk import Extraction
from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.routing import Format
from ragbase.extraction.detection import detect_format
from ragbase.extraction.json_markdown import json_to_markdown
from ragbase.extraction.limits import ExtractionLimits
from ragbase.extraction.text import decode

__all__ = ["ExtractionLimits", "Extractor"]

VERSION = "extraction-v1"
"""Raise it with every change, also of a library, that makes another text of any file."""


class Extractor:
    """Text, Markdown, JSON and PDFs with a text layer. PDFs are read in a process of their own."""

    def __init__(self, limits: ExtractionLimits | None = None) -> None:
        self._limits = limits or ExtractionLimits()

    @property
    def fingerprint(self) -> str:
        return VERSION

    def detect(self, data: bytes, promised: Format) -> Format:
        """The format that the content really has. Raises PermanentError where nothing here reads it."""
        return detect_format(data, promised)

    def extract(self, data: bytes, format: Format) -> Extraction:
        """Raises PermanentError with the code that fits, ConfigurationError where a PDF cannot be read here."""
        if format is Format.PDF:
            from ragbase.extraction.pdf import pdf_to_markdown

            return pdf_to_markdown(data, self._limits)
        text = decode(data)
        if len(text) > self._limits.max_text_characters:
            raise PermanentError(
                ErrorCode.FILE_TOO_LARGE,
                f"The file has {len(text)} characters of text; at most {self._limits.max_text_characters} are read. "
                "Split it into smaller files.",
            )
        if format is Format.JSON and text.strip():
            return Extraction(json_to_markdown(text, self._limits.max_text_characters))
        return Extraction(text)
