"""The words of a text that say what it is about, as they are written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from ragbase.text.function_words import FUNCTION_WORDS, WITHOUT_BLANKS
from ragbase.text.scripts import MARKS, NO_BLANKS
from ragbase.text.small_letters import small_letters

_AROUND = ".,;:!?¿¡…\"'’‘“”„«»()[]{}<>*_`|、。，；：！？؟،；「」『』（）—–-"
_word = re.compile(rf"[^\s,;:!?¿¡…\"“”„«»()\[\]{{}}<>|、。，；：！？؟،「」『』（）—–]+|[{MARKS}]+").findall
parts_of_word = re.compile(r"(?<=\w)['’-](?=\w)").split
"""l'arbre, vivait-il."""
_is_without_blanks = re.compile(rf"[{NO_BLANKS}]").search
_katakana = re.compile("[\u30a1-\u30ff]{2,}").findall
_NONE = frozenset[str]()


def words_of(text: str) -> list[str]:
    """All words, as blanks and signs part them."""
    return [word for run in _word(unicodedata.normalize("NFC", text)) if (word := run.strip(_AROUND))]


def telling_words(text: str, language: str | None) -> list[str]:
    """The words that are no function words of the language, in their order. Without blanks between words, what stands
    between its function words. Of a language whose function words are not known, all of them."""
    function = FUNCTION_WORDS.get(language or "", _NONE)
    if language in WITHOUT_BLANKS:
        return [piece for word in words_of(text) for piece in _between(word, language)]
    return [word for word in words_of(text) if not _is_function_word(small_letters(word, language), function)]


def count_of(words: list[str], language: str | None) -> float:
    """How many words these are in a language that parts them by blanks."""
    if language == "vietnamese":
        return len(words) / _SYLLABLES
    if language not in WITHOUT_BLANKS:
        return len(words)
    without = [word for word in words if _is_without_blanks(word)]
    foreign = [name for word in without for name in _katakana(word)]
    characters = sum(map(len, without)) - sum(map(len, foreign))
    return len(words) - len(without) + len(foreign) + characters / _CHARACTERS.get(language or "", 2)


_SYLLABLES = 1.6
"""Of a Vietnamese word, on average."""
_CHARACTERS = {"chinese": 2, "japanese": 2.5, "thai": 5}
"""Of a word, on average."""


def _is_function_word(word: str, function: frozenset[str]) -> bool:
    """Also of l'arbre and what's the part before or after the apostrophe."""
    if word in function:
        return True
    parts = parts_of_word(word)
    return len(parts) > 1 and all(part in function for part in parts)


def _between(word: str, language: str | None) -> Iterator[str]:
    if not _is_without_blanks(word):
        yield word
        return
    yield from filter(None, _function_words(language or "").split(word))


@lru_cache
def _function_words(language: str) -> re.Pattern[str]:
    longest_first = sorted(FUNCTION_WORDS[language], key=lambda word: (-len(word), word))
    return re.compile("|".join(map(re.escape, longest_first)))
