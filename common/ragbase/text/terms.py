"""Text to terms: the text index holds them, and a query looks for them.

ragbase analyses text itself, in the same way for every store, so that all stores find the same passages by their words:
a store indexes the terms, joined by spaces, and searches for the terms of the query.

    "How does Rust's `HashMap` grow?"  ──▶  rust, hashmap, hash, map, grow

A term is a word in lower case (with Unicode's compatibility forms replaced), without its ending. Stop words are
dropped. Numbers and versions (1.39.0) are kept whole, and so are C++ and E0382. An identifier gives a term for the
whole and one for each part (`HashMap`: hashmap, hash, map; `web-17`: web-17, web, 17), and so does a Persian word with
a joiner in it: others type it in one word or in two. Letters that nobody sees split no word
(domain/searched_text.py). Scripts without spaces between words give pairs of neighbouring characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from threading import Lock

from Stemmer import Stemmer, algorithms  # type: ignore[import-not-found]  # PyStemmer has no types

from ragbase.domain.errors import ConfigurationError
from ragbase.domain.searched_text import JOINERS, NEVER_SEEN, with_small_letters
from ragbase.text.languages import FUNCTION_WORDS, STOP_WORDS, language_of

VERSION = "terms-v2"
"""Raise it with every change after which any text has other terms."""

UNSTEMMED = "none"
"""The language of texts whose words are left as they are: there is no stemmer, or they are in several languages."""

AUTO = "auto"
"""Each text is analysed in its own language, and in English if that is not clear."""
_UNCLEAR = "english"

# Combining marks belong to the word that they are in, but \w does not match them: the general ones, and the blocks of
# South and South-East Asia without their full stops.
_MARKS = "\u0300-\u036f\u0900-\u0963\u0966-\u0dff\u0e00-\u0e4e\u0e80-\u0eff\u1000-\u1049\u1780-\u17d3"
# Letters that nobody sees are in the words around them, too.
_invisible = re.compile(rf"[{NEVER_SEEN}{JOINERS}]+")
_PARTED = "\u200c"  # the joiner of Persian words: most parts are words themselves
# Letters of Malayalam and Bengali that older texts write as a letter, a virama and a joiner (Unicode Standard, 12.9).
_WITH_JOINER = tuple(
    (f"{plain}{virama}\u200d", letter)
    for virama, plains, letters in (("\u0d4d", "ണനരലളക", "ൺൻർൽൾൿ"), ("\u09cd", "ত", "ৎ"))
    for plain, letter in zip(plains, letters, strict=True)
)
# A quick search for runs that may be one word. `_words` looks closer, once for each different run.
_runs = re.compile(rf"\w[\w.'’+#\x1a{NEVER_SEEN}{JOINERS}{_MARKS}]*").findall
# ASCII with a space for each character that is in no run; then the only other characters that most English texts have.
_ASCII_GAPS = re.sub(r"[^\w.'+#\x1a]", " ", "".join(map(chr, range(128))))
_TYPOGRAPHY = (("’", "'"), ("‘", " "), ("“", " "), ("”", " "), ("–", " "), ("—", " "), ("…", " "))

# Thai, Lao, Burmese, Khmer; kana, hanzi, hangul (which has spaces, but attaches its particles to the words).
_NO_BLANKS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0003ffff"
)
_SPACED = rf"(?![{_NO_BLANKS}])[\w{_MARKS}]"  # of a script with spaces: a word ends where another script begins
_HYPHEN = "\x1a"  # in a run: the hyphen of an identifier. No text has this character but by mistake
_hyphened = re.compile(
    r"-[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*(?![A-Za-z0-9_-])"
).finditer  # begins with a letter that is quick to find
_first_part = re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z0-9]+\Z").search
_has_digit = re.compile(r"\d").search
_LONGEST_PART = 40
_WORD = re.compile(
    rf"""
      (?P<unspaced> [{_NO_BLANKS}]+ )
    | v?(?P<number> \d+ (?:\.\d+)+ ) (?!{_SPACED})   # 1.39.0, 127.0.0.1, v2.0
    | (?P<sharp>    [^\W\d_] (?:\+\+|\#) ) (?!{_SPACED})   # C++, C#
    | (?P<word>     (?: {_SPACED} )+ )
    """,
    re.VERBOSE,
)
_ARABIC = re.compile("[\u0600-\u08ff]")
_PART = re.compile(r"[A-Z\d]+(?![a-z])|[A-Z]?[a-z\d]+")  # http, Server of httpServer; SHA256; scrape, interval

_CACHED_RUNS = 1 << 16
"""How many different runs of text have their terms cached: about 10 MB."""


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
    have none."""
    words = FUNCTION_WORDS.get(language_of(text) or "", frozenset())
    terms = _analysis(text, language)
    return frozenset(term for word in words for term in terms[word].split())


def parts_of(text: str, language: str = "english") -> dict[str, tuple[str, ...]]:
    """The terms of `text` that stand for a whole identifier, each with those of its parts: `web-17` has web and 17,
    `HashMap` has hash and map."""
    terms = _analysis(text, language)
    found = {run: terms[run].split() for run in _split(text) if _HYPHEN in run or _is_of_parts(run)}
    return {whole: tuple(parts) for whole, *parts in filter(None, found.values()) if parts}


def terms_elsewhere(text: str, other: str) -> dict[str, str]:
    """The terms that the words of `text` have in a text that "auto" analyses in the language `other`, as far as they
    are different ones. Each with the term that it has in `text`."""
    ours, theirs = _terms_in_own(analysed_in(text)), _terms_in_own(other)
    pairs = [(ours[run].split(), theirs[run].split()) for run in _split(text)]
    return {
        term: own
        for mine, others in pairs
        if len(mine) == len(others)  # otherwise a part of the run is a stop word in one of them
        for own, term in zip(mine, others, strict=True)
        if own != term
    }


def analysed_in(text: str) -> str:
    """The language that "auto" analyses this text in."""
    found = language_of(text)
    if found is None:
        return _UNCLEAR
    return found if found in algorithms() else UNSTEMMED


def _analysis(text: str, language: str) -> _Terms:
    return _terms_of_runs(language) if language != AUTO else _terms_in_own(analysed_in(text))


@lru_cache
def _terms_in_own(language: str) -> _Terms:
    """For "auto". An index with one language for all has stop words in English only, and keeps its terms."""
    stemmer = Stemmer(language) if language != UNSTEMMED else None
    return _Terms(stemmer, STOP_WORDS.get(language, frozenset()))


def _split(text: str) -> list[str]:
    """The runs of the text. An ASCII text takes a third of the time; its runs may begin with more of `.'+#`."""
    text = with_small_letters(text)
    if "-" in text:
        text = _with_identifiers(text)
    if not text.isascii():
        plain = text
        for mark, ascii_mark in _TYPOGRAPHY:
            plain = plain.replace(mark, ascii_mark)
        if not plain.isascii():
            return _runs(text)
        text = plain
    return text.translate(_ASCII_GAPS).split()


def _with_identifiers(text: str) -> str:
    """The text with another sign for the hyphens of web-17, OPS-1423 and 2027-03-01: of words whose last part has a
    digit. A CO2-emission is two words."""
    pieces: list[str] = []
    end = 0
    for found in _hyphened(text):
        start = found.start()
        if _has_digit(found[0], found[0].rfind("-")):
            first = _first_part(text, max(end, start - _LONGEST_PART), start)
            if first is not None:
                pieces += (text[end : first.start()], " ", f"{first[0]}{found[0]} ".replace("-", _HYPHEN))
                end = found.end()
    return "".join((*pieces, text[end:])) if pieces else text


@lru_cache
def _terms_of_runs(language: str) -> _Terms:
    if language == UNSTEMMED:
        return _Terms(None, frozenset())
    if language not in algorithms():
        raise ConfigurationError(
            f"The setting `language` is {language!r}, which is not known. Name one of {', '.join(algorithms())}, "
            f"{AUTO!r} for that of each text, or {UNSTEMMED!r} to leave words as they are."
        )
    return _Terms(Stemmer(language), STOP_WORDS["english"] if language == "english" else frozenset())


class _Terms(dict[str, str]):
    """The terms of each run of text, joined by spaces. They are computed once, because texts repeat their words."""

    def __init__(self, stemmer: Stemmer | None, stop_words: frozenset[str]) -> None:
        super().__init__()
        self._stemmer = stemmer
        self._stop_words = stop_words
        self._lock = Lock()

    def __missing__(self, run: str) -> str:
        with self._lock:  # a Stemmer is for one thread at a time
            if len(self) >= _CACHED_RUNS:
                self.clear()
            words = _words(run.lstrip(".'+#"))
            terms = self[run] = " ".join([self._stem(word) for word in words if word not in self._stop_words])
        return terms

    def _stem(self, word: str) -> str:
        if self._stemmer is None or not word.isalpha():
            return word
        stem: str = self._stemmer.stemWord(word)
        return stem


def _words(run: str) -> Iterable[str]:
    plain = run.rstrip(".'’")
    if plain.isascii() and plain.isalpha() and (plain.islower() or plain.istitle()):  # most runs
        return (plain.lower(),)
    return _words_of_identifier(plain) if _HYPHEN in plain else _words_within(run)


def _words_of_identifier(run: str) -> Iterator[str]:
    yield run.replace(_HYPHEN, "-").casefold()
    for part in run.split(_HYPHEN):
        yield from _words(part)


def _words_within(run: str) -> Iterator[str]:
    run = unicodedata.normalize("NFKC", run)
    if "\u200d" in run:
        for joined, letter in _WITH_JOINER:
            run = run.replace(joined, letter)
    yield from _words_in(_invisible.sub("", run))
    if _PARTED in run and _ARABIC.match(run):
        parts = list(filter(None, (_invisible.sub("", part) for part in run.split(_PARTED))))
        for part in parts if len(parts) > 1 else ():
            yield from _words_in(part)


def _words_in(run: str) -> Iterator[str]:
    for match in _WORD.finditer(run):
        text = match[0]
        if match["unspaced"]:
            yield from (text[i : i + 2] for i in range(max(1, len(text) - 1)))
        elif match["word"]:
            yield from _parts(text)
        else:
            yield (match["number"] or text).casefold()


def _is_of_parts(run: str) -> bool:
    word = run.strip("_.'’+#")
    return word.isascii() and word.isidentifier() and len(_PART.findall(word)) > 1


def _parts(word: str) -> Iterator[str]:
    word = word.strip("_")
    yield word.casefold()
    parts = _PART.findall(word) if word.isascii() else ()
    if len(parts) > 1:
        yield from (part.casefold() for part in parts)
