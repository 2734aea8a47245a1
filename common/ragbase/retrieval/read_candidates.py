"""Read what may answer a query from the index, with what a score needs of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from ragbase.domain.chunk import embedding_text
from ragbase.ports import Hit
from ragbase.retrieval.active_chunks import ActiveChunks, Found
from ragbase.retrieval.calibration import calibration_of
from ragbase.retrieval.languages.background import background_of
from ragbase.retrieval.same_words import SameWords
from ragbase.retrieval.scoring import Scorer, nearest
from ragbase.text.languages import is_in_syllables, language_of
from ragbase.text.named_terms import frequency_with_names, name_form, without_names
from ragbase.text.terms import function_terms, parts_of, terms_of

if TYPE_CHECKING:
    from ragbase.domain.calibration import FittedCalibration
    from ragbase.domain.chunk import Vector
    from ragbase.domain.search_filter import SearchFilter

_NAMED = 5
"""How often an identifier counts that names one thing: a question with web-17 is about it, and not about web-16. So it
does if no passage has it: then all of them lack much."""


_SPOKEN = 5
"""The nearest passages that tell the language of a query."""


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
