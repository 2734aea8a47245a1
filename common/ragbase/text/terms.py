"""Text to terms: the text index holds them, and a query looks for them.

ragbase analyses text itself, in the same way for every store, so that all stores find the same passages by their words:
a store indexes the terms, joined by spaces, and searches for the terms of the query.

    "How does Rust's `HashMap` grow?"  ──▶  rust, hashmap, hash, map, grow

A term is a word in lower case (with Unicode's compatibility forms replaced), without its ending. Stop words are
dropped. Versions and codes are kept whole (E0382, C++; 2.0.0 is 2.0). An identifier gives a term for the whole and one
for each part (`HashMap`: hashmap, hash, map; `web-17`: web-17, web, 17; text/identifiers.py), and so does a Persian
word with a joiner in it: others type it in one word or in two. Letters that nobody sees split no word
(domain/searched_text.py). Scripts without spaces between words give pairs of neighbouring characters (text/words.py).
A word of a script that the language is not written in has the stem of its script (text/stems.py).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from threading import Lock

from Stemmer import algorithms  # type: ignore[import-not-found]  # PyStemmer has no types

from ragbase.domain.errors import ConfigurationError
from ragbase.domain.searched_text import with_small_letters
from ragbase.text.function_words import FUNCTION_WORDS, STOP_WORDS, WITHOUT_BLANKS
from ragbase.text.identifiers import Node, is_code, wholes_of
from ragbase.text.languages import LATIN_SCRIPT, language_of
from ragbase.text.stems import Stems
from ragbase.text.words import ASCII_SIGNS, RUN, nodes_in

VERSION = "terms-v3"
"""Raise it with every change after which any text has other terms."""

UNSTEMMED = "none"
"""The language of texts whose words are left as they are: there is no stemmer, or they are in several languages."""

AUTO = "auto"
"""Texts whose language is not clear are analysed in English."""
_UNCLEAR = "english"
_STEMMED = frozenset(algorithms())
_NO_STEMMER = "no stemmer"
"""A language whose words in Latin script stay as they are. Words of other scripts have stems."""

_runs = re.compile(RUN).findall
# ASCII with a space for each character that is in no run; then the only other characters that most English texts have.
_ASCII_GAPS = re.sub(rf"[^\w{re.escape(ASCII_SIGNS)}]", " ", "".join(map(chr, range(128))))
_TYPOGRAPHY = (("’", "'"), ("‘", " "), ("“", " "), ("”", " "), ("–", " "), ("—", " "), ("…", " "))
_GERSHAYIM = re.compile(r'"(?<=[א-ת]")(?=[א-ת])')
"""What is typed for the mark of Hebrew short forms."""

_CACHED_RUNS = 1 << 16
"""How many different runs of text have their terms cached: about 10 MB."""
_LONGEST_CACHED = 100
"""Characters of a run. Longer ones are seldom repeated."""


def terms_of(text: str, language: str = "english") -> list[str]:
    """The terms of `text`, in order and with repetitions. No term contains a space.

    `language` is a Snowball algorithm ("english", "german", …), "none" or "auto". Raises ConfigurationError for any
    other.
    """
    return index_terms(text, language).split()


def index_terms(text: str, language: str = "english") -> str:
    """The terms of `text`, joined by spaces: what a store indexes."""
    return " ".join(filter(None, map(_analysis(text, language).__getitem__, _split(text))))


def function_terms(text: str, language: str = "english") -> frozenset[str]:
    """The terms that function words of the text's own language have in it, whether they are there or not. Stop words
    have none. Without blanks between words, the pairs of characters that reach into a function word count as that."""
    own = language_of(text) or ""
    if own in WITHOUT_BLANKS:
        return frozenset(_pairs_beside(unicodedata.normalize("NFKC", text), own))
    words = FUNCTION_WORDS.get(own, frozenset())
    terms = _analysis(text, language)
    return frozenset(term for word in words for term in terms[word].split())


def _pairs_beside(text: str, language: str) -> Iterator[str]:
    for found in _function_words_within(language).finditer(text):
        for start in range(max(found.start() - 1, 0), found.end()):
            yield text[start : start + 2]


@lru_cache
def _function_words_within(language: str) -> re.Pattern[str]:
    longest_first = sorted(FUNCTION_WORDS[language], key=lambda word: (-len(word), word))
    return re.compile("|".join(map(re.escape, longest_first)))


def parts_of(text: str, language: str = "english") -> dict[str, tuple[str, ...]]:
    """The terms of `text` that stand for a whole identifier, each with those of its parts: `web-17` has web and 17,
    `HashMap` has hash and map, and E0382 has none. The whole comes before those of its parts."""
    terms = _analysis(text, language)
    found: dict[str, tuple[str, ...]] = {}
    for run in _split(text):
        known = terms[run]
        if " " not in known and not is_code(known):
            continue
        for whole, parts in wholes_of(terms.nodes(run)):
            if parts or is_code(whole):
                found[whole] = tuple(parts)
    return found


def terms_elsewhere(text: str, other: str, language: str) -> dict[str, str]:
    """The terms that the words of `text` have in a text that is analysed in the language `other`, as far as they are
    different ones. Each with the term that it has in `text`."""
    ours, theirs = _analysis(text, language), _terms_in(other)
    if ours is theirs:
        return {}
    pairs = [(ours[run].split(), theirs[run].split()) for run in _split(text)]
    return {
        term: own
        for mine, others in pairs
        if len(mine) == len(others)  # otherwise a part of the run is a stop word in one of them
        for own, term in zip(mine, others, strict=True)
        if own != term
    }


def analysed_in(text: str, language: str) -> str:
    """The language that this text is analysed in, in an index of `language`: its own where that is clear."""
    if language == UNSTEMMED:
        return UNSTEMMED
    if language != AUTO and language not in _STEMMED:
        raise ConfigurationError(
            f"The setting `language` is {language!r}, which is not known. Name one of {', '.join(algorithms())}, "
            f"{AUTO!r} for English, or {UNSTEMMED!r} to leave words as they are."
        )
    own = language_of(text)
    if own not in LATIN_SCRIPT:  # words of another script have its stems in every text
        return _UNCLEAR if language == AUTO else language
    return own if own in _STEMMED else _NO_STEMMER


def analysed_together(texts: Iterable[str], language: str) -> str:
    """The language in which texts are analysed whose terms are compared, as many are too short to show their own: that
    of the first one which shows it."""
    return analysed_in(next(filter(language_of, texts), ""), language)


def terms_in(text: str, spoken: str) -> list[str]:
    """The terms of a part of a text that is analysed in the language `spoken` (analysed_in, analysed_together)."""
    return " ".join(filter(None, map(_terms_in(spoken).__getitem__, _split(text)))).split()


def _analysis(text: str, language: str) -> _Terms:
    return _terms_in(analysed_in(text, language))


def _split(text: str) -> list[str]:
    """The runs of the text. An ASCII text takes a third of the time; its runs may begin with a sign."""
    text = with_small_letters(text)
    if not text.isascii():
        plain = text
        for mark, ascii_mark in _TYPOGRAPHY:
            plain = plain.replace(mark, ascii_mark)
        if not plain.isascii():
            return _runs(_GERSHAYIM.sub("״", text))
        text = plain
    return text.translate(_ASCII_GAPS).split()


@lru_cache
def _terms_in(language: str) -> _Terms:
    if language == UNSTEMMED:
        return _Terms(None, frozenset())
    stems = Stems(language if language != _NO_STEMMER else None)
    return _Terms(stems, STOP_WORDS["english"] if language == "english" else frozenset())


class _Terms(dict[str, str]):
    """The terms of each run of text, joined by spaces. They are computed once, because texts repeat their words."""

    def __init__(self, stems: Stems | None, stop_words: frozenset[str]) -> None:
        super().__init__()
        self._stem = stems.of if stems is not None else str
        self._stop_words = stop_words
        self._lock = Lock()

    def __missing__(self, run: str) -> str:
        with self._lock:  # a Stemmer is for one thread at a time
            terms = " ".join([term for _, term in self._nodes(run)])
            if len(run) <= _LONGEST_CACHED:
                if len(self) >= _CACHED_RUNS:
                    self.clear()
                self[run] = terms
        return terms

    def nodes(self, run: str) -> list[Node]:
        """The terms of the run, each identifier before its parts."""
        with self._lock:
            return self._nodes(run)

    def _nodes(self, run: str) -> list[Node]:
        stem, dropped = self._stem, self._stop_words
        return [(depth, stem(word)) for depth, word in nodes_in(run) if word not in dropped]
