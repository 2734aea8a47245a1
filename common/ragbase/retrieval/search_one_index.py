"""Find the passages that answer a question, in one index, or in one tenant's partition of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from itertools import accumulate, islice
from typing import TYPE_CHECKING

from ragbase.domain.chunk import Chunk, embedding_text
from ragbase.domain.document import Document
from ragbase.domain.limits import MAX_QUERY_LENGTH
from ragbase.domain.searched_text import searched_text
from ragbase.ports import Hit, QueryEmbedder
from ragbase.retrieval.active_chunks import ActiveChunks, Found
from ragbase.retrieval.calibration import calibration_of
from ragbase.retrieval.languages.background import background_of
from ragbase.retrieval.near_miss import near_miss, with_lacks
from ragbase.retrieval.overlap import Shown
from ragbase.retrieval.same_text import grouped_by_text
from ragbase.retrieval.same_words import SameWords
from ragbase.retrieval.scoring import Score, ScoreBreakdown, Scorer, nearest
from ragbase.retrieval.versions import Versions
from ragbase.text.asked_part import asked_part
from ragbase.text.framing_words import without_framing
from ragbase.text.languages import is_in_syllables, language_of
from ragbase.text.named_terms import frequency_with_names, name_form, without_names
from ragbase.text.terms import function_terms, parts_of, terms_of

if TYPE_CHECKING:
    from ragbase.domain.calibration import FittedCalibration
    from ragbase.domain.chunk import Vector
    from ragbase.domain.near_miss import NearMiss
    from ragbase.domain.search_filter import SearchFilter


_NAMED = 5
"""How often an identifier counts that names one thing: a question with web-17 is about it, and not about web-16. So it
does if no passage has it: then all of them lack much."""


_SPOKEN = 5
"""The nearest passages that tell the language of a query."""
_NEAREST = 10
"""Passages that a near miss is chosen from."""


@dataclass(frozen=True, slots=True)
class ResultSource:
    """A place where a text was found."""

    document: Document
    chunk: Chunk


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """A passage that answers. `rank` counts from 1.

    `score`, in 0..1, is the confidence that the passage has to do with the query. If a result above it has a
    lower one, it takes that one: another score decides the ranks (`breakdown.combined_score`), but a list of results
    must not look unsorted. This is the only influence of other results on what is shown. `confidence` is without it.
    `sources` names every place where the same text was found, this one first, and those of other versions of the
    document that have it nearly. `reranked` says whether a reranker has decided the ranks; None if none was asked.
    `lacks` are the identifiers and numbers of the query, as they are written there, that the passage does not have.
    """

    chunk: Chunk
    document: Document
    score: float
    confidence: float
    breakdown: ScoreBreakdown
    rank: int
    sources: tuple[ResultSource, ...]
    reranked: bool | None = None
    lacks: tuple[str, ...] = ()


class SearchResults(list[SearchResult]):
    """The results, best first. If there are none, `near_miss` says which passages were nearest; None if there was no
    passage to look at. `has_index` says whether there was an index to search."""

    def __init__(
        self, results: Iterable[SearchResult] = (), near_miss: NearMiss | None = None, *, has_index: bool = True
    ) -> None:
        super().__init__(results)
        self.near_miss = near_miss
        self.has_index = has_index


def near_miss_of(results: Sequence[SearchResult]) -> NearMiss | None:
    return results.near_miss if isinstance(results, SearchResults) else None


def numbered(results: Iterable[SearchResult]) -> list[SearchResult]:
    """The results with the ranks and the scores that they have in this order."""
    given = list(results)
    scores = _never_rising(one.confidence for one in given)
    return [
        replace(one, rank=rank, score=score)
        for rank, (one, score) in enumerate(zip(given, scores, strict=True), start=1)
    ]


def _never_rising(confidences: Iterable[float]) -> Iterator[float]:
    """The score that each of these has in a list (see SearchResult)."""
    return accumulate(confidences, min)


def search_one_index(
    query: str,
    *,
    chunks: ActiveChunks,
    embedder: QueryEmbedder,
    top_k: int,
    threshold: float,
    language: str,
    within: SearchFilter | None = None,
    most: int | None = None,
    fitted: FittedCalibration | None = None,
    group_versions: bool = True,
) -> SearchResults:
    """At most `top_k` passages of different text whose score reaches `threshold`, best first. A passage that
    one above it has by more than half is left out. With `within`, only passages of documents that match it, with the
    same scores as without it. With `most`, the list goes on with the passages that the same search has found beside,
    up to so many. `fitted` is the calibration of the index. With `group_versions`, a passage that versions of one
    document have in common is one result (versions.py).

    The list is empty if the index holds nothing on the query's subject. It then says what was nearest.
    """
    query = query[:MAX_QUERY_LENGTH]
    part = asked_part(query)
    asked = without_framing(part)
    terms = terms_of(asked, language)
    vector = embedder.embed_query(searched_text(part))
    read = read_candidates(asked, vector, terms, chunks=chunks, language=language, wanted=top_k, within=within)
    scorer = read.scorer(vector, terms, model=embedder.model, fitted=fitted)
    results = partial(results_of, read.found, scorer, versions_of=query if group_versions else None)
    if found := results(most=most or top_k, threshold=threshold):
        return SearchResults(with_lacks(found, asked, terms, read, language))
    nearest = results_of(_most_confident(read.found, scorer), scorer, most=_NEAREST, threshold=0.0)
    return SearchResults(near_miss=near_miss(nearest, asked, terms, read, language, threshold=threshold))


def _most_confident(found: Found, scorer: Scorer) -> Found:
    scored = [(hit, scorer.score(hit)) for hit in found.candidates.hits]
    best = sorted(scored, key=lambda one: (-one[1].confidence, *_order(one)))[:_NEAREST]
    return replace(found, candidates=replace(found.candidates, hits=[hit for hit, _ in best]))


@dataclass(frozen=True)
class ReadCandidates:
    """What is found for a query, and the hits of the whole index that are nearest to it, with or without a filter. All
    have the query's terms in place of the `same` words. `function_terms` are those of the query's language, and `parts`
    the terms of its identifiers' parts."""

    found: Found
    near: Sequence[Hit]
    same: SameWords
    function_terms: frozenset[str]
    in_syllables: bool
    parts: Mapping[str, tuple[str, ...]]
    language: str | None
    """The query's, if it is clear."""

    def scorer(
        self, vector: Vector, terms: Sequence[str], *, model: str, fitted: FittedCalibration | None = None
    ) -> Scorer:
        """Scores passages for the query of this vector and these terms. `fitted` is the calibration of the index."""
        calibration = calibration_of(model, fitted)
        candidates = replace(self.found.candidates, hits=self.near)
        background = background_of(vector, calibration.languages)
        return Scorer(
            self._asked(terms),
            candidates,
            calibration,
            background,
            self.function_terms,
            in_syllables=self.in_syllables,
            language=self._spoken(calibration.chance_levels),
            identifiers=self._identifiers,
        )

    def _spoken(self, known: Collection[str]) -> str | None:
        """Of the languages that are `known`, the query's; or that of most of its nearest passages: a few words do not
        show their language well. English is never taken for another."""
        if not known or self.language in known or self.language == "english":
            return self.language
        spoken = Counter(language_of(embedding_text(hit.chunk)) for hit in nearest(self.near)[:_SPOKEN])
        return max(spoken.keys() & known, key=lambda one: (spoken[one], one), default=None)

    @cached_property
    def _identifiers(self) -> Mapping[str, Sequence[str]]:
        """Those that name one thing, which the query is about, each with its parts."""
        inside = {part for parts in self.parts.values() for part in parts}
        return {whole: parts for whole, parts in self.parts.items() if whole not in inside and _names_one_thing(whole)}

    def _asked(self, terms: Sequence[str]) -> list[str]:
        """The terms without the parts of identifiers that the index has as a whole. One written word so counts once,
        and a passage with `web-16` is no evidence for `web-17`. Nor is it for `web-31`, if no passage has 31.

        A question that names one thing that the index has is about that. What no passage has is the rest of its
        sentence, often in another language."""
        asked, frequency = Counter(terms), frequency_with_names(self.found.candidates.frequency)
        is_named = False
        for whole, parts in self.parts.items():
            is_one_thing = whole in self._identifiers
            if frequency.get(whole):
                asked.subtract(_times(parts, asked[whole]))
                is_named = is_named or is_one_thing
            elif is_one_thing and not all(map(frequency.get, parts)):
                asked.subtract(_times([part for part in parts if part not in self.parts], asked[whole]))
            if is_one_thing:
                asked[whole] *= _NAMED
        if not is_named:
            return list(asked.elements())
        unknown = {term for term in asked if not frequency.get(term) and term not in self.parts}
        return [term for term in asked.elements() if term not in unknown]


def _times(parts: Iterable[str], times: int) -> Counter[str]:
    return Counter({part: count * times for part, count in Counter(parts).items()})


def _names_one_thing(whole: str) -> bool:
    """A part, a version, an address, a file. HashMap and node.js are rather what a whole folder is about."""
    return any(sign.isdigit() or sign in "@/" for sign in whole) or whole.count(".") > 1


def read_candidates(
    query: str,
    vector: Vector,
    terms: Sequence[str],
    *,
    chunks: ActiveChunks,
    language: str,
    wanted: int,
    within: SearchFilter | None = None,
) -> ReadCandidates:
    """The candidates for `wanted` results. If terms of the query stand for other words, too, the store is asked
    again with those."""
    asked = [*terms, *map(name_form, dict.fromkeys(terms))]
    found = _with_names_apart(chunks.search(vector, asked, wanted=wanted, within=within), language)
    # A filter must not change a score, so with one the nearest of the whole index were asked for, too.
    near = found.candidates.hits if within is None else found.candidates.nearest
    closest = nearest(near)
    same = SameWords.of(query, terms, closest, found.candidates.frequency, language)
    if same.terms:
        found = chunks.search(vector, [*asked, *same.terms], wanted=wanted, within=within, nearest=0)
        found = _with_names_apart(found, language)
        found = replace(found, candidates=same.read_all(found.candidates))
        near = list(map(same.read, near))
    return ReadCandidates(
        found,
        near,
        same,
        function_terms(query, language),
        _in_syllables(query, closest),
        parts_of(query, language),
        language_of(query),
    )


def _in_syllables(query: str, closest: Sequence[Hit]) -> bool:
    """Also of a query without accents: it does not show its language, but its passages do."""
    if is_in_syllables(query):
        return True
    texts = [embedding_text(hit.chunk) for hit in closest[:_SPOKEN]]
    return sum(map(is_in_syllables, texts)) > len(texts) / 2


def _with_names_apart(found: Found, language: str) -> Found:
    """The same, with the terms of names apart from those of passages. What a passage is as long as is its own terms."""
    candidates = found.candidates
    hits, nearest = ([named_hit(hit, language) for hit in some] for some in (candidates.hits, candidates.nearest))
    names = sum([len(hit.names) for hit in hits]) / max(len(hits), 1)
    average = max(candidates.average_length - names, 1.0)
    return replace(found, candidates=replace(candidates, hits=hits, nearest=nearest, average_length=average))


def named_hit(hit: Hit, language: str) -> Hit:
    """The hit, as the store gives it, with the terms of names apart, and those of its heading."""
    chunk = hit.chunk
    path = chunk.header_path
    return Hit(chunk, hit.cosine, *_apart(hit.terms, path[-1] if path else "", language))


_NONE = frozenset[str]()


@lru_cache(maxsize=4096)
def _apart(terms: str, heading: str, language: str) -> tuple[str, frozenset[str], frozenset[str]]:
    """The passage's own terms, those of its document's names, and those of the heading."""
    return (*without_names(terms), _terms_of_heading(heading, language) if heading else _NONE)


@lru_cache(maxsize=4096)
def _terms_of_heading(heading: str, language: str) -> frozenset[str]:
    return frozenset(terms_of(heading, language))


def results_of(
    found: Found, scorer: Scorer, *, most: int, threshold: float, versions_of: str | None = None
) -> list[SearchResult]:
    """At most `most` of what was found, of different text, whose score reaches `threshold`, best first, and
    each with something new. With a question, `versions_of`, passages that versions of a document share are together."""
    scored = [(hit, scorer.score(hit)) for hit in found.candidates.hits]
    if not any(score.confidence >= threshold for _, score in scored):
        return []
    confident = [group for group in _grouped_by_text(scored) if group[0][1].confidence >= threshold]
    together = confident if versions_of is None else Versions(versions_of, found.documents).together(confident)
    return _results(list(islice(_with_something_new(together), most)), found)


_Scored = tuple[Hit, Score]


def _grouped_by_text(scored: Sequence[_Scored]) -> list[list[_Scored]]:
    """Groups of hits with the same text: the best group first, and in each group the best hit first."""
    return grouped_by_text((one[0].chunk, one) for one in sorted(scored, key=_order))


def _with_something_new(groups: Iterable[list[_Scored]]) -> Iterator[list[_Scored]]:
    """Without those whose text a reader has already seen by more than half, wherever it stands."""
    seen = Shown()
    for group in groups:
        chunks = [hit.chunk for hit, _ in group]
        if not seen.adds_little(chunks):
            seen.add(chunks)
            yield group


def _order(scored: _Scored) -> tuple[float, str, int]:
    """By rank score; equal scores by place, so that the same search always gives the same list."""
    hit, score = scored
    return (-score.combined, hit.chunk.document_id, hit.chunk.ordinal)


def _results(groups: Sequence[Sequence[_Scored]], found: Found) -> list[SearchResult]:
    best = [group[0][1] for group in groups]
    shown = _never_rising(one.confidence for one in best)
    return [
        _result(group, found, score, similarity, rank)
        for rank, (group, score, similarity) in enumerate(zip(groups, best, shown, strict=True), start=1)
    ]


def _result(group: Sequence[_Scored], found: Found, score: Score, similarity: float, rank: int) -> SearchResult:
    sources = tuple([ResultSource(found.documents[hit.chunk.document_id], hit.chunk) for hit, _ in group])
    return SearchResult(
        chunk=sources[0].chunk,
        document=sources[0].document,
        score=similarity,
        confidence=score.confidence,
        breakdown=score.breakdown,
        rank=rank,
        sources=sources,
    )
