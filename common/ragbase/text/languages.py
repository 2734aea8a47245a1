"""The language of a text.

Its function words tell it best. What they leave open, py3langid tells by the neighbours of its letters: a naive Bayes
over byte n-grams.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from string import ascii_lowercase
from threading import Lock
from typing import TYPE_CHECKING

from ragbase.text.function_words import FUNCTION_WORDS, STOP_WORDS

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier  # type: ignore[import-untyped]  # it ships no types

_LATIN = {
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hu": "hungarian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "sv": "swedish",
    "tr": "turkish",
    "vi": "vietnamese",
    # We know nothing about these. Others must not be taken for them.
    **dict.fromkeys(("af", "az", "hr", "lv", "ms", "sk", "sl", "sq", "sw", "tl"), "other"),
}
_OF_OTHER_SCRIPTS = {
    "ar": "arabic",
    "el": "greek",
    "fa": "persian",
    "he": "hebrew",
    "hi": "hindi",
    "ja": "japanese",
    "ko": "korean",
    "ru": "russian",
    "th": "thai",
    "uk": "ukrainian",
    "zh": "chinese",
}
LATIN_SCRIPT = frozenset(_LATIN.values())
"""The languages of Latin script among those that `language_of` names."""

_TOLD_BY_WORDS = {name: words for name, words in STOP_WORDS.items() if name != "russian"} | {
    "vietnamese": FUNCTION_WORDS["vietnamese"]
}
"""Not Russian: other languages of its script share its words."""
_TOLD_BY = {
    word: [language for language, words in _TOLD_BY_WORDS.items() if word in words]
    for word in frozenset[str]().union(*_TOLD_BY_WORDS.values())
}
"""The languages that have a word: it speaks for each of them with a part of its weight."""
_TELLING = frozenset(_TOLD_BY)
_WORDS = re.compile(r"(?<![\w./@-])[^\W\d_]{2,}(?![\w/@]|\.\w)")
"""Not what addresses and names of files are made of, and no single letters."""
# ASCII with a space for what has no part in _WORDS; then the only other signs that most English texts have.
_ASCII_GAPS = re.sub(r"[^\w./@-]", " ", "".join(map(chr, range(128))))
_SINGLE_LETTERS = frozenset(ascii_lowercase)
_TYPOGRAPHY = "’‘“”–—…•\u00a0"
_READ = 4000
"""Characters whose function words are looked at."""
_LEAST_FUNCTION_WORDS = 2
"""One alone may be a name, or a word of another language."""
_LEAST_SHARE = 0.1
"""Of all different words. Less is a quotation, or a list of names."""
_AHEAD = 1.3
"""How many times as much must speak for the language as for the next one."""

_LETTERS_READ = 600
"""Characters whose letters are looked at. More do not make it surer."""
_LEAST_WORDS = 3
"""One or two words in Latin script may be names, or of another language."""
_AFTER_LATIN = "\u0370"
_SURE = 0.9
"""The least probability. Of 400 abstracts and 1,200 passages on programs in English, none is then taken for another
language of Latin script; tables and code are not clear."""


@lru_cache(maxsize=4096)  # the same passages are near many questions
def language_of(text: str) -> str | None:
    """The language of the text by Snowball's name for it, or by its own; "other" for one that we know nothing about;
    None if it is not clear."""
    return _by_function_words(text[:_READ]) or _by_letters(text[:_LETTERS_READ])


def is_in_syllables(text: str) -> bool:
    """Whether blanks part the syllables of the text's language, and not its words. Many then match by chance."""
    return language_of(text) == "vietnamese"


def _by_function_words(text: str) -> str | None:
    """Each word counts once, however often a name has it: Los Angeles, Los Alamos."""
    words = _words_of(text)
    scores = dict.fromkeys(_TOLD_BY_WORDS, 0.0)
    for word in words & _TELLING:
        languages = _TOLD_BY[word]
        for language in languages:
            scores[language] += 1 / len(languages)
    (second, _), (best, language) = sorted((score, language) for language, score in scores.items())[-2:]
    if len(words & _TOLD_BY_WORDS[language]) < _LEAST_FUNCTION_WORDS:
        return None
    return language if best >= max(_LEAST_SHARE * len(words), _AHEAD * second) else None


def _words_of(text: str) -> set[str]:
    """The different words, in lower case. An ASCII text takes a quarter of the time."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
        for mark in _TYPOGRAPHY:
            text = text.replace(mark, " ")
        if not text.isascii():
            return set(_WORDS.findall(text.casefold()))
    runs = set(text.lower().translate(_ASCII_GAPS).split())
    words = set(filter(str.isalpha, runs))
    with_signs = " ".join(runs - words)
    words -= _SINGLE_LETTERS
    words.update(_WORDS.findall(with_signs))
    return words


def _by_letters(text: str) -> str | None:
    if max(text, default="") < _AFTER_LATIN and len(_WORDS.findall(text)) < _LEAST_WORDS:
        return None
    with _LOADING:
        identifier = _identifier()
    code, probability = identifier.classify(text)
    if probability < _SURE:
        return None
    return _LATIN.get(code) or _OF_OTHER_SCRIPTS.get(code, "other")


_LOADING = Lock()
"""The threads of a lane begin together, and each would load it."""


@cache
def _identifier() -> LanguageIdentifier:
    """It takes half a second to load, and most English texts do not need it."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages([*_LATIN, *_OF_OTHER_SCRIPTS])
    return identifier
