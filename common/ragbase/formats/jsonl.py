"""JSON Lines as Markdown: each line is an entry."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from ragbase.formats.decode import beginning
from ragbase.formats.json import mistake, not_json
from ragbase.formats.reader import Reader
from ragbase.formats.text import check_text_file, decode_within

if TYPE_CHECKING:
    from ragbase.domain.extraction import Extraction
    from ragbase.formats.extraction_limits import ExtractionLimits

LINE = re.compile(r"[^\r\n]+")
LOOK = 1024 * 1024
"""Bytes at the beginning that prove the format. Longer lines prove nothing."""

SHOWN_ERRORS = 3
"""Mistakes of a file that its note names."""


def read_jsonl_file(data: bytes, limits: ExtractionLimits) -> Extraction:
    """A line that is not JSON, as where a log was cut, is kept as the text that it is, with a note.

    Raises PermanentError: as `decode_within` and OutlinedText, and CORRUPT_FILE if no line is JSON.
    """
    from ragbase.formats.json_parts import parse_json
    from ragbase.formats.outlined import OutlinedText, too_deep

    decoded = decode_within(data, limits)
    text = OutlinedText(limits.max_text_characters)
    first: list[str] = []
    number = bad = 0
    for number, line in enumerate(_lines(decoded.text), start=1):
        try:
            value = parse_json(line[0])
        except json.JSONDecodeError as error:
            bad += 1
            if len(first) < SHOWN_ERRORS:
                first.append(mistake(error, decoded.text, line.start()))
            value = line[0]
        except RecursionError:
            too_deep()
        text.add_entry("item", number, value)
    if first and bad == number:
        raise not_json(first[0])
    notes = (*decoded.notes, _note(first, bad)) if first else decoded.notes
    del decoded  # there is room for one text, not for two
    return text.extraction(notes)


def _lines(text: str) -> Iterator[re.Match[str]]:
    """Those that are not blank."""
    return (line for line in LINE.finditer(text) if not line[0].isspace())


def _note(first: list[str], bad: int) -> str:
    found = "; ".join(first)
    if bad == 1:
        return f"1 line is not valid JSON, and is read as plain text: {found}."
    rest = f"; and {bad - len(first)} more" if bad > len(first) else ""
    return f"{bad} lines are not valid JSON, and are read as plain text: {found}{rest}."


def is_jsonl(data: bytes) -> bool:
    """Whether the first two lines are an object or a list each. Those that follow may be broken."""
    if not beginning(data, 64).lstrip().startswith(("{", "[")):
        return False
    from ragbase.formats.json_parts import skim_json

    lines = [line[0] for line in islice(_lines(beginning(data, LOOK)), 2)]
    try:
        return len(lines) == 2 and all(isinstance(skim_json(line), tuple | list) for line in lines)  # noqa: PLR2004
    except (json.JSONDecodeError, RecursionError):
        return False


READER = Reader(
    version="jsonl-v3",
    check=check_text_file,
    read=read_jsonl_file,
    proves=is_jsonl,
)
