"""Plain text, in whatever encoding it was saved."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.extraction import Extraction
from ragbase.formats.decode import Decoded, decode
from ragbase.formats.is_markdown import is_markdown
from ragbase.formats.reader import Reader
from ragbase.formats.signatures import EXPORT_REMEDY, binary_kind

if TYPE_CHECKING:
    from ragbase.formats.extraction_limits import ExtractionLimits

LINE_END = re.compile(r"\r\n|\r|\n")


def check_text_file(data: bytes) -> None:
    """Raises PermanentError (UNSUPPORTED_FORMAT) for a well-known binary format."""
    kind = binary_kind(data)
    if kind is not None:
        reason = f"The file is named as text, but it is {kind}. {EXPORT_REMEDY}"
        raise PermanentError(ErrorCode.UNSUPPORTED_FORMAT, reason)


def decode_within(data: bytes, limits: ExtractionLimits) -> Decoded:
    """The text of a file. Raises PermanentError: as `decode`, and FILE_TOO_LARGE above the limit."""
    decoded = decode(data)
    limits.check(len(decoded.text))
    return decoded


def read_text_file(data: bytes, limits: ExtractionLimits) -> Extraction:
    """The text as it is, as plain text unless it is plainly Markdown. Raises PermanentError, as `decode_within`."""
    decoded = decode_within(data, limits)
    plain_until = 0 if is_markdown(decoded.text) else len(decoded.text)
    return Extraction(decoded.text, notes=decoded.notes, plain_until=plain_until)


READER = Reader(
    version="txt-v4",
    check=check_text_file,
    read=read_text_file,
)
