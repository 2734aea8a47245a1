"""How much of the machine one file may take."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

GIB = 1024**3


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
