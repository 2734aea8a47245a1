"""JSON Lines as Markdown: each line is an entry."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from ragbase.formats.decode import beginning
from ragbase.formats.json import not_json
from ragbase.formats.reader import Reader
from ragbase.formats.text import check_text_file, decode_within

if TYPE_CHECKING:
    from ragbase.domain.extraction import Extraction
    from ragbase.formats.extraction_limits import ExtractionLimits
    from ragbase.formats.outlined import Value

LINE = re.compile(r"[^\n]*\S[^\n]*")
LOOK = 1024 * 1024
"""Bytes at the beginning that prove the format. Longer lines prove nothing."""


def read_jsonl_file(data: bytes, limits: ExtractionLimits) -> Extraction:
    """Raises PermanentError: as `decode_within` and OutlinedText, and CORRUPT_FILE for a line that is not JSON."""
    from ragbase.formats.outlined import OutlinedText

    decoded = decode_within(data, limits)
    text = OutlinedText(limits.max_text_characters)
    for number, value in enumerate(_values(decoded.text), start=1):
        text.add_entry("item", number, value)
    notes = decoded.notes
    del decoded  # there is room for one text, not for two
    return text.extraction(notes)


def _values(text: str) -> Iterator[Value]:
    from ragbase.formats.json_parts import parse_json
    from ragbase.formats.outlined import too_deep

    for line in LINE.finditer(text):
        try:
            yield parse_json(line[0])
        except json.JSONDecodeError as error:
            raise not_json(json.JSONDecodeError(error.msg, text, line.start() + error.pos)) from error
        except RecursionError:
            too_deep()


def is_jsonl(data: bytes) -> bool:
    """Whether the first two lines are an object or a list each. Those that follow may be broken."""
    if not beginning(data, 64).lstrip().startswith(("{", "[")):
        return False
    from ragbase.formats.json_parts import skim_json

    lines = [line[0] for line in islice(LINE.finditer(beginning(data, LOOK)), 2)]
    try:
        return len(lines) == 2 and all(isinstance(skim_json(line), tuple | list) for line in lines)  # noqa: PLR2004
    except (json.JSONDecodeError, RecursionError):
        return False


READER = Reader(
    version="jsonl-v2",
    check=check_text_file,
    read=read_jsonl_file,
    proves=is_jsonl,
)
