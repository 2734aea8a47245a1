"""The words of a question as they are written, and which of them a passage lacks."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from ragbase.text.terms import AUTO, analysed_in, terms_of

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

Has = Callable[[str], bool]


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

    def lacking(self, has: Has) -> Iterator[str]:
        """What of it a text lacks that `has` these terms. Parts together stand for a name (HashMap: hash, map), but
        web and 17 are not web-17, and max and size are not max_size."""
        whole, *parts = self.terms
        if self.is_stretch:
            yield from self._uncovered(has)
        elif not has(whole) and (self.has_digit or "_" in self.text or not parts or not all(map(has, parts))):
            yield self.text

    def _uncovered(self, has: Has) -> Iterator[str]:
        """The characters that are in no pair that the text has: a pair over the border of two words tells nothing."""
        covered = {place + i for place, term in enumerate(self.terms) if has(term) for i in range(_PAIR)}
        for is_covered, places in groupby(range(len(self.text)), key=covered.__contains__):
            if not is_covered:
                yield "".join(self.text[place] for place in places)


def asked_words(query: str, terms: Collection[str], language: str) -> list[AskedWord]:
    """The words of the query that have some of its `terms`, each once. `language` is the index's."""
    spoken = analysed_in(query) if language == AUTO else language
    found: dict[tuple[str, ...], AskedWord] = {}
    for word in _words(query, frozenset(terms), spoken, _SPLITS):
        found.setdefault(word.terms, word)
    return list(found.values())


def lacking(words: Iterable[AskedWord], has: Has) -> tuple[str, ...]:
    """What of these words a text lacks that `has` these terms."""
    return tuple(dict.fromkeys(text for word in words for text in word.lacking(has)))


def _words(text: str, asked: Collection[str], language: str, splits: Sequence[re.Pattern[str]]) -> Iterator[AskedWord]:
    for found in splits[0].findall(text):
        run = found.strip(_AROUND)
        terms = tuple(term for term in terms_of(run, language) if term in asked)
        if terms and terms == _pairs(run) and not run.isascii():
            yield AskedWord(run, terms, is_stretch=True)
        elif terms:
            within = list(_words(run, asked, language, splits[1:])) if len(terms) > 1 and len(splits) > 1 else []
            # A run with a term that none of its pieces has is one word: web-17.
            is_one = set(terms) - {term for word in within for term in word.terms}
            yield from [AskedWord(run, terms)] if is_one else within


def _pairs(run: str) -> tuple[str, ...]:
    return tuple(run[place : place + _PAIR] for place in range(len(run) - 1))
