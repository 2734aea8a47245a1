"""Which encoding a text is in that says nothing about it, and how sure that is."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from ragbase.formats.alphabets import alphabet_share
from ragbase.formats.tcvn3 import decode_tcvn3, vietnamese_share

TCVN3 = "tcvn3"

SAMPLE = 32 * 1024
"""Bytes that decide. They come from lines with bytes beyond ASCII, as other lines say nothing."""

TELLING = re.compile(rb"[\x80-\xff]")

WIDER = {"iso8859-1": "cp1252", "shift_jis": "cp932", "gb2312": "gb18030", "gbk": "gb18030", "euc_kr": "cp949"}
"""Encodings that hold all of another one (of Latin-1: all but control characters): a byte beyond the sample may need
them."""

RARE = 0.95
"""A reading in an encoding that web pages do not use has to be better than one in an encoding that they do."""

MIN_CONFIDENCE = 0.04
"""chardet's confidence below which its answer is one of many."""

CANDIDATES = 16
"""Of chardet's answers, the most likely ones are looked at."""

FEW = 5
"""Characters beyond ASCII that are not enough to tell Western encodings from each other."""

FEW_LETTERS = 3
"""Different letters beyond ASCII that are enough. The `ë` of a long Albanian text may as well be another letter of
another language."""

FEW_BYTES = 24
"""Bytes beyond ASCII that are not enough to tell other alphabets from each other."""

TELLING_CONFIDENCE = 0.3
"""chardet's confidence in an alphabet of its own, such as Greek or Chinese, is higher even for one word."""

RIVAL = 0.8
"""Another reading with this share of the best one's score could be the right one, too."""

VIETNAMESE = 0.9
"""Share of syllables in a text that is Vietnamese; some names are none. Texts in other languages, or read in a wrong
encoding, have less than a half of it."""

WORTHLESS = 0.2
"""Share of odd characters at which a reading cannot be the right one, whatever chardet says."""

MAX_ODD = 0.05
"""Share of odd characters, among those beyond ASCII, in a text that is read in its own encoding."""

GARBLED = 0.5
"""Share of odd characters from which a text cannot be read."""

LATIN = r"[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]"
OTHER_ALPHABET = r"[\u0370-\u058f\u0590-\u06ff\u0e00-\u0e7f\uff61-\uff9f]"
LETTER = r"[^\W\d_]"
ODD = (
    rf"(?<={LETTER})[^\w\s\x00-\x7f\u00ad\u00b7\u0300-\u036f\u0590-\u06ff\u0900-\u0eff\u2010\u2011\u2014\u2018\u2019\u2026"
    rf"\u3000-\u30ff\uff00-\uff65](?={LETTER})"
    rf"|[\u00a6\u00a8\u00b4\u00b8](?={LETTER})|(?<={LETTER})[\u00b2\u00b3\u00b5\u00b9\u00bc-\u00be](?={LETTER})"
    r"|(?<=[a-zß-öø-ÿ])[À-ÖØ-Þ]|(?<=[A-Z]{2})[à-öø-ÿ](?=[A-Z])|(?<=[а-яё])[А-ЯЁЂ-Џ]|(?<=[\u03ac-\u03ce])[\u0391-\u03a9]"
    rf"|(?<={LATIN}){OTHER_ALPHABET}|(?<={OTHER_ALPHABET}){LATIN}"
    rf"|(?<={LETTER})[\u2500-\u259f]|[\u2500-\u259f](?={LETTER})"
    r"|[\u2552\u2553\u2555\u2556\u2558\u2559\u255b\u255c\u255e\u255f\u2561\u2562\u2564\u2565\u2567\u2568\u256a\u256b]"
    r"|[\x80-\x84\x86-\x9f\ufffd\ue000-\uf8ff\ufb50-\ufdff\ufe70-\ufefc]"
)
"""What is rare in a text but common where it is read in a wrong encoding: a symbol inside a word, a capital after a
small letter, a small letter among capitals, two alphabets in one word, lines of tables at a letter, or single ones that
meet double ones, control characters, unknown characters, Arabic letters by their shapes."""

BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
NOT_LATIN = re.compile(r"[\u0370-\u1cff\u3000-\ud7ff]")


@cache
def _odd() -> re.Pattern[str]:
    """Compiled when first used: that takes 4 ms, and most texts are in UTF-8."""
    return re.compile(ODD)


@dataclass(frozen=True, slots=True)
class Guess:
    """An encoding, and whether nothing else is likely. `garbled` says that the text makes no sense in it."""

    encoding: str
    sure: bool
    garbled: bool = False


@dataclass(frozen=True, slots=True)
class _Reading:
    encoding: str
    confidence: float
    text: str
    odd: float
    alphabet: float

    @property
    def score(self) -> float:
        """A text in its own encoding has few letters of another alphabet: the fourth power makes each one count."""
        return self.confidence * self.alphabet**4 * max(0.0, 1 - self.odd / WORTHLESS)


def guess_encoding(data: bytes) -> Guess | None:
    """The encoding of data that is not UTF-8; None if it is no text."""
    sample = telling_lines(data)
    names = _found(sample)
    if names and names[0][0].startswith(("utf-16", "utf-32")):
        # With its bytes in the wrong order, a text has no blanks.
        return Guess(names[0][0], sure=any(blank in decode_as(sample, names[0][0]) for blank in " \n"))
    if b"\0" in sample:
        return None
    as_tcvn3 = vietnamese_share(decode_tcvn3(sample))
    if as_tcvn3 >= VIETNAMESE and as_tcvn3 > vietnamese_share(decode_as(sample, "cp1258")):
        return Guess(TCVN3, sure=True)
    readings = sorted(_readings(sample, names), key=lambda one: -one.score)
    if not readings:
        return None
    best = readings[0]
    beyond_ascii = BEYOND_ASCII.findall(best.text)
    if len(beyond_ascii) < FEW:
        return _guess_from_few(sample, best)
    is_enough = len(TELLING.findall(sample)) >= FEW_BYTES or not NOT_LATIN.search(best.text)
    is_enough = is_enough and sum(map(str.isalpha, set(beyond_ascii))) >= FEW_LETTERS
    has_rival = as_tcvn3 >= VIETNAMESE or any(
        one.text != best.text and one.score >= RIVAL * best.score for one in readings
    )
    makes_sense = best.odd <= MAX_ODD
    return Guess(
        best.encoding,
        sure=is_enough and not has_rival and best.score >= MIN_CONFIDENCE and makes_sense,
        garbled=best.odd > GARBLED or not (best.confidence >= MIN_CONFIDENCE or makes_sense),
    )


def _guess_from_few(sample: bytes, best: _Reading) -> Guess:
    """The best reading, if it has an alphabet of its own, else that in the most common of encodings."""
    western = _reading(sample, "cp1252", 0.0)
    is_western = best.confidence < TELLING_CONFIDENCE and not western.odd and western.alphabet == 1
    return Guess("cp1252" if is_western else best.encoding, sure=False, garbled=not is_western and best.odd > GARBLED)


def _found(sample: bytes) -> list[tuple[str, float]]:
    """Encodings with chardet's confidence, the most likely first."""
    import chardet
    from chardet import EncodingEra

    def ask(eras: EncodingEra) -> list[tuple[str, float]]:
        answers = chardet.detect_all(sample, encoding_era=eras, compat_names=False, max_bytes=SAMPLE)
        return [(answer["encoding"], answer["confidence"]) for answer in answers if answer["encoding"]]

    usual = {name for name, _ in ask(EncodingEra.MODERN_WEB | EncodingEra.LEGACY_ISO)}
    return [(name, confidence if name in usual else RARE * confidence) for name, confidence in ask(EncodingEra.ALL)]


def guess_utf16(data: bytes) -> Guess | None:
    """UTF-16 without a mark in a script that has few NUL bytes in it, such as Chinese, which chardet does not see."""
    sample = data[: SAMPLE // 4 * 4]
    for encoding in ("utf-16-le", "utf-16-be"):
        try:
            text = sample.decode(encoding)
        except UnicodeDecodeError:
            continue
        if all(character in "\r\n\t" or unicodedata.category(character)[0] != "C" for character in text):
            return Guess(encoding, sure=False)
    return None


def decode_as(data: bytes, encoding: str) -> str:
    """What cannot be read becomes U+FFFD. Vietnamese letters are composed (NFC)."""
    if encoding == TCVN3:
        return decode_tcvn3(data)
    text = data.decode(encoding, "replace")
    return unicodedata.normalize("NFC", text) if encoding == "cp1258" else text


def telling_lines(data: bytes, enough: int = SAMPLE) -> bytes:
    """Enough lines with bytes beyond ASCII; the beginning of data with NUL bytes, whose lines end in another way."""
    if b"\0" in data[:enough]:
        return data[: enough // 4 * 4]
    lines: list[bytes] = []
    size = end = 0
    while size < enough and (telling := TELLING.search(data, end)):
        start = max(data.rfind(b"\n", end, telling.start()) + 1, end, telling.start() - enough)
        end = data.find(b"\n", telling.end()) + 1 or len(data)
        lines.append(data[start : min(end, start + enough)])
        size += len(lines[-1])
    return b"".join(lines)


def _readings(sample: bytes, names: list[tuple[str, float]]) -> Iterator[_Reading]:
    for name, confidence in names[:CANDIDATES]:
        yield _reading(sample, WIDER.get(name, name), confidence)


def _reading(sample: bytes, encoding: str, confidence: float) -> _Reading:
    text = decode_as(sample, encoding)
    return _Reading(encoding, confidence, text, odd_share(text), alphabet_share(text))


def odd_share(text: str) -> float:
    """The share of odd characters, 0..1, among those beyond ASCII: high where the text was read in a wrong encoding."""
    beyond = len(BEYOND_ASCII.findall(text))
    return len(_odd().findall(text)) / beyond if beyond else 0.0
