"""The script that reads one office document: bytes on stdin, JSON on stdout (see formats/sandbox/answer.py).

Its options are the name of the format, the most characters that the text may have, and the most bytes that the document
may unpack to. Its answer is {"title": text or null, "pages": [Markdown, …], "entries": [place, …], "notes": [sentence,
…], "left_out": [[what, text, shown], …]}, a page being a slide of a presentation, or else all of the document; or
{"error": WORD, "said": the limit that the document is over}, the words being those of office.FAILURES.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

from ragbase.domain.errors import PermanentError
from ragbase.formats.office.containers import is_compound
from ragbase.formats.sandbox.answer import answer
from ragbase.formats.unreadable import Damaged, Encrypted, TooLarge

WORKBOOKS = ("xlsx", "ods")
OPEN_DOCUMENTS = ("odt", "odp")


def read_document(data: bytes, format: str, max_characters: str, max_unpacked: str) -> bytes:
    said = _read(data, format, int(max_characters), int(max_unpacked))
    return json.dumps(said, ensure_ascii=False).encode(errors="replace")


def _read(data: bytes, format: str, max_characters: int, max_unpacked: int) -> dict[str, Any]:
    from ragbase.formats.office.encrypted import is_encrypted  # a function that starts reads no file

    try:
        said = _said(data, format, max_characters, max_unpacked)
    except RecursionError:
        return {"error": "over_limit", "said": "its elements are too many levels within each other"}
    except TooLarge as error:
        return {"error": "over_limit" if str(error) else "unpacks_too_far", "said": str(error)}
    except (Encrypted, Damaged, MemoryError, PermanentError) as error:
        return {"error": _word(error, data)}
    if not any(page.strip() for page in said["pages"]) and is_encrypted(data):
        return {"error": "password"}
    return said if sum(map(len, said["pages"])) <= max_characters else {"error": "too_much_text"}


def _word(error: Exception, data: bytes) -> str:
    from ragbase.formats.office.encrypted import is_encrypted

    if isinstance(error, MemoryError):
        return "too_much_memory"
    if isinstance(error, PermanentError):  # the text grew too long while it was written
        return "too_much_text"
    return "password" if isinstance(error, Encrypted) or is_encrypted(data) else "corrupt"


def _said(data: bytes, format: str, max_characters: int, max_unpacked: int) -> dict[str, Any]:
    """Raises Damaged, Encrypted, TooLarge, and PermanentError (FILE_TOO_LARGE). Only the reader of this format is
    loaded."""
    from ragbase.formats.office.encrypted import is_encrypted

    read: Callable[[bytes], dict[str, Any]]
    if format in WORKBOOKS:
        from ragbase.formats.office.workbook import read_workbook

        read = partial(read_workbook, format=format, max_characters=max_characters, max_unpacked=max_unpacked)
    elif format in OPEN_DOCUMENTS:
        from ragbase.formats.office.open_document import read_open_document

        read = partial(read_open_document, max_unpacked=max_unpacked)
    elif format == "eml":
        from ragbase.formats.office.mail import read_eml

        read = partial(read_eml, max_characters=max_characters)
    elif format == "epub":
        from ragbase.formats.office.epub import read_epub

        read = partial(read_epub, max_characters=max_characters, max_unpacked=max_unpacked)
    elif format == "rtf":
        from ragbase.formats.office.rtf import read_rtf as read
    elif format == "pptx":
        from ragbase.formats.office.pptx import read_pptx

        read = partial(read_pptx, max_unpacked=max_unpacked)
    elif is_compound(data) and is_encrypted(data):
        raise Encrypted
    else:
        from ragbase.formats.office.with_xberg import read_with_xberg

        read = partial(read_with_xberg, format=format, max_characters=max_characters, max_unpacked=max_unpacked)
    return read(data)


if __name__ == "__main__":
    answer(read_document)
