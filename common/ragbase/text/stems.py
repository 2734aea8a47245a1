"""Words without their endings."""

from __future__ import annotations

import re
from collections.abc import Callable

from Stemmer import Stemmer  # type: ignore[import-not-found]  # PyStemmer has no types

from ragbase.text.scripts import MARKS

_BLOCKS = {
    "greek": ((0x0370, 0x03FF), (0x1F00, 0x1FFF)),
    "cyrillic": ((0x0400, 0x052F),),
    "armenian": ((0x0530, 0x058F),),
    "hebrew": ((0x0590, 0x05FF),),
    "arabic": ((0x0600, 0x08FF),),
    "devanagari": ((0x0900, 0x097F),),
    "tamil": ((0x0B80, 0x0BFF),),
    "no blanks": ((0x3040, 0xD7AF),),
}
_COLUMN = 4
"""Bits of a character's place in a column of Unicode's charts. Each block has whole columns."""
_STEMMERS = {
    "greek": "greek",
    "cyrillic": "russian",
    "armenian": "armenian",
    "arabic": "arabic",
    "devanagari": "hindi",
    "tamil": "tamil",
}
"""The stemmer of a script whose words are in no language of Latin script. Ukrainian, Bulgarian and Nepali words have
many of the endings of their neighbours."""
_OWN = {
    "greek": ("greek",),
    "cyrillic": ("russian", "serbian"),
    "armenian": ("armenian",),
    "hebrew": ("yiddish",),
    "arabic": ("arabic", "persian"),
    "devanagari": ("hindi", "nepali"),
    "tamil": ("tamil",),
}
"""The languages whose own stemmer is for the script."""
_AS_RUSSIAN = str.maketrans("іїєґў", "ииегу")
_in_ukrainian = re.compile("[іїєґў]").search
_is_word = re.compile(rf"(?:[^\W\d_]|[{MARKS}])+\Z").match


class Stems:
    """The stems of a language's words. A word of another script has the stem of a stemmer for that script: it is never
    a word of the language. For one thread at a time."""

    def __init__(self, language: str | None) -> None:
        """None: words of Latin script are left as they are."""
        self._of_language = _stem_in(language) if language else None
        self._of_column: dict[int, Callable[[str], str] | None] = {}
        for script, blocks in _BLOCKS.items():
            stem = self._of_language if language in _OWN.get(script, ()) else _stem_in(_STEMMERS.get(script))
            for start, end in blocks:
                self._of_column.update(dict.fromkeys(range(start >> _COLUMN, (end >> _COLUMN) + 1), stem))

    def of(self, word: str) -> str:
        """The word itself if it has a digit or a sign, or if nothing is known about its script."""
        stem = self._of_language
        if not word.isascii():
            stem = self._of_column.get(ord(word[0]) >> _COLUMN, stem)
        if stem is None or not (word.isalpha() or _is_word(word)):
            return word
        if _in_ukrainian(word):  # the stemmer looks for Russian vowels
            return word[: len(stem(word.translate(_AS_RUSSIAN)))]
        return stem(word) or word


def _stem_in(language: str | None) -> Callable[[str], str] | None:
    if language is None:
        return None
    stem: Callable[[str], str] = Stemmer(language).stemWord
    return stem
