"""The words that say what a part of a question is about: not those that ask, join, frame or stand for others."""

from __future__ import annotations

import re
from functools import lru_cache

from ragbase.text.framing_words import FRAMING_WORDS
from ragbase.text.function_words import FUNCTION_WORDS
from ragbase.text.question_words import QUESTION_WORDS
from ragbase.text.scripts import MARKS, NO_BLANKS
from ragbase.text.small_letters import small_letters

_WORD = rf"[^\W_](?:[^\W_]|[{MARKS}])*"
words_in = re.compile(rf"{_WORD}(?:[-_.'’/]{_WORD})*").findall
places_of_words = re.compile(rf"{_WORD}(?:[-_.'’/]{_WORD})*").finditer
is_unspaced = re.compile(f"[{NO_BLANKS}]").search
_NONE = frozenset[str]()


def plain(word: str) -> str:
    return small_letters(word)


def is_small(word: str, language: str) -> bool:
    """Whether the word only helps to ask."""
    word = small_letters(word, language)
    return (
        word in FUNCTION_WORDS.get(language, _NONE)
        or word in FRAMING_WORDS.get(language, _NONE)
        or QUESTION_WORDS[language].joins.fullmatch(word) is not None
    )


def asked_about(text: str, language: str | None) -> list[str]:
    """The words that say what it is about, in their order. Of a language that is not known, all words."""
    words = QUESTION_WORDS.get(language or "")
    if words is None or language is None:
        return [word for word in words_in(text) if len(word) > 1]
    text = words.asks.sub(" ", text)
    if is_unspaced(text):
        return words_in(words.joins.sub(" ", _function_words(language).sub(" ", text)))
    return [word for word in words_in(text) if not is_small(word, language) and plain(word) not in words.stands_for]


@lru_cache
def _function_words(language: str) -> re.Pattern[str]:
    longest_first = sorted(FUNCTION_WORDS.get(language, _NONE), key=lambda word: (-len(word), word))
    return re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")
