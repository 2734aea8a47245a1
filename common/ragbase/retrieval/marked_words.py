"""A word that is asked without marks stands for those with marks: `viet` for `việt`, `resume` for `résumé`.

The index keeps all marks, and no store lists its words. So the words with marks are taken from the passages that are
nearest to the query: the same ones in every store, and whatever a filter leaves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ragbase.ports import Candidates, Hit
from ragbase.text.marks import unmarked
from ragbase.text.terms import terms_of

_MOST_FOR_A_TERM = 6
"""Words with marks that one term stands for: those that most of the nearest passages have."""
_MOST = 40
"""For all terms of a query. Each may cost a store a look-up."""


@dataclass(frozen=True, slots=True)
class MarkedWords:
    """The term of the query that each word with marks is asked by."""

    terms: Mapping[str, str]

    @classmethod
    def of(cls, terms: Sequence[str], near: Sequence[Hit], frequency: Mapping[str, int], language: str) -> MarkedWords:
        """Those of the passages that are `near`. `frequency` says how many passages of the index have each term, and
        `language` is the index's.

        In a query with marks, a word without them is meant as it is, unless no passage has it.
        """
        plain = {term for term in terms if unmarked(term) == term}
        if len(plain) < len(set(terms)):
            plain = {term for term in plain if not frequency.get(term)}
        having = Counter(word for hit in near for word in set(hit.terms.split()) if not word.isascii())
        terms_of_words = {
            word: term
            for word, _ in sorted(having.items(), key=lambda one: (-one[1], one[0]))
            if (term := _asked_by(word, plain, language)) is not None
        }
        taken: Counter[str] = Counter()
        found: dict[str, str] = {}
        for word, term in terms_of_words.items():
            if taken[term] < _MOST_FOR_A_TERM and len(found) < _MOST:
                taken[term] += 1
                found[word] = term
        return cls(found)

    def read(self, hit: Hit) -> Hit:
        """The passage as if it had the terms of the query in place of these words."""
        return replace(hit, terms=" ".join([self.terms.get(word, word) for word in hit.terms.split()]))

    def read_all(self, candidates: Candidates) -> Candidates:
        """As `read`. A passage that has several of a term's words counts for each of them."""
        frequency = dict(candidates.frequency)
        for word, term in self.terms.items():
            frequency[term] = min(frequency.get(term, 0) + frequency.pop(word, 0), candidates.passages)
        return replace(candidates, hits=[self.read(hit) for hit in candidates.hits], frequency=frequency)


def _asked_by(word: str, plain: Collection[str], language: str) -> str | None:
    """The term among `plain` that the word is without its marks. Marks may have kept its ending: résumé is no resum."""
    bare = unmarked(word)
    return next((term for term in (bare, *terms_of(bare, language)) if term in plain and bare != word), None)
