"""Subtitles of films (SubRip, .srt): what is said, without numbers and times."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragbase.domain.lane import Lane
from ragbase.formats.added import AddedFormat
from ragbase.formats.format import Format
from ragbase.formats.reader import Reader

if TYPE_CHECKING:
    from ragbase.domain.extraction import Extraction
    from ragbase.formats.extraction_limits import ExtractionLimits

TIMES = re.compile(r"\d+:\d\d:\d\d[,.]\d{3} --> .*")


def check_srt(data: bytes) -> None:
    """Raises PermanentError for a file that is certainly something else, such as a ZIP archive with this name."""
    from ragbase.formats.text import check_text_file

    check_text_file(data)


def read_srt(data: bytes, limits: ExtractionLimits) -> Extraction:
    """The lines of each subtitle are a paragraph. Raises PermanentError for a text that is too long or no text."""
    from ragbase.formats.markdown_text import MarkdownText
    from ragbase.formats.text import decode_within

    decoded = decode_within(data, limits)
    out = MarkdownText(limits.max_text_characters)
    for subtitle in re.split(r"\n\s*\n", decoded.text):
        lines = subtitle.strip().splitlines()
        if len(lines) > 1 and TIMES.fullmatch(lines[1].strip()):
            lines = lines[2:]
        out.prose("\n".join(lines))
        out.blank()
    return out.extraction(notes=decoded.notes)


SRT = AddedFormat(
    format=Format(name="srt", extensions=(".srt",), content_types=("application/x-subrip",), lane=Lane.FAST),
    reader=Reader(version="srt-v1", check=check_srt, read=read_srt),
)
"""What the entry point refers to."""
