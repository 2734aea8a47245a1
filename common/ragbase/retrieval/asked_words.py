"""The words of a question as they are written, and which of them a text lacks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Protocol

from ragbase.text.terms import terms_in

_LETTERS = r"\w\u0300-\u036f\u0900-\u109f\u1780-\u17ff"  # with the marks of Indic and South-East Asian scripts
_SPLITS = (
    re.compile(r"[^\s—–…]+"),
    re.compile(rf"[{_LETTERS}.'’-]+"),
    re.compile(rf"[{_LETTERS}]+"),
    re.compile(r"[\x21-\x7e]+|[^\x00-\x7f]+"),  # 1987年 is a number and a word
)
"""What may be one word, from the longest to the shortest. A path or an address may be one, or several."""
_AROUND = ".,;:!?¿¡…\"'’‘“”„«»()[]{}<>*_`|、。，；：！？「」『』（）"
_PAIR = 2
"""Characters of a term in a script without spaces between words (text/terms.py)."""

_NUMBER = re.compile(r"(\d{1,3}(?:[.,']\d{3})+|\d+)(?:[.,](\d+))?")
"""1000, 1,000 and 1.000,50: signs between thousands, and before decimals."""
_DATE = re.compile(r"(?:\d{1,2}([-./])\d{1,2}\1)?(\d{4})(?:([-./])\d{1,2}\3\d{1,2})?")
_DIGITS_OR_LETTERS = re.compile(r"\d+|[^\W\d_]+")
_digit_runs = re.compile(r"\d+").findall


class Held(Protocol):
    """What a text has."""

    def together(self, terms: Sequence[str]) -> bool:
        """Whether these terms stand in it side by side."""
        ...

    def has_number(self, digits: str) -> bool:
        """Whether a number of these digits is in it, also inside of a word."""
        ...

    def has_one_like(self, term: str) -> bool:
        """Whether a term with its signs, and a digit for each of its digits, is in it."""
        ...


@dataclass(frozen=True, slots=True)
class AskedWord:
    """`terms` has the whole word first, and then its parts. Of a stretch without spaces between words, `is_stretch`,
    they are the pairs of neighbouring characters."""

    text: str
    terms: tuple[str, ...]
    is_stretch: bool = False

    @property
    def has_digit(self) -> bool:
        return any(map(str.isdigit, self.text))

    @property
    def is_identifier(self) -> bool:
        return self.has_digit or (len(self.terms) > 1 and not self.is_stretch)

    def lacking(self, held: Held) -> Iterator[str]:
        """What of it a text lacks."""
        if self.is_stretch:
            yield from self._uncovered(held)
        elif not any(map(held.together, self._forms())) and not self._is_said_otherwise(held):
            yield self.text

    def _uncovered(self, held: Held) -> Iterator[str]:
        """The characters that are in no pair that the text has: a pair over the border of two words tells nothing."""
        covered = {place + i for place, term in enumerate(self.terms) if held.together((term,)) for i in range(_PAIR)}
        for is_covered, places in groupby(range(len(self.text)), key=covered.__contains__):
            if not is_covered:
                yield "".join(self.text[place] for place in places)

    def _forms(self) -> Iterator[Sequence[str]]:
        """In which the word may be written: as it is, with its parts side by side (ISO-27001: ISO 27001), or with a
        space before its digits (RFC2119: RFC 2119)."""
        if _NUMBER.fullmatch(self.text):
            yield self.terms  # 1,000 is 1 and 000
            return
        yield self.terms[:1]
        yield self.terms[1:] or self.terms
        if self.has_digit and self.text.isalnum():
            yield _DIGITS_OR_LETTERS.findall(self.text.casefold())

    def _is_said_otherwise(self, held: Held) -> bool:
        """A number with other signs, or a date with the name of its month: its year is there, and no date as it is
        written here."""
        if (date := _DATE.fullmatch(self.text)) and (date[1] or date[3]):
            return held.has_number(date[2]) and not held.has_one_like(self.terms[0])
        if number := _NUMBER.fullmatch(self.text):
            whole, decimals = "".join(_digit_runs(number[1])), number[2]
            if decimals is None:
                parts = _thousands(whole)
                return held.has_number(whole) or held.together(parts) or held.together((".".join(parts),))
            return held.together((f"{whole}.{decimals}",))
        return False


def asked_words(query: str, terms: Collection[str], spoken: str) -> list[AskedWord]:
    """The words of the query that have some of its `terms`, each once. `spoken` is what these are analysed in."""
    found: dict[tuple[str, ...], AskedWord] = {}
    for word in _words(query, frozenset(terms), spoken, _SPLITS):
        found.setdefault(word.terms, word)
    return list(found.values())


def lacking(words: Iterable[AskedWord], held: Held) -> tuple[str, ...]:
    """What of these words a text lacks."""
    return tuple(dict.fromkeys(text for word in words for text in word.lacking(held)))


class TextTerms:
    """Implements Held for a text of these terms, which spaces separate."""

    def __init__(self, terms: str) -> None:
        self._line = f" {terms} "

    def together(self, terms: Sequence[str]) -> bool:
        return f" {' '.join(terms)} " in self._line

    def has_number(self, digits: str) -> bool:
        return digits.lstrip("0") in self._numbers

    def has_one_like(self, term: str) -> bool:
        return f" {_shape(term)} " in _shape(self._line)

    @cached_property
    def _numbers(self) -> frozenset[str]:
        return frozenset(digits.lstrip("0") for digits in _digit_runs(self._line))


def _shape(text: str) -> str:
    return re.sub(r"\d", "0", text)


def _thousands(digits: str) -> list[str]:
    first = len(digits) % 3
    return [*filter(None, [digits[:first]]), *(digits[at : at + 3] for at in range(first, len(digits), 3))]


def _words(text: str, asked: Collection[str], spoken: str, splits: Sequence[re.Pattern[str]]) -> Iterator[AskedWord]:
    for found in splits[0].findall(text):
        run = found.strip(_AROUND)
        terms = tuple(term for term in terms_in(run, spoken) if term in asked)
        if terms and terms == _pairs(run) and not run.isascii():
            yield AskedWord(run, terms, is_stretch=True)
        elif terms and _NUMBER.fullmatch(run):
            yield AskedWord(run, terms)
        elif terms:
            within = list(_words(run, asked, spoken, splits[1:])) if len(terms) > 1 and len(splits) > 1 else []
            # A run with a term that none of its pieces has is one word: web-17.
            is_one = set(terms) - {term for word in within for term in word.terms}
            yield from [AskedWord(run, terms)] if is_one else within


def _pairs(run: str) -> tuple[str, ...]:
    return tuple(run[place : place + _PAIR] for place in range(len(run) - 1))
