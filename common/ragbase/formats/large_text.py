"""Texts of some size are read in a process of their own, which has limits of time and memory: whatever a file does to
its reader, the documents beside it are read."""

from __future__ import annotations

from array import array
from pathlib import Path
from threading import BoundedSemaphore
from typing import TYPE_CHECKING

from ragbase.domain.errors import ConfigurationError, ErrorCode, PermanentError
from ragbase.domain.extraction import Extraction, Section
from ragbase.domain.left_out import LeftOut
from ragbase.domain.metadata import DocumentMetadata
from ragbase.formats import large_text_process
from ragbase.formats.child_answer import read_answer
from ragbase.formats.extraction_limits import SHORT_TIME
from ragbase.formats.sandbox.run import Crashed, TimedOut, run_sandboxed
from ragbase.processors import processors

if TYPE_CHECKING:
    from ragbase.formats.extraction_limits import ExtractionLimits

PROCESS = Path(large_text_process.__file__)
BYTES_PER_CHARACTER = 4
HEAD_BYTES = 256 * 1024 * 1024
"""The most that a character takes in UTF-8, and that everything else takes: there are two numbers for each entry."""

_TURNS = BoundedSemaphore(max(2, processors()))
"""More processes at a time would be no faster, and each takes some 50 MB of memory beside what its text takes."""


def read_large_text(data: bytes, format: str, limits: ExtractionLimits) -> Extraction:
    """What the format's own `read` gives in this process. Raises PermanentError as that does, TIMEOUT, and
    FILE_TOO_LARGE for want of memory; ConfigurationError where a library is missing."""
    try:
        with _TURNS:
            answer = run_sandboxed(
                PROCESS,
                data,
                memory_bytes=limits.memory_bytes,
                output_bytes=BYTES_PER_CHARACTER * limits.max_text_characters + HEAD_BYTES,
                seconds=limits.timeout_seconds,
                options=(format, str(limits.max_text_characters)),
            )
    except Crashed as error:
        raise PermanentError(
            ErrorCode.FILE_TOO_LARGE,
            f"To read the file takes more than the {limits.memory_bytes} bytes of memory that one file may take (the "
            "setting extract_memory). Split it into smaller files.",
        ) from error
    except TimedOut as error:
        raise PermanentError(
            ErrorCode.TIMEOUT,
            f"The file could not be read within {limits.timeout_seconds:g} seconds (the setting extract_timeout; at "
            f"most {SHORT_TIME:g} for a text of up to 4 MB). Split it into smaller files.",
        ) from error
    end = answer.find(b"\n")
    head = read_answer(answer[: max(end, 0)])
    if "reason" in head:
        if head["code"] is None:
            raise ConfigurationError(head["reason"])
        raise PermanentError(ErrorCode(head["code"]), head["reason"])
    said = head["metadata"]
    metadata = DocumentMetadata(
        title=said["title"],
        tags=tuple(said["tags"]),
        date=said["date"],
        url=said["url"],
        front_matter=tuple((key, text) for key, text in said["front_matter"]),
    )
    return Extraction(
        str(memoryview(answer)[end + 1 :], "utf-8"),
        entries=tuple(head["entries"]),
        rows=array("q", head["rows"]) if head["rows"] else (),
        metadata=metadata,
        notes=tuple(head["notes"]),
        left_out=tuple(LeftOut(**text) for text in head["left_out"]),
        plain_until=head["plain_until"],
        sections=None if head["sections"] is None else tuple(Section(*section) for section in head["sections"]),
    )
