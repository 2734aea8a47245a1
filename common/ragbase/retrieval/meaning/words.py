"""The words by which languages say how firm, how often, in which order and which way: tables of regular expressions.

- modal_words.tsv: language, kind, words. `must` is an obligation whose denial forbids, `required` one whose denial
  lifts it, `forbidden` and `optional` what has that meaning in a word. `least` and `most` are bounds of an amount: they
  deny nothing, whatever their words.
- opposites.tsv: language, kind, words, opposite words. Those of a `relation` stand between two things ("A before B" is
  "B after A"), those of a `change` do not.
- antonyms.tsv: language, words, what they are the denial of. After an equals sign, it is another word for it;
  after an exclamation mark, the words deny their whole statement.

The languages are those of negations.py; "ru" is Ukrainian, too, and "ar" Persian.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent
BOUNDS = ("least", "most")
_WITHOUT_BLANKS = frozenset({"ja", "zh", "ko"})


@dataclass(frozen=True, slots=True)
class Opposites:
    """`is_relation` says that the words stand between two things."""

    one: re.Pattern[str]
    other: re.Pattern[str]
    is_relation: bool


@dataclass(frozen=True, slots=True)
class Antonym:
    """`words` deny `base`, or are other words for it. Those that are `whole` deny all of their clause: "impossible" is
    "cannot"."""

    words: re.Pattern[str]
    base: str
    denies: bool
    whole: bool


@cache
def modal_words(code: str) -> Mapping[str, re.Pattern[str]]:
    """The words of each kind in this language."""
    return {kind: _pattern(words, code) for kind, words in _rows("modal_words.tsv", code)}


@cache
def bounds(code: str) -> re.Pattern[str] | None:
    """The words for the lower and the upper bound of an amount, in the groups `least` and `most`. They are looked for
    together: "more than" stands in "no more than"."""
    words = dict(_rows("modal_words.tsv", code))
    if not words:
        return None
    return _pattern("|".join(f"(?P<{kind}>{words[kind]})" for kind in BOUNDS), code)


@cache
def opposites(code: str) -> Sequence[Opposites]:
    return [
        Opposites(_pattern(one, code), _pattern(other, code), kind == "relation")
        for kind, one, other in _rows("opposites.tsv", code)
    ]


@cache
def antonyms(code: str) -> Sequence[Antonym]:
    return [
        Antonym(_pattern(words, code), base.lstrip("=!"), not base.startswith("="), base.startswith("!"))
        for words, base in _rows("antonyms.tsv", code)
    ]


def _rows(file: str, code: str) -> Iterator[list[str]]:
    for line in (_FOLDER / file).read_text(encoding="utf-8").splitlines():
        of, *row = line.split("\t")
        if of == code:
            yield row


def _pattern(words: str, code: str) -> re.Pattern[str]:
    """Whole words. (\\b takes the vowel signs of Hindi for gaps between words.)"""
    if code in _WITHOUT_BLANKS:
        return re.compile(words)
    return re.compile(rf"(?<![\w\u0900-\u097f])(?:{words})(?![\w\u0900-\u097f])", re.IGNORECASE)
