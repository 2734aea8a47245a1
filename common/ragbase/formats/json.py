"""JSON as Markdown: one value, whose paths become headings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.extraction import Extraction
from ragbase.formats.decode import beginning, decode
from ragbase.formats.reader import Reader
from ragbase.formats.text import LINE_END, check_text_file, decode_within

if TYPE_CHECKING:
    from ragbase.formats.extraction_limits import ExtractionLimits


def read_json_file(data: bytes, limits: ExtractionLimits) -> Extraction:
    """Raises PermanentError: as `decode_within` and OutlinedText, and CORRUPT_FILE for what is not JSON."""
    from ragbase.formats.json_parts import parse_json
    from ragbase.formats.outlined import OutlinedText, too_deep

    decoded = decode_within(data, limits)
    if not decoded.text.strip():
        return Extraction(decoded.text, notes=decoded.notes)
    try:
        value = parse_json(decoded.text)
    except json.JSONDecodeError as error:
        raise not_json(mistake(error, decoded.text)) from error
    except RecursionError:
        too_deep()
    text = OutlinedText(limits.max_text_characters)
    text.add(value)
    notes = decoded.notes
    del decoded, value  # there is room for one text, not for two
    return text.extraction(notes)


def mistake(error: json.JSONDecodeError, text: str, start: int = 0) -> str:
    """What is wrong, and where in `text`, whose part from `start` on was parsed. Lines end in each of three ways."""
    position = start + error.pos
    ends = [end.end() for end in LINE_END.finditer(text, 0, position)]
    line_start = ends[-1] if ends else 0
    return f"{error.msg.removesuffix(' at')} at line {len(ends) + 1}, column {position - line_start + 1}"


def not_json(what: str) -> PermanentError:
    """The refusal of a file with this mistake."""
    return PermanentError(
        ErrorCode.CORRUPT_FILE, f"The file is not valid JSON: {what}. Correct it there and upload it again."
    )


def is_json(data: bytes) -> bool:
    """Whether it is one object or list with something in it. `[1]` may as well be the reference of a footnote."""
    if not beginning(data, 64).lstrip().startswith(("{", "[")):
        return False
    from ragbase.formats.json_parts import skim_json

    try:
        value = skim_json(decode(data).text)
    except (PermanentError, json.JSONDecodeError):
        return False
    except RecursionError:
        return True
    if isinstance(value, list):
        return any(isinstance(item, tuple | list) for item in value)
    return isinstance(value, tuple) and bool(value)


READER = Reader(
    version="json-v4",
    check=check_text_file,
    read=read_json_file,
    proves=is_json,
)
