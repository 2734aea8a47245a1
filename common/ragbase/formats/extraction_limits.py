"""How much of the machine one file may take."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.limits import LARGE_TEXT, MAX_GROWTH, SMALL_TEXT

GIB = 1024**3
SHORT_TIME = 60.0
"""Seconds for a text of the fast lane, whose attempts end after 75."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionLimits:
    """Bounds of one extraction, and where its data is. No bound changes what comes out of a file that stays within it.

    `memory_bytes` is the address space of a process that reads one file, and `timeout_seconds` its time by the wall
    clock. `max_text_characters` bounds the Markdown of one document: a small file can unpack to a huge text.
    """

    memory_bytes: int = GIB
    timeout_seconds: float = 300
    max_text_characters: int = 64 * 1024 * 1024

    ocr_data: Path | None = None
    """The folder with the data of the languages that OCR reads. None: there is no OCR."""

    def for_text(self, size: int) -> ExtractionLimits:
        """Those of a text file of `size` bytes, which packs nothing."""
        most = min(self.max_text_characters, max(SMALL_TEXT, MAX_GROWTH * size))
        seconds = self.timeout_seconds if size > LARGE_TEXT else min(self.timeout_seconds, SHORT_TIME)
        return replace(self, max_text_characters=most, timeout_seconds=seconds)

    def check(self, characters: int) -> None:
        """Raises PermanentError (FILE_TOO_LARGE) for a text of more characters than one document may have."""
        if characters > self.max_text_characters:
            raise PermanentError(
                ErrorCode.FILE_TOO_LARGE,
                f"The file has {characters} characters of text; at most {self.max_text_characters} are read. Split it "
                "into smaller files.",
            )
