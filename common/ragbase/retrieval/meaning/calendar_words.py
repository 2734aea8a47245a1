"""The names of months and weekdays in 33 languages (calendar_words.tsv), in small letters.

They are from Unicode's CLDR 47 (cldr.unicode.org, Unicode License v3): wide forms, `short` for those of a few letters;
and the locatives of Slavic languages, which CLDR does not have.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_WORDS = Path(__file__).with_name("calendar_words.tsv")


@cache
def calendar_words(kind: str) -> Mapping[str, frozenset[int]]:
    """What each word may be: a `month` or a `short` one from 1 on, a `weekday` from 0, which is Monday."""
    found = defaultdict[str, set[int]](set)
    for line in _WORDS.read_text(encoding="utf-8").splitlines():
        of, number, words = line.split("\t")
        for word in words.split() if of == kind else ():
            found[word].add(int(number))
    return {word: frozenset(numbers) for word, numbers in found.items()}
