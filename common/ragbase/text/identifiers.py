"""Written words to terms: what counts as a whole, and what its parts are.

    web-17.example.com  ──▶  web-17.example.com (web-17 (web, 17), example, com)

A written word is split at its signs, the outermost first: of an e-mail address or a path, then of a time, a host name,
a name with a number, and a version. At each of them the whole is a term if it names something: others write it in the
same way, and its parts stand in many other words. `and/or`, `well-known` and `a.m` are only parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from ragbase.text.scripts import SPACED

SIGNS = r"\-/@:\\"
"""What joins the parts of identifiers, beside the full stop. For a class of a regular expression."""

Node = tuple[int, str]
"""A term, and how many wholes it is a part of."""

_LONGEST = 200
"""Characters of an identifier. Longer ones are encoded data, or a text whose blanks are lost, and give parts only."""

_SIGN = re.compile(rf"[.{SIGNS}]").search
_VERSION = re.compile(r"[vV]?(\d+(?:\.\d+)+)\Z").match
_ENDS_IN_ZERO = re.compile(r"\d+\.\d+\.0\Z").match
_TAIL = re.compile(r"(?:(?<=[^\W_]{2})|(?<=\d))[+#]+\Z")  # of no C++
_PREFIXED = re.compile(r"[vV]?\d+(?:\.\d+)+[-+]").match  # 2.0.0-rc1, 1.2.3+build
_HEX = re.compile(r"[0-9A-Fa-f]{0,4}\Z").match
_PAIR = 2  # parts of "and/or", 10:30, fig.1
_ADDRESS = 3  # parts of an IPv6 or MAC address, or of a time with seconds, at least
_LETTERS_DOT = re.compile(r"(?<!\d)\.|\.(?!\d)").split
_SCHEME = re.compile(r"[A-Za-z][A-Za-z+.-]{0,20}://+").match
_DRIVE = re.compile(r"[A-Za-z]:[\\/]").match
_DIGIT = re.compile(r"\d").search
_DAY = re.compile(r"(\d{4}-\d\d)-\d\d\Z").match
_DOTTED_DAY = re.compile(r"(\d\d?)\.(\d\d?)\.(\d{4})\Z").match
_PART = re.compile(r"\d*[A-Z][A-Z\d]*(?![a-z])|[A-Z]?[a-z\d]+")  # http, Server of httpServer; SHA256; scrape, interval
_CODE = re.compile(r"(?=.*[^\W\d_])(?=(?:\D*\d){3})[^\W_]+\Z|\d+(?:\.\d+)+\Z").match
_WORD = re.compile(rf"(?P<sharp>[^\W\d_](?:\+\+|\#)(?!{SPACED}))|(?P<word>(?:{SPACED})+)")  # C++, C#


def is_code(term: str) -> bool:
    """That the term names one thing, without parts: E0382, 10.0.0.1."""
    return len(term) <= _LONGEST and _CODE(term) is not None


def wholes_of(nodes: Iterable[Node]) -> list[tuple[str, list[str]]]:
    """Every term with those of its parts."""
    found: list[tuple[str, list[str]]] = []
    around: list[tuple[int, list[str]]] = []
    for depth, term in nodes:
        while around and around[-1][0] >= depth:
            around.pop()
        for _, parts in around:
            parts.append(term)
        found.append((term, []))
        around.append((depth, found[-1][1]))
    return found


def nodes_of(word: str) -> Iterable[Node]:
    """The terms of a written word, in the order of its letters, each whole before its parts."""
    if word.isalpha() and not word.isascii():  # most words that come here
        return ((0, word.casefold()),)
    word = word.strip("_")
    if len(word) > _LONGEST or _SIGN(word) is None:
        return _simple_words(word, 0)
    return _addresses(_TAIL.sub("", word), 0)


def _addresses(word: str, depth: int) -> Iterator[Node]:
    if (scheme := _SCHEME(word)) is not None:
        yield from _simple_words(scheme[0], depth)
        word = word[scheme.end() :].rstrip("/")
    if "@" in word:
        yield from _joined(word, word.split("@"), depth, names=word.count("@") == 1, inside=_paths)
    else:
        yield from _paths(word, depth)


def _paths(word: str, depth: int) -> Iterator[Node]:
    if "\\" in word and _DRIVE(word) is None:
        for piece in word.split("\\"):  # a formula in TeX
            yield from _paths(piece, depth)
        return
    pieces = [piece for piece in word.replace("\\", "/").split("/") if piece]
    if len(pieces) > 1:
        of_file = len(_LETTERS_DOT(pieces[-1])) > 1
        names = of_file or len(pieces) > _PAIR or "_" in word or _DIGIT(word) is not None
        yield from _joined("/".join(pieces), pieces, depth, names=names, inside=_times)
    else:
        yield from _times(word.strip("/\\"), depth)


def _times(word: str, depth: int) -> Iterator[Node]:
    if ":" in word:
        pieces = word.split(":")
        of_numbers = len(pieces) == _PAIR and all(map(str.isdigit, pieces))
        names = of_numbers or (len(pieces) >= _ADDRESS and all(map(_HEX, pieces)) and _DIGIT(word) is not None)
        yield from _joined(word, pieces, depth, names=names, inside=_names)
    else:
        yield from _names(word, depth)


def _names(word: str, depth: int) -> Iterator[Node]:
    """Of files and hosts."""
    pieces = _LETTERS_DOT(word)
    if len(pieces) > 1:
        first, last = pieces[0], pieces[-1]
        is_begun = last.istitle() and not last.isupper() and (first.islower() or first.istitle())  # a blank is lost
        is_short = max(map(len, pieces)) == 1  # U.S
        names = all(pieces) and not (is_short or (len(pieces) == _PAIR and (is_begun or last.isdigit())))
        yield from _joined(word, pieces, depth, names=names, inside=_numbered)
    else:
        yield from _numbered(word, depth)


def _numbered(word: str, depth: int) -> Iterator[Node]:
    pieces = word.replace("+", "-").split("-") if _PREFIXED(word) else word.split("-")
    if len(pieces) > 1:
        names = all(pieces) and (_DIGIT(pieces[-1]) is not None or _PREFIXED(word) is not None)
        if (month := _DAY(word)) is not None:  # 2027-03 of 2027-03-01
            yield depth, word
            yield from _joined(month[1], pieces[:2], depth + 1, names=True, inside=_simple_words)
            yield depth + 1, pieces[2]
        else:
            yield from _joined(word, pieces, depth, names=names, inside=_dotted)
    else:
        yield from _dotted(word, depth)


def _dotted(word: str, depth: int) -> Iterator[Node]:
    if (day := _DOTTED_DAY(word)) is not None:
        yield from _joined(word, day.groups(), depth, names=True, inside=_simple_words)
    elif (version := _VERSION(word)) is not None:
        yield depth, _even(version[1])
    elif "." in word:
        yield from _joined(word, word.split("."), depth, names=True, inside=_simple_words)
    else:
        yield from _simple_words(word, depth)


def _even(version: str) -> str:
    """2.0 for 2.0.0: people leave the last zero out. An IP address has four numbers."""
    return version[:-2] if _ENDS_IN_ZERO(version) else version


def _joined(
    whole: str, pieces: Iterable[str], depth: int, *, names: bool, inside: Callable[[str, int], Iterable[Node]]
) -> Iterator[Node]:
    """The whole, if it names something, and its parts."""
    if names:
        yield depth, whole.casefold()
        depth += 1
    for piece in pieces:
        if piece.isascii() and (piece.isdigit() or (piece.isalpha() and piece.islower())):  # most pieces
            yield depth, piece
        elif piece:
            yield from inside(piece, depth) if _SIGN(piece) else _simple_words(piece, depth)


def _simple_words(text: str, depth: int) -> Iterator[Node]:
    for match in _WORD.finditer(text):
        if match["sharp"]:
            yield depth, match[0].casefold()
        elif word := match[0].strip("_"):
            yield depth, word.casefold()
            parts = _PART.findall(word) if word.isascii() else ()
            if len(parts) > 1:
                for part in parts:
                    yield depth + 1, part.casefold()
