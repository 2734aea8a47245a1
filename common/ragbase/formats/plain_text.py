"""Plain text is known by its content, whatever the file is called."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

from ragbase.domain.errors import PermanentError
from ragbase.formats.signatures import binary_kind
from ragbase.formats.table import PDF, TEXT

if TYPE_CHECKING:
    from ragbase.formats.format import Format

HEAD = 4096
"""Bytes at the start of the content that are enough to decide."""

_WIDE = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_NO_TEXT = bytes({*range(1, 8), *range(14, 27), *range(28, 32)})
"""Control characters. A text may have white space, backspaces (pages of `man`) and the escapes of a coloured log."""
_MOST = 0.05
"""Share of control characters above which the content is no text."""


def format_of_content(head: bytes) -> Format | None:
    """The format of a file whose name says nothing, by its first `HEAD` bytes: a PDF or plain text; None for others."""
    return PDF if head.startswith(b"%PDF-") else TEXT if is_plain_text(head) else None


def is_plain_text(head: bytes) -> bool:
    """Whether content that begins so is plain text, in any encoding. Nothing is no text."""
    head = head[:HEAD]
    if not head or binary_kind(head) is not None:
        return False
    if head.startswith(_WIDE):
        return _is_decoded(head[: len(head) // 4 * 4])
    if b"\0" in head or len(head) - len(head.translate(None, _NO_TEXT)) > _MOST * len(head):
        return False
    try:
        # The head may end inside a character: the decoder waits for the rest of it.
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return _is_decoded(head)
    return True


def _is_decoded(head: bytes) -> bool:
    from ragbase.formats.decode import decode  # most files are in UTF-8, and do not need it

    try:
        decode(head)
    except PermanentError:
        return False
    return True
