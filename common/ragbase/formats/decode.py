"""The text of a file in whatever encoding it was saved. Line ends stay as they are, so that offsets are the file's."""

from __future__ import annotations

import codecs
import re

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.formats.signatures import EXPORT_REMEDY

BYTE_ORDER_MARKS = (  # UTF-32 before UTF-16, whose mark begins alike
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
NOT_ASCII = re.compile(r"[^\x00-\x7f]")
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f]")
"""Control characters that no text has. White space, the escape of a coloured log and NEL (a line end) may be."""

DAMAGED_UTF8 = 0.1
"""Share of the characters beyond ASCII that may be broken, as in a truncated log, in what still counts as UTF-8."""

MAX_CONTROL = 0.01
"""Share of control characters above which a guessed decoding is of something that is not text. Of random bytes read
in a one-byte encoding it is about 0.2."""


def decode(data: bytes) -> str:
    """The text without its byte order mark: by that mark, else strict UTF-8, else as chardet finds.

    Raises PermanentError: CORRUPT_FILE where the content contradicts its mark, UNSUPPORTED_FORMAT where it is no text.
    """
    for mark, encoding in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _marked(data[len(mark) :], encoding)
    if b"\0" not in data:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            text = data.decode("utf-8", "replace")
            if text.count("\ufffd") <= DAMAGED_UTF8 * len(NOT_ASCII.findall(text)):
                return text
    return _guessed(data)


def _marked(data: bytes, encoding: str) -> str:
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise PermanentError(
            ErrorCode.CORRUPT_FILE,
            f"The file begins as {encoding.upper()}, but byte {error.start} is not valid in it. "
            "Save the file again as UTF-8 and upload it.",
        ) from error
    if "\0" in text:
        raise _not_text()
    return text


def _guessed(data: bytes) -> str:
    """Text with a NUL byte is UTF-16 or UTF-32 or none; other text is in some older encoding."""
    import chardet
    from chardet import EncodingEra

    found = chardet.detect(data, encoding_era=EncodingEra.MODERN_WEB, prefer_superset=True)["encoding"]
    if found is None:
        raise _not_text()
    try:
        text = data.decode(found)
    except UnicodeDecodeError:  # beyond what chardet looks at: one bad byte should not cost the document
        text = data.decode(found, "replace")
    if "\0" in text or len(CONTROL.findall(text)) + text.count("\ufffd") > MAX_CONTROL * len(text):
        raise _not_text()
    return text


def _not_text() -> PermanentError:
    return PermanentError(
        ErrorCode.UNSUPPORTED_FORMAT, f"The file is named as text, but its content is binary data. {EXPORT_REMEDY}"
    )
