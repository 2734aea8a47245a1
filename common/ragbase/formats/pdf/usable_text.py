"""Whether a page's text layer can be taken for what stands on the page."""

from __future__ import annotations

import unicodedata

UNREADABLE = frozenset({"Cc", "Cn", "Co", "Cs"})
"""Categories of characters without a meaning: control, unassigned and private-use ones, and halves of pairs."""
REPLACEMENT = "\ufffd"
MOST_UNREADABLE = 0.3
"""The share of characters without a meaning above which a layer is garbage: its font does not say which letters it
draws. A text with symbols of a font of its own (bullets, check marks) stays far below."""
FEW_LETTERS = 40
"""A page with a picture and fewer letters than this in its layer may be a scan with a stamp or a page number on it."""
MANY_TIMES = 2
"""Such a page is a scan if OCR finds more than this many times its letters."""


def letters(text: str) -> int:
    return sum(map(str.isalnum, text))


def is_garbage(text: str) -> bool:
    """Whether too many characters of a layer, as it is in the file, have no meaning."""
    written = "".join(text.split())
    unreadable = {c for c in set(written) if c == REPLACEMENT or unicodedata.category(c) in UNREADABLE}
    return sum(map(written.count, unreadable)) > MOST_UNREADABLE * len(written)


def needs_ocr(text: str, *, images: bool) -> bool:
    """Whether the picture of the page may say more than its text layer, which is no garbage."""
    found = letters(text)
    return found == 0 or (images and found < FEW_LETTERS)


def is_scan(text: str, recognised: str) -> bool:
    """Whether what OCR finds takes the place of such a layer."""
    return letters(recognised) > MANY_TIMES * letters(text)
