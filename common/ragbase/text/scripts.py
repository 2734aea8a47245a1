"""Characters by script, for classes of regular expressions."""

from __future__ import annotations

import re

MARKS = "\u0300-\u036f\u0900-\u0963\u0966-\u0dff\u0e00-\u0e4e\u0e80-\u0eff\u1000-\u1049\u1780-\u17d3"
"""Combining marks belong to the word that they are in, but \\w does not match them: the general ones, and the blocks of
South and South-East Asia without their full stops."""

NO_BLANKS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer; kana, hanzi, hangul (which has spaces, but attaches its particles to the words)."""

SPACED = rf"(?![{NO_BLANKS}])[\w{MARKS}]"
"""A character of a script with spaces: a word ends where another script begins."""

_LANGUAGES = {
    "greek": "\u0370-\u03ff\u1f00-\u1fff",
    "russian": "\u0400-\u052f",
    "hebrew": "\u0590-\u05ff",
    "arabic": "\u0600-\u06ff",
    "hindi": "\u0900-\u097f",
    "thai": "\u0e00-\u0e7f",
    "japanese": "\u3040-\u30ff",
    "korean": "\uac00-\ud7af",
    "chinese": "\u4e00-\u9fff",
}
_letter_of = re.compile("|".join(f"(?P<{language}>[{letters}])" for language, letters in _LANGUAGES.items())).search


def script_language(text: str) -> str | None:
    """The language that is written most in the script of the first letters that are not Latin; None if all are."""
    found = _letter_of(text)
    return found.lastgroup if found else None
