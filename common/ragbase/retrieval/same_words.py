"""Words of the index that count as a term of the query, though they are written in another way.

- A word that is asked without marks stands for those with marks: `viet` for `việt`, `resume` for `résumé`.
- With the language "auto", each text has the stems of its own language. A word that is asked stands for what it is in
  the languages of the passages.

The index keeps all marks and stems, and no store lists its words. So these words are taken from the passages that are
nearest to the query: the same ones in every store, and whatever a filter leaves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ragbase.domain.chunk import embedding_text
from ragbase.retrieval.word_forms import split_terms
from ragbase.text.diacritics import unmarked
from ragbase.text.terms import analysed_in, terms_elsewhere, terms_of

if TYPE_CHECKING:
    from ragbase.ports import Candidates, Hit

_MOST_FOR_A_TERM = 6
"""Words with marks that one term stands for: those that most of the nearest passages have."""
_MOST = 40
"""For all terms of a query. Each may cost a store a look-up."""
_SPOKEN = 5
"""The nearest passages whose languages are looked at."""
_MOST_LANGUAGES = 3
"""Languages of these in which a query is analysed: those that most of them have."""


@dataclass(frozen=True, slots=True)
class SameWords:
    """The term of the query that each of these words counts as."""

    terms: Mapping[str, str]

    @classmethod
    def of(
        cls, query: str, terms: Sequence[str], near: Sequence[Hit], frequency: Mapping[str, int], language: str
    ) -> SameWords:
        """Those of the passages that are `near`. `frequency` says how many passages of the index have each term, and
        `language` is the index's."""
        elsewhere = _in_other_languages(query, near, language)
        return cls({**elsewhere, **_with_marks(terms, near, frequency, language)})

    def read(self, hit: Hit) -> Hit:
        """The passage as if it had the terms of the query in place of these words."""
        written, different = split_terms(hit.terms)
        if different.isdisjoint(self.terms):
            return hit
        return replace(hit, terms=" ".join([self.terms.get(word, word) for word in written]))

    def read_all(self, candidates: Candidates) -> Candidates:
        """As `read`. A passage that has several of a term's words counts for each of them."""
        frequency = dict(candidates.frequency)
        for word, term in self.terms.items():
            frequency[term] = min(frequency.get(term, 0) + frequency.pop(word, 0), candidates.passages)
        return replace(candidates, hits=[self.read(hit) for hit in candidates.hits], frequency=frequency)


def _in_other_languages(query: str, near: Sequence[Hit], language: str) -> dict[str, str]:
    spoken = Counter(analysed_in(embedding_text(hit.chunk), language) for hit in near[:_SPOKEN])
    found: dict[str, str] = {}
    for other, _ in spoken.most_common(_MOST_LANGUAGES):
        found.update(terms_elsewhere(query, other, language))
    if not found:
        return found
    terms = terms_of(query, language)
    return {word: term for word, term in found.items() if word not in terms}


def _with_marks(
    terms: Sequence[str], near: Sequence[Hit], frequency: Mapping[str, int], language: str
) -> dict[str, str]:
    """In a query with marks, a word without them is meant as it is, unless no passage has it."""
    plain = {term for term in terms if unmarked(term) == term}
    if len(plain) < len(set(terms)):
        plain = {term for term in plain if not frequency.get(term)}
    marked = [hit.terms for hit in near if not hit.terms.isascii()]
    having = Counter(word for terms in marked for word in set(terms.split()) if not word.isascii())
    taken: Counter[str] = Counter()
    found: dict[str, str] = {}
    for word, _ in sorted(having.items(), key=lambda one: (-one[1], one[0])):
        term = _asked_by(word, plain, language)
        if term is not None and taken[term] < _MOST_FOR_A_TERM and len(found) < _MOST:
            taken[term] += 1
            found[word] = term
    return found


def _asked_by(word: str, plain: Collection[str], language: str) -> str | None:
    """The term among `plain` that the word is without its marks. Marks may have kept its ending: résumé is no resum."""
    bare = unmarked(word)
    return next((term for term in (bare, *terms_of(bare, language)) if term in plain and bare != word), None)
