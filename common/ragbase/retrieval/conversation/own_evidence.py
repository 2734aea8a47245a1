"""Whether passages have to do with what a follow-up asks, and not only with what it borrows.

A question that borrows a subject finds the passages on that subject, whatever else it asks. So its own words need
evidence. Which of them have to be there depends on how surely it goes on from the question before:

    Backups, "and who won the world cup?"      its words stand in no passage together     ──▶  foreign
    Backups, "and sunscreen?"                  a word that no passage of the index has    ──▶  foreign
    A castle, "when was it built?"             points at the castle, and names no other   ──▶  accepted
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ragbase.retrieval.bm25 import inverse_frequency
from ragbase.retrieval.word_forms import forms_of, split_terms
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
_MOST = 0.1
"""The score of passages without evidence of the question's own words, at most."""


def doubted(
    results: Sequence[SearchResult], follow_up: FollowUp, read: ReadCandidates, asked: str, language: str
) -> list[SearchResult]:
    """The results, with low scores if they have no evidence of the follow-up's own words."""
    if _has_evidence(results, follow_up, read, asked, language):
        return list(results)
    return [
        replace(result, score=min(result.score, _MOST), confidence=min(result.confidence, _MOST)) for result in results
    ]


def _has_evidence(
    results: Sequence[SearchResult], follow_up: FollowUp, read: ReadCandidates, asked: str, language: str
) -> bool:
    spoken = analysed_in(asked, language)
    own = [terms for word in follow_up.words if (terms := frozenset(terms_in(word, spoken)) - read.function_terms)]
    if not own:
        return True
    candidates = read.found.candidates
    frequency = frequency_with_names(candidates.frequency)
    worth = {term: inverse_frequency(candidates.passages, frequency.get(term, 0)) for terms in own for term in terms}
    total = sum(worth.values())
    hits = {hit.chunk.id: hit for hit in candidates.hits}
    shown = [hits[source.chunk.id] for result in results for source in result.sources]
    together = _SYLLABLES_TOGETHER if read.in_syllables else _TOGETHER
    if _most_had(worth, shown) >= together * total:
        return True
    unknown = {term for term in worth if not frequency.get(term)}
    if len(own) == 1:
        return follow_up.points_back or follow_up.asks or not unknown
    return follow_up.points_back and sum(map(worth.__getitem__, unknown)) < _FOREIGN * total


def _most_had(worth: Mapping[str, float], shown: Sequence[Hit]) -> float:
    """The worth of what the passage that has the most of it has, or its document's names."""
    forms = forms_of(worth, [hit.terms for hit in shown])

    def had(hit: Hit) -> float:
        written = split_terms(hit.terms)[1]
        same = worth.keys() & (written | hit.names)
        alike = {term for word in forms.keys() & written for term in forms[word]} - same
        return sum(worth[term] for term in same) + _ALIKE * sum(worth[term] for term in alike)

    return max(map(had, shown), default=0.0)
