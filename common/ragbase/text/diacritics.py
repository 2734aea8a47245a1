"""Words without their accents and other marks, as many people type them."""

from __future__ import annotations

import unicodedata

_NO_DECOMPOSITION = dict(zip("đðħıłøŧæœþ", ("d", "d", "h", "i", "l", "o", "t", "ae", "oe", "th"), strict=True))
"""Letters with a stroke, and others that Unicode does not take apart."""
_OWN_LETTERS = frozenset("й")
"""Nobody types these without their marks."""

_POINTS = range(10, 37)
_ABOVE_OR_BELOW = 200
"""Combining classes (Unicode Standard, table 4-3): the points of Hebrew, Arabic and Syriac, and from 200 on the marks
above, below and beside a letter."""


def unmarked(term: str) -> str:
    """The term, in lower case, without marks: viet for việt, strasse for straße (terms have ss), елка for ёлка.

    The marks of Latin, Greek and Cyrillic and the vowel points of Arabic and Hebrew go. Vowels and tones of Indic
    scripts and of Thai, and the voicing marks of kana, stay: without them, it is another word.
    """
    return term if term.isascii() else term.translate(_PLAIN)


class _Plain(dict[int, str]):
    """What each letter is without its marks."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        parts = letter if letter in _OWN_LETTERS else unicodedata.normalize("NFD", letter)
        plain = "".join(part for part in parts if not _is_mark(part))
        self[code] = _NO_DECOMPOSITION.get(plain, unicodedata.normalize("NFC", plain))
        return self[code]


def _is_mark(character: str) -> bool:
    place = unicodedata.combining(character)
    return place in _POINTS or place >= _ABOVE_OR_BELOW


_PLAIN = _Plain()
