"""Whether a text has the names of a sentence: of people, places, products, and identifiers.

In a script with capitals, a name begins with one. That tells nothing at the beginning of a sentence, nor in German,
where all nouns do: there, two words with capitals beside each other are a name. A name in Latin letters inside of
another script is always one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from ragbase.retrieval.meaning.calendar_words import calendar_words
from ragbase.retrieval.meaning.number_words import multipliers
from ragbase.retrieval.meaning.read_text import ReadText
from ragbase.retrieval.meaning.units import unit_of
from ragbase.text.function_words import FUNCTION_WORDS
from ragbase.text.scripts import MARKS, NO_BLANKS

_LETTER = rf"(?![{NO_BLANKS}])[\w{MARKS}]"
_WORD = re.compile(rf"(?P<word>(?![\d_])(?:{_LETTER})+(?:[.'’&+/-](?:{_LETTER})+)*)|(?P<mark>[^\w\s])")
_CODE = re.compile(r"`([^`\n]+)`")
_IDENTIFIER = re.compile(r"\w*[^\W\d_]_\w+|[^\W\d_]+[a-z]\w*[A-Z]\w*")  # retry_limit, HashMap
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")
_OTHER_SCRIPTS = frozenset(["ru", "ar", "he", "el", "hi", "ja", "zh", "ko"])
_WITHOUT_CAPITALS = frozenset(["ar", "he", "hi", "ja", "zh", "ko"])
_NOUNS_HAVE_CAPITALS = "de"
_FUNCTION_WORDS = frozenset().union(*FUNCTION_WORDS.values())
_LEAST_SHARED = 3
_MOST_ENDING = 4
"""Letters of a word's ending that another form of it may have: Берлин, Берлине; Norway, Norwegian."""
_SHARE = 0.6
_OF_A_PEOPLE = re.compile(r"(\w{3,}?)(?:egian|ian|ish|ese)\Z").match
"""Norwegian, of Norway; Polish, of Poland."""


def missing_name(sentence: ReadText, place: ReadText, around: ReadText) -> str | None:
    """The first name of the sentence that neither the place has nor the text around it."""
    names = list(_names(sentence))
    if not names:
        return None
    held = [_held(text) for text in (place.text, around.text)]
    known, stems = (frozenset().union(*sets) for sets in ([one.words for one in held], [one.begins for one in held]))
    joined, initials = (" ".join(texts) for texts in ([one.joined for one in held], [one.initials for one in held]))
    for name in names:
        plain = _plain(name)
        is_known = plain in known or (plain[:_LEAST_SHARED] in stems and any(_is_form(plain, word) for word in known))
        if _IDENTIFIER.fullmatch(name):
            if plain not in joined:
                return name
        elif not (is_known or re.sub(r"\W", "", plain) in joined or _has_initials(name, initials)):
            if all(_is_known(part, known) for part in re.split(r"[-/&+.'’_]", plain) if part):
                continue
            return name
    return None


def _names(sentence: ReadText) -> Iterator[str]:
    """The words that are a name, each alone."""
    text = _CODE.sub(lambda match: " " * len(match[0]), sentence.rest)
    for match in _CODE.finditer(sentence.text):
        yield from _words(match[1])
    code = sentence.language.code
    tokens = list(_WORD.finditer(text))
    for place, token in enumerate(tokens):
        word = token[0]
        if token.lastgroup != "word" or _is_no_name(word, code):
            continue
        if _IDENTIFIER.fullmatch(word):
            yield word
        elif code in _WITHOUT_CAPITALS:
            if _LATIN.match(word) and len(word) > 1:
                yield word
        elif word[0].isupper():
            is_first = place == 0 or tokens[place - 1][0] in '.!?:•*-–—"“„«(' or (tokens[place - 1][0] == "|")
            is_beside = any(
                0 <= other < len(tokens)
                and tokens[other].lastgroup == "word"
                and tokens[other][0][0].isupper()
                and not _is_no_name(tokens[other][0], code)
                and not (other == 0 and code == _NOUNS_HAVE_CAPITALS)
                for other in (place - 1, place + 1)
            )
            is_short_form = len(word) > 1 and word.isupper()
            if is_short_form or (is_beside if is_first or code == _NOUNS_HAVE_CAPITALS else True):
                yield word
        elif code in _OTHER_SCRIPTS and _LATIN.match(word) and len(word) >= _LEAST_SHARED:
            yield word


def _is_no_name(word: str, code: str) -> bool:
    small = word.casefold()
    if small in _FUNCTION_WORDS or small in calendar_words("weekday") or small in calendar_words("month"):
        return True
    if len(word) == 1 or unit_of(word) is not None or small in multipliers(code):
        return True
    return bool(re.fullmatch(r"[IVXLC]+", word))


def _words(text: str) -> Iterator[str]:
    return (match[0] for match in _WORD.finditer(text) if match.lastgroup == "word")


def _plain(word: str) -> str:
    """In small letters without accents, and without the 's of English."""
    word = re.sub(r"['’]s\Z", "", word.casefold())
    return word if word.isascii() else re.sub(r"[\u0300-\u036f]", "", unicodedata.normalize("NFKD", word))


@dataclass(frozen=True, slots=True)
class _Held:
    """The words of a text in small letters, how they begin, all its letters without a gap, and their first letters."""

    words: frozenset[str]
    begins: frozenset[str]
    joined: str
    initials: str


@lru_cache(maxsize=64)  # many sentences of an answer are from the same passage
def _held(text: str) -> _Held:
    words = [_plain(word) for word in _words(text)]
    return _Held(
        frozenset(words),
        frozenset(word[:_LEAST_SHARED] for word in words),
        _plain("".join(re.findall(r"\w+", text))),
        "".join(word[0] for word in words),
    )


def _is_known(word: str, known: frozenset[str]) -> bool:
    return word in known or any(_is_form(word, one) for one in known)


def _is_form(word: str, other: str) -> bool:
    """Whether both may be forms of one word: they begin alike, and differ in an ending."""
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False)))
    longest = max(len(word), len(other))
    people = _OF_A_PEOPLE(word) or _OF_A_PEOPLE(other)
    if people is not None and shared >= max(_LEAST_SHARED, len(people[1]) - 1):
        return True
    return shared >= _LEAST_SHARED and longest - shared <= _MOST_ENDING and shared >= _SHARE * longest


def _has_initials(name: str, initials: str) -> bool:
    """WHO for World Health Organization."""
    return name.isupper() and len(name) > 1 and name.casefold() in initials
