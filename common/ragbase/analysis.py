"""Text to terms: what the text index holds and what a query asks it for.

Analysis is ours and the same for every store, so that all of them find the same passages by their words: a store
indexes the terms, joined by blanks, and is asked for the terms of the query.

    "How does Rust's `HashMap` grow?"  ──▶  rust, hashmap, hash, map, grow

A term is a word in lower case (compatibility forms folded), without its ending. Stop words are dropped, numbers and
versions are kept whole (1.39.0), as are C++ and E0382. An identifier stands as a whole and in its parts (`HashMap`:
hashmap, hash, map). Scripts that put no blanks between words give pairs of neighbouring characters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from threading import Lock

from Stemmer import Stemmer, algorithms  # type: ignore[import-not-found]  # PyStemmer has no types

from ragbase.domain.errors import ConfigurationError

VERSION = "terms-v1"
"""Raise it with every change that gives other terms to any text."""

UNSTEMMED = "none"
"""The language of texts whose words are left as they are, for want of a stemmer or because they are of many."""

# Function words of Snowball's English stop list (BSD, snowballstem.org/algorithms/english/stop.txt) without the
# contractions, which `_words` takes apart, and with the words that only ask or offer to ask.
_ENGLISH = """
i me my myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it
its itself they them their theirs themselves what which who whom whose this that these those am is are was were be been
being have has had having do does did doing would should could will shall can may might must ought a an the and but if
or because as until while of at by for with about against between into through during before after above below to from
up down in out on off over under again further then once here there when where why how all any both each few more most
other some such no nor not only own same so than too very s t d ll m re ve don isn aren wasn weren hasn haven hadn
doesn didn won wouldn shouldn couldn cannot
"""
STOP_WORDS = {"english": frozenset(_ENGLISH.split())}
"""By language. Elsewhere a common word weighs little by its frequency alone."""

# Combining marks belong to the word they stand in, but are no \w: the general ones, and the blocks of South and
# South-East Asia without their full stops.
_MARKS = "\u0300-\u036f\u0900-\u0963\u0966-\u0dff\u0e00-\u0e4e\u0e80-\u0eff\u1000-\u1049\u1780-\u17d3"
# Whatever may be one word, and quickly: `_words` has a closer look, once for each different run.
_runs = re.compile(rf"\w[\w.'’+#{_MARKS}]*").findall
# ASCII with a blank for each character that is in no run, and what alone keeps most English texts from being ASCII.
_ASCII_GAPS = re.sub(r"[^\w.'+#]", " ", "".join(map(chr, range(128))))
_TYPOGRAPHY = (("’", "'"), ("‘", " "), ("“", " "), ("”", " "), ("–", " "), ("—", " "), ("…", " "))

# Thai, Lao, Burmese, Khmer; kana, hanzi, hangul (which has blanks, but glues its particles to the words).
_NO_BLANKS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\U00020000-\U0003ffff"
)
_WORD = re.compile(
    rf"""
      (?P<unspaced> [{_NO_BLANKS}]+ )
    | v?(?P<number> \d+ (?:\.\d+)+ ) (?![\w])   # 1.39.0, 127.0.0.1, v2.0
    | (?P<sharp>    [^\W\d_] (?:\+\+|\#) ) (?!\w)   # C++, C#
    | (?P<word>     [\w{_MARKS}]+ )
    """,
    re.VERBOSE,
)
_PART = re.compile(r"[A-Z\d]+(?![a-z])|[A-Z]?[a-z\d]+")  # http, Server of httpServer; SHA256; scrape, interval

_CACHED_RUNS = 1 << 16
"""How many different runs of text keep their terms, some 10 MB."""


def analyse(text: str, language: str = "english") -> list[str]:
    """The terms of `text` in their order, repeated where they repeat; none of them holds a blank.

    `language` names a Snowball algorithm ("english", "german", …) or is "none". Raises ConfigurationError for another.
    """
    return index_terms(text, language).split()


def index_terms(text: str, language: str = "english") -> str:
    """What `analyse` gives, joined by blanks: what a store indexes."""
    return " ".join(filter(None, map(_terms_of_runs(language).__getitem__, _split(text))))


def _split(text: str) -> list[str]:
    """The runs of the text; those of ASCII at a third of the cost, some with more of `.'+#` before them."""
    if not text.isascii():
        plain = text
        for mark, ascii_mark in _TYPOGRAPHY:
            plain = plain.replace(mark, ascii_mark)
        if not plain.isascii():
            return _runs(text)
        text = plain
    return text.translate(_ASCII_GAPS).split()


@lru_cache
def _terms_of_runs(language: str) -> _Terms:
    if language == UNSTEMMED:
        return _Terms(None, frozenset())
    if language not in algorithms():
        raise ConfigurationError(
            f"The setting `language` is {language!r}, which is not known. Name one of {', '.join(algorithms())}, or "
            f"{UNSTEMMED!r} to leave words as they are."
        )
    return _Terms(Stemmer(language), STOP_WORDS.get(language, frozenset()))


class _Terms(dict[str, str]):
    """The terms of a run of text, joined by blanks, worked out once: text repeats its words."""

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
    if plain.isascii() and plain.isalpha() and (plain.islower() or plain.istitle()):  # most of them
        return (plain.lower(),)
    return _words_within(run)


def _words_within(run: str) -> Iterator[str]:
    for match in _WORD.finditer(unicodedata.normalize("NFKC", run)):
        text = match[0]
        if match["unspaced"]:
            yield from (text[i : i + 2] for i in range(max(1, len(text) - 1)))
        elif match["word"]:
            yield from _parts(text)
        else:
            yield (match["number"] or text).casefold()


def _parts(word: str) -> Iterator[str]:
    word = word.strip("_")
    yield word.casefold()
    parts = _PART.findall(word) if word.isascii() else ()
    if len(parts) > 1:
        yield from (part.casefold() for part in parts)
