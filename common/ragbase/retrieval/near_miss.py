"""What the passages of a search lack of the question, and which were nearest if none is a result. It needs no search of
its own: all is in the candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from ragbase.domain.near_miss import NearMiss, NearPassage
from ragbase.retrieval.asked_words import AskedWord, TextTerms, asked_words, lacking
from ragbase.retrieval.same_text import same_text
from ragbase.text.named_terms import frequency_with_names
from ragbase.text.terms import analysed_in, terms_in

if TYPE_CHECKING:
    from ragbase.domain.document import Document
    from ragbase.ports import Hit
    from ragbase.retrieval.read_candidates import ReadCandidates
    from ragbase.retrieval.search_result import SearchResult

MOST_NEAR = 3
"""Passages of a near miss."""
_NEAR = 0.2
"""Those beside the nearest one reach at least this share of the threshold."""


def with_lacks(
    results: Sequence[SearchResult], query: str, terms: Sequence[str], read: ReadCandidates, language: str
) -> list[SearchResult]:
    """The results, each with the identifiers and numbers of the question that it lacks. Other words may well be said in
    another way. So may a name without a digit, which is only told if no passage of the index has it."""
    if not read.parts and not any(map(str.isdigit, query)):
        return list(results)
    asked = _Asked.of(query, terms, read, language)
    named = [
        word
        for word in asked.words
        if word.has_digit or (word.is_identifier and not asked.known.together(word.terms[:1]))
    ]
    return [replace(result, lacks=asked.lacks(result, named)) for result in results] if named else list(results)


def near_miss(
    nearest: Sequence[SearchResult],
    query: str,
    terms: Sequence[str],
    read: ReadCandidates,
    language: str,
    *,
    threshold: float,
) -> NearMiss | None:
    """The most confident of these, which are in the order of their ranks and do not reach the threshold; None if there
    are none."""
    if not nearest:
        return None
    asked = _Asked.of(query, terms, read, language)
    passages = [
        NearPassage(one.document, one.chunk, one.confidence, asked.lacks(one, asked.words))
        for one in _nearest(nearest, threshold)
    ]
    missing = [" ".join(passage.lacks) for passage in passages]
    unknown = (word for word in lacking(asked.words, asked.known) if all(word in lacks for lacks in missing))
    return NearMiss(threshold, tuple(passages), tuple(unknown))


def nearest_of(misses: Sequence[NearMiss]) -> NearMiss | None:
    """That of several tenants together, none of which has a result."""
    if not misses:
        return None
    texts: dict[str, NearPassage] = {}
    for passage in sorted((one for miss in misses for one in miss.passages), key=lambda one: -one.score):
        texts.setdefault(same_text(passage.chunk.text), passage)
    unknown = [word for word in misses[0].unknown if all(word in miss.unknown for miss in misses)]
    threshold = misses[0].threshold
    return NearMiss(threshold, tuple(_nearest(list(texts.values()), threshold)), tuple(unknown))


_Near = TypeVar("_Near", "SearchResult", NearPassage)


def _nearest(passages: Sequence[_Near], threshold: float) -> list[_Near]:
    """The most confident. Many are equally so, as one passage speaks for the others: they stay in their order."""
    ordered = sorted(passages, key=lambda one: -one.score)[:MOST_NEAR]
    return [one for one in ordered if one is ordered[0] or one.score >= _NEAR * threshold]


@dataclass(frozen=True, slots=True)
class _Asked:
    """The words of the question without function words, those that the fewest passages have first, and who has them."""

    words: Sequence[AskedWord]
    known: _Known
    hits: Mapping[str, Hit]
    spoken: str

    @classmethod
    def of(cls, query: str, terms: Sequence[str], read: ReadCandidates, language: str) -> _Asked:
        candidates = read.found.candidates
        frequency = frequency_with_names(candidates.frequency)
        telling = [term for term in terms if term not in read.function_terms]

        def rarity(word: AskedWord) -> tuple[int, bool]:
            terms = word.terms if word.is_stretch else word.terms[:1]
            return (min(frequency.get(term, 0) for term in terms), not word.has_digit)

        spoken = analysed_in(query, language)
        words = sorted(asked_words(query, telling, spoken), key=rarity)
        return cls(words, _Known(frequency), {hit.chunk.id: hit for hit in candidates.hits}, spoken)

    def lacks(self, result: SearchResult, words: Sequence[AskedWord]) -> tuple[str, ...]:
        """What of these words stands neither in the passage, wherever it was found, nor in its documents' names."""
        hits = [self.hits[source.chunk.id] for source in result.sources]
        has = [" | ".join([hit.terms, *hit.names]) for hit in hits]
        if found := lacking(words, TextTerms(" | ".join(has))):
            names = [" ".join(terms_in(_named(source.document), self.spoken)) for source in result.sources]
            found = lacking(words, TextTerms(" | ".join([*has, *names])))
        return found


@dataclass(frozen=True, slots=True)
class _Known:
    """Implements Held for all passages of the index. A name without a digit may be written in its parts."""

    frequency: Mapping[str, int]

    def together(self, terms: Sequence[str]) -> bool:
        is_plain = len(terms) == 1 or not any(map(str.isdigit, "".join(terms)))
        return is_plain and all(self.frequency.get(term, 0) > 0 for term in terms)

    def has_number(self, digits: str) -> bool:
        return self.together((digits,))

    def has_one_like(self, term: str) -> bool:
        return True


def _named(document: Document) -> str:
    return f"{document.name} {document.metadata.title or ''}"
