"""A text in small letters, as the lists of words have them.

Not `casefold`, which writes ς as σ and ß as ss: "ποιος" and "groß" would be found in no list.
"""

from __future__ import annotations

import unicodedata

_DOT_ABOVE = "\u0307"


def small_letters(text: str, language: str | None = None) -> str:
    """In composed form. The small letter of İ is i in all languages; that of I is ı in Turkish."""
    if language == "turkish":
        text = text.replace("I", "ı")
    return unicodedata.normalize("NFC", text).lower().replace(f"i{_DOT_ABOVE}", "i")
