"""What a process that read a document answers, in JSON, taken with care: the document may have taken it over."""

from __future__ import annotations

import json
import re
from typing import Any

from ragbase.domain.errors import ErrorCode, PermanentError

MOST_VALUES = 8 * 1024 * 1024
"""In lists and objects. Each takes some 100 bytes here, and one byte in JSON."""

_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


def read_answer(said: bytes) -> dict[str, Any]:
    """Raises PermanentError (CORRUPT_FILE) for what no reader of ours answers."""
    try:
        answer = json.loads(said) if _values(said) <= MOST_VALUES else None
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise PermanentError(
            ErrorCode.CORRUPT_FILE,
            "The document broke its reader, which answered nonsense. Open it in the program that made it, save it "
            "again and upload that.",
        )
    return answer


def _values(said: bytes) -> int:
    """How many there are at most. The text of a document may have many commas, so strings are left out if need be; but
    not if they are many, as that takes long, and no document is like that."""
    found = _signs(said)
    if found > MOST_VALUES and said.count(b'"') <= MOST_VALUES:
        found = _signs(_STRING.sub(b"", said))
    return found


def _signs(said: bytes) -> int:
    return sum(map(said.count, (b",", b"[", b"{")))
