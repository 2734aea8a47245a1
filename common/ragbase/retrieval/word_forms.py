"""Which words of the passages near a query may be forms of its words: `rotation` of `rotate`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import lru_cache

_INFLECTED_IN = 12
"""The nearest passages whose words may be forms of a query's."""
_ALIKE = 0.5
"""Words are forms of one word if they begin alike and share so much of their groups of three letters (Dice)."""
_BEGINNING = 3
_LEAST_LETTERS = 4
_MOST_ALIKE = 6
"""Words that a term stands for: those that are the most alike."""


def forms_of(telling: Collection[str], near: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The query's terms that each word may stand for, by name: itself, and words of like spelling. `near` are the terms
    of the passages that are nearest to the query. Stems do not bring all forms of a word together, and no language has
    a stemmer for all its words."""
    forms: dict[str, tuple[str, ...]] = {term: (term,) for term in telling}
    inflected = [term for term in telling if len(term) >= _LEAST_LETTERS and term.isalpha()]
    beginnings = {term[:_BEGINNING] for term in inflected}
    written = set[str]().union(*[split_terms(terms)[1] for terms in near[:_INFLECTED_IN]])
    of_beginning = defaultdict[str, list[str]](list)
    for word in [word for word in written if word[:_BEGINNING] in beginnings]:
        if len(word) >= _LEAST_LETTERS and word.isalpha():
            of_beginning[word[:_BEGINNING]].append(word)
    for term in inflected:
        groups = _groups(term)
        likeness = [
            (2 * len(groups & other) / (len(groups) + len(other)), word)
            for word in of_beginning[term[:_BEGINNING]]
            for other in (_groups(word),)
            if word != term
        ]
        for share, word in sorted(likeness, key=lambda one: (-one[0], one[1]))[:_MOST_ALIKE]:
            if share >= _ALIKE:
                forms[word] = tuple(sorted((*forms.get(word, ()), term)))
    return forms


@lru_cache(maxsize=2048)  # each is asked for several times in a search, and near many questions
def split_terms(terms: str) -> tuple[list[str], frozenset[str]]:
    """The terms of a passage, which spaces separate, and the different ones of them."""
    words = terms.split()
    return words, frozenset(words)


@lru_cache(maxsize=1 << 14)
def _groups(word: str) -> frozenset[str]:
    """The groups of three letters of a word, with its borders."""
    bordered = f" {word} "
    return frozenset(bordered[start : start + 3] for start in range(len(word)))
