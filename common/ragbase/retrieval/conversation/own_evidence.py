"""Whether passages have to do with what a follow-up asks, and not only with what it borrows.

A question that borrows a subject finds the passages on that subject, whatever else it asks. So its own words need
evidence. Which of them have to be there depends on how surely it goes on from the question before:

    Backups, "and who won the world cup?"      its words stand in no passage together     ──▶  foreign
    Backups, "and sunscreen?"                  a word that no passage of the index has    ──▶  foreign
    A castle, "when was it built?"             points at the castle, and names no other   ──▶  accepted
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ragbase.retrieval.bm25 import inverse_frequency
from ragbase.retrieval.word_forms import forms_of, split_terms
from ragbase.text.korean_particles import without_particle
from ragbase.text.named_terms import frequency_with_names
from ragbase.text.terms import analysed_in, terms_in

if TYPE_CHECKING:
    from ragbase.domain.conversation import FollowUp
    from ragbase.ports import Hit
    from ragbase.retrieval.read_candidates import ReadCandidates
    from ragbase.retrieval.search_result import SearchResult

_TOGETHER = 0.4
"""Share of the worth of a follow-up's own words that one of the passages has to have."""
_SYLLABLES_TOGETHER = 0.6
"""The same, where blanks part syllables: many passages have some of them by chance."""
_ALIKE = 0.5
"""A word of like spelling is so much evidence: it may be a form of the word, or another one."""
_FOREIGN = 0.9
"""If words that no passage of the index has are so much of it, a pronoun does not help."""
_OWN = 2.0
"""What a passage with all of a follow-up's own words gains in rank (in logits): of the subject, there are many."""
_CITED = 0.3
"""What a passage gains if the last answer cites its document."""
_MOST = 0.1
"""The score of passages without evidence of the question's own words, at most."""


class OwnEvidence:
    """What the passages of one search have of a follow-up's own words."""

    def __init__(self, follow_up: FollowUp, read: ReadCandidates, asked: str, language: str) -> None:
        """`asked` is the whole question, and `language` that of the index."""
        spoken = analysed_in(asked, language)
        terms = (frozenset(terms_in(without_particle(word), spoken)) - read.function_terms for word in follow_up.words)
        self._words = list(filter(None, terms))
        candidates = read.found.candidates
        frequency = frequency_with_names(candidates.frequency)
        self._worth = {
            term: inverse_frequency(candidates.passages, frequency.get(term, 0))
            for word in self._words
            for term in word
        }
        self._total = sum(self._worth.values())
        self._unknown = sum(worth for term, worth in self._worth.items() if not frequency.get(term))
        self._forms = forms_of(self._worth, [hit.terms for hit in candidates.hits])
        self._hits = {hit.chunk.id: hit for hit in candidates.hits}
        self._together = _SYLLABLES_TOGETHER if read.in_syllables else _TOGETHER
        self._follow_up = follow_up

    def lift(self, hit: Hit) -> float:
        """What the own words that a passage has add to its rank score, and that the last answer cites its document, in
        logits."""
        cited = hit.chunk.document_id in self._follow_up.documents
        return _OWN * self._share(hit) + _CITED * cited

    def doubted(self, results: Sequence[SearchResult]) -> list[SearchResult]:
        """The results, with low scores if they have no evidence of the own words."""
        if self._is_enough(results):
            return list(results)
        return [
            replace(result, score=min(result.score, _MOST), confidence=min(result.confidence, _MOST))
            for result in results
        ]

    def _is_enough(self, results: Sequence[SearchResult]) -> bool:
        shown = (self._hits[source.chunk.id] for result in results for source in result.sources)
        if not self._words or max(map(self._share, shown), default=0.0) >= self._together:
            return True
        if len(self._words) == 1:
            return self._follow_up.points_back or self._follow_up.asks or not self._unknown
        return self._follow_up.points_back and self._unknown < _FOREIGN * self._total

    def _share(self, hit: Hit) -> float:
        """Of the worth of the own words, what the passage has, or its document's names."""
        if not self._total:
            return 0.0
        written = split_terms(hit.terms)[1]
        same = self._worth.keys() & (written | hit.names)
        alike = {term for word in self._forms.keys() & written for term in self._forms[word]} - same
        had = sum(self._worth[term] for term in same) + _ALIKE * sum(self._worth[term] for term in alike)
        return had / self._total
