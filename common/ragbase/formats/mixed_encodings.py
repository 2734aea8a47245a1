"""Texts in UTF-8 with lines or words in an older encoding: logs, exports and lists that several programs have written
to. What is not UTF-8 is read in the other encoding where that makes sense, and is damaged where it does not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from unicodedata import combining

from ragbase.formats.alphabets import alphabet_share
from ragbase.formats.guess_encoding import (
    MAX_ODD,
    SAMPLE,
    TCVN3,
    decode_as,
    guess_encoding,
    odd_share,
    telling_lines,
)

PARTS = 8
"""Places of a long text that are looked at: what was added later may be in another encoding."""

DAMAGED = 0.1
"""Share of what is beyond ASCII that is not UTF-8 in a text that is UTF-8, whatever else is in it."""

FEW_WORDS = 3
"""Different words of two characters. Fewer words of an East Asian encoding may be UTF-8 by chance."""

ONE_ALPHABET = 0.9
"""Share of the letters beyond ASCII that one language has, in what makes sense though its encoding is not certain."""

LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
WORD = re.compile(rb"[0-9A-Za-z\x80-\xff]+")
WORD_END = re.compile(rb"[\x80-\xff][0-9A-Za-z\x80-\xff]*")
"""A word from its first letter beyond ASCII on: a long text has many words without one."""
LONGEST_BEFORE = 32
"""Letters before that one that are looked at."""
INVALID = re.compile("[\udc80-\udcff]+")
OTHER_SCRIPT = re.compile("[\u0370-\u1dff\u2c00-\udc7f\uf900-\ufdff\U00010000-\U0010ffff]")
"""Not Latin. An invalid byte beside such a letter is what is left of another one."""

REPLACEMENT = "\ufffd"
WESTERN = "cp1252"
"""The most common encoding beside UTF-8."""
DASH = re.compile(r"(?<=[^\W\d_]{3})\u2013(?=[^\W\d_]{3})")
OLD = re.compile("cp[478]|mac")
"""Encodings of DOS and of old Macs. They are rare beside UTF-8, and look like Western ones with a dash in them."""


@dataclass(frozen=True, slots=True)
class OtherEncoding:
    """The encoding of what is not UTF-8. Without a name, that makes sense in none."""

    name: str | None

    def read(self, line: bytes) -> str:
        """The text of a line that is not UTF-8."""
        invalid, valid = _counts(line)
        if self.name is None or (not self.has_single_bytes and invalid <= valid):
            return line.decode("utf-8", "replace")
        if invalid > valid:
            text = decode_as(line, self.name)
            if not self.has_single_bytes or _odd_share(text, self.name) <= MAX_ODD:
                return text
        if self.name == WESTERN and OTHER_SCRIPT.search(line.decode("utf-8", "ignore")):
            return line.decode("utf-8", "replace")
        return "".join(self._words(line))

    @property
    def has_single_bytes(self) -> bool:
        """Whether each character has one byte."""
        return self.name == TCVN3 or len(b"\xe9\xe8".decode(self.name or "ascii", "replace")) > 1

    def _words(self, line: bytes) -> Iterator[str]:
        end = 0
        for found in WORD_END.finditer(line):
            start, first = found.start(), max(end, found.start() - LONGEST_BEFORE)
            while start > first and line[start - 1 : start].isalnum():
                start -= 1
            yield line[end:start].decode("ascii")
            yield self._word(line[start : found.end()])
            end = found.end()
        yield line[end:].decode("ascii")

    def _word(self, word: bytes) -> str:
        text = word.decode("utf-8", "surrogateescape")
        if not INVALID.search(text):
            return text
        readings = [decode_as(word, self.name or "")]
        if not OTHER_SCRIPT.search(text):
            readings.insert(0, INVALID.sub(self._other_bytes, text))
        return next((one for one in readings if not _odd_share(one, self.name)), word.decode("utf-8", "replace"))

    def _other_bytes(self, found: re.Match[str]) -> str:
        return decode_as(found[0].encode("utf-8", "surrogateescape"), self.name or "")


@dataclass(frozen=True, slots=True)
class MixedText:
    """A text that is UTF-8 in most or in some of its lines. `notes` say what was read otherwise."""

    text: str
    notes: tuple[str, ...]


def other_encoding(data: bytes, *, is_utf8: bool = False) -> OtherEncoding | None:
    """The encoding of what is not UTF-8 in a text that has UTF-8 in it; None if all of it is in another encoding.
    `is_utf8` says that what stands before `data` is UTF-8."""
    sample = _sample(data)
    invalid, valid = _counts(sample)
    is_utf8 = is_utf8 or invalid <= DAMAGED * (invalid + valid)
    words = [word for word in WORD.findall(sample) if not word.isascii() and _is_utf8(word)]
    if not words and not is_utf8:
        return None
    other = OtherEncoding(_encoding_of(_others(data)))
    if is_utf8:
        return other
    if other.name is None:
        return other if invalid < valid else None
    return None if _explains(other, words) else other


def read_mixed(data: bytes) -> MixedText | None:
    """The text of `data`, which is not UTF-8 as a whole; None if no part of it is."""
    other = other_encoding(data)
    if other is None:
        return None
    pieces: list[str] = []
    lines = read = damaged = start = 0
    for line in LINE.finditer(data):
        lines += 1
        if _is_utf8(line[0]):
            continue
        text = other.read(line[0])
        pieces += (data[start : line.start()].decode(), text)
        start = line.end()
        broken = text.count(REPLACEMENT)
        damaged += broken
        read += not broken or text != line[0].decode("utf-8", "replace")
    pieces.append(data[start:].decode())
    return MixedText("".join(pieces), tuple(_notes(other, read, lines, damaged)))


def _notes(other: OtherEncoding, read: int, lines: int, damaged: int) -> Iterator[str]:
    if read:
        of, are = f"{read} of {lines} line{'s' if lines > 1 else ''}", "is" if read == 1 else "are"
        them = "it" if read == 1 else "them"
        yield (
            f"{of} {are} not in UTF-8 like the rest: read as {other.name}. If a word in {them} is wrong, save the file "
            "as UTF-8."
        )
    if damaged:
        yield f"{damaged} damaged character{'s' if damaged > 1 else ''}, shown as U+FFFD."


def _sample(data: bytes) -> bytes:
    if len(data) <= SAMPLE:
        return telling_lines(data)
    size = len(data) // PARTS + 1
    parts = (data[start : start + size] for start in range(0, len(data), size))
    return b"\n".join(telling_lines(part, SAMPLE // PARTS) for part in parts)


def _others(data: bytes) -> bytes:
    """Enough of the lines that are not UTF-8, without the words that are."""
    lines: list[bytes] = []
    size = 0
    for line in LINE.finditer(data):
        if not _is_utf8(line[0]):
            lines.append(WORD.sub(_without_utf8, line[0][:SAMPLE]))
            size += len(lines[-1])
            if size >= SAMPLE:
                break
    return b"".join(lines)


def _without_utf8(word: re.Match[bytes]) -> bytes:
    if word[0].isascii():
        return word[0]
    invalid, valid = _counts(word[0])
    return b"" if valid > invalid else word[0]


def _encoding_of(others: bytes) -> str | None:
    """None if they make sense in no encoding: they are what is left of characters that were cut."""
    guess = guess_encoding(others) if others else None
    if guess is None or guess.garbled:
        return None
    western = _makes_sense(others, WESTERN)
    if guess.sure and not (western and OLD.match(guess.encoding)):
        return guess.encoding
    if western and _is_one_language(others, WESTERN):
        return WESTERN
    if _makes_sense(others, guess.encoding) and _is_one_language(others, guess.encoding):
        return guess.encoding
    return WESTERN if western else None


def _makes_sense(data: bytes, encoding: str) -> bool:
    return _odd_share(decode_as(data, encoding), encoding) <= MAX_ODD


def _is_one_language(data: bytes, encoding: str) -> bool:
    return alphabet_share(decode_as(data, encoding)) >= ONE_ALPHABET


def _explains(other: OtherEncoding, words: list[bytes]) -> bool:
    """Whether words that are UTF-8 make sense in the other encoding, too, so that they are it by chance."""
    text = decode_as(b" ".join(words), other.name or "")
    if REPLACEMENT in text:
        return False
    if other.has_single_bytes:
        return odd_share(text) <= MAX_ODD and 2 * sum(map(_has_signs, text.split())) < len(words)
    return sum(_counts(word)[1] > 1 for word in set(words)) < FEW_WORDS


def _odd_share(text: str, encoding: str | None) -> float:
    """Western words may have a dash between them. Elsewhere it is a letter in a wrong encoding."""
    return odd_share(DASH.sub("-", text) if encoding == WESTERN else text)


def _has_signs(word: str) -> bool:
    """Whether it has a character beyond ASCII that is no letter."""
    return any(not (one.isascii() or one.isalpha() or combining(one)) for one in word)


def _counts(data: bytes) -> tuple[int, int]:
    """How many bytes are not UTF-8, and how many characters beyond ASCII are."""
    text = data.decode("utf-8", "surrogateescape")
    invalid = sum(len(found[0]) for found in INVALID.finditer(text))
    return invalid, len(text) - len(text.encode("ascii", "ignore")) - invalid


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
