"""What the words of a question are worth, and how much of them a statement has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import takewhile

from ragbase.adapters.extractive.quotable import Quotable
from ragbase.retrieval.bm25 import inverse_frequency

HEADING = 0.5
"""What a term is worth that only the headings above a sentence have."""
OPENING = 1.0
"""The same for the first sentence below a heading: it says what the heading names."""
BEFORE = 0.5
AFTER = 0.4
"""What a term is worth that only the statement before has, or the one after: a sentence goes on about what the one
before it named."""
LED = 0.6
"""What a term is worth that only the items have which a lead-in brings, or the rows: together they have many words."""
BESIDE = 0.15
"""What a term is worth that only the rest of the passage has: "Net pay: 1731" below "Employee Dora" is Dora's."""
FUNCTION = 0.2
"""What a function word is worth beside another word that is as rare."""
LIKE = 0.8
"""The share of its worth that a term has through a word that begins alike, which may be another form of it."""

_BEGINNING = 4
_ALIKE = 0.6
"""Two terms begin alike if they share so many letters, and this share of the longer one."""


class AskedWords:
    """The words of one question. A term is worth more if few of the statements have it. Each figure is a share of the
    worth of all, from 0 to 1."""

    def __init__(self, wanted: frozenset[str], statements: Sequence[Quotable], function_terms: Collection[str]) -> None:
        """`function_terms` are those that function words of the question's language have."""
        known = Counter(term for one in statements for term in one.terms & wanted)
        worth = {
            term: inverse_frequency(len(statements), known[term]) * (FUNCTION if term in function_terms else 1)
            for term in wanted
        }
        total = sum(worth.values()) or 1.0
        self._worth = {term: one / total for term, one in worth.items()}
        self._like = _words_like(wanted, frozenset().union(*(one.around | one.headings for one in statements)))

    def near(self, one: Quotable) -> float:
        """What the statement has, or the text around it; the nearer, the more."""
        places = (
            (one.terms, 1.0),
            (one.headings, OPENING if one.is_opening else HEADING),
            (one.before, BEFORE),
            (one.after, AFTER),
            (one.led, LED),
            (one.around, BESIDE),
        )
        return sum(worth * max(share * self._has(term, terms) for terms, share in places) for term, worth in self)

    def named(self, one: Quotable) -> float:
        """The share of its name that the question has; of several names, the most."""
        return max((sum(term in self._worth for term in name) / len(name) for name in one.names if name), default=0.0)

    def of_passage(self, one: Quotable) -> float:
        return sum(worth * self._has(term, one.around | one.headings) for term, worth in self)

    def __iter__(self) -> Iterator[tuple[str, float]]:
        return iter(self._worth.items())

    def _has(self, term: str, terms: frozenset[str]) -> float:
        return 1.0 if term in terms else 0.0 if self._like[term].isdisjoint(terms) else LIKE


def _words_like(wanted: frozenset[str], known: frozenset[str]) -> dict[str, frozenset[str]]:
    """For each of the wanted terms, the known ones that begin alike."""
    beginnings: dict[str, list[str]] = {}
    for term in known:
        beginnings.setdefault(term[:_BEGINNING], []).append(term)
    return {
        term: frozenset(one for one in beginnings.get(term[:_BEGINNING], ()) if _begin_alike(term, one))
        for term in wanted
    }


def _begin_alike(one: str, other: str) -> bool:
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    is_word = not any(map(str.isdigit, one + other))
    return is_word and shared >= max(_BEGINNING, _ALIKE * max(len(one), len(other)))
