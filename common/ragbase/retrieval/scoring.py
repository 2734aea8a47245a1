"""How well a passage answers a query, from facts about the two and about the index: above all, about the passages of
the whole index that are nearest to the query. What else is shown has no influence.

There are two scores, because no single score did both jobs well. The *rank score* puts passages in order. The
*confidence* says whether a passage has to do with the query at all; the threshold is compared with it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from ragbase.retrieval.bm25 import K1, bm25, inverse_frequency, length_part
from ragbase.retrieval.languages.background import USUAL
from ragbase.retrieval.same_text import grouped_by_text
from ragbase.retrieval.word_forms import forms_of, split_terms
from ragbase.text.named_terms import name_form

if TYPE_CHECKING:
    from ragbase.ports import Candidates, Hit
    from ragbase.retrieval.calibration import Calibration

_NEAR = 30
"""How many passages nearest to a query tell which of its words are common there. Not more than any search reads."""
_STRETCH = 60
"""Words are evidence together if so many terms of a passage hold them. An answer has the question's words near each
other. A long passage on something else may have them, too, one here and one there."""
_NEAR_PRIOR = 3
"""The near passages are treated as if there were this many more, without any term of the query."""
_MISSING = 0.4
"""For close words, a query counts as if it had this share of one more word, which is worth as much as its best and
which no passage has. So the one word of a short query is weaker evidence than the ten words of a long one. For BM25, it
counts as if it had one whole word more."""
_BLIND = 0.5
"""From this background on, the model sees a query's language, and no longer what it is about."""
_NAMED = 0.3
"""A term counts so much in BM25 if only the names of a passage's document have it, and makes the term as much more
common. Alone it is as little evidence: the passage itself does not say it."""
HEADED = 2.0
"""What a heading that is just what was asked for adds to the rank score (in logits): a third of a cosine of 1."""
_NEIGHBOURS = 5.0
"""If one passage has to do with the query, the others may have so much less evidence for it (in logits)."""

_LEAST = 1e-12
"""Nearer to 0 or 1, a score has no logits."""

_NONE = frozenset[str]()


class Facts(NamedTuple):
    """What is known about a query and a passage. (A search makes some 60: a dataclass takes three times as long.)

    `cosine` is on MiniLM's scale (calibration.py). Both coverages, in 0..1, are the share of the query's worth whose
    terms are in the passage. For `coverage`, a term is worth more if few passages of the index have it. For
    `close_coverage`, few of the nearest passages must have it, too: what is common in the query's language or subject
    says little about a passage. Function words are worth nothing there, words of like spelling count, and of a long
    passage only the stretch counts that has the most. `words` is BM25 as a share of the query's worth, both without
    function words; `other_words` is the same without the term that counts the most: one word is there by chance more
    easily than two. `headed`, in 0..1, says how far the passage's heading is what was asked for.
    `lacks` says that an identifier which the query names is not there.
    """

    cosine: float
    bm25: float
    words: float
    other_words: float
    coverage: float
    close_coverage: float
    headed: float
    lacks: bool


@dataclass(frozen=True, slots=True)
class ScoreBreakdown:
    """The scores that decide the rank of a passage, each in 0..1.

    `dense_score` is the cosine (0 if negative), `sparse_score` the evidence of shared words, `combined_score` the rank
    score. `rerank_score` is there if a reranker has decided instead.
    """

    dense_score: float
    sparse_score: float
    combined_score: float
    rerank_score: float | None = None


class Score(NamedTuple):
    """`confidence` and `combined`, the rank score, are in 0..1. `words` is the evidence of shared words, in logits."""

    confidence: float
    combined: float
    cosine: float
    words: float

    def lifted(self, logits: float) -> Score:
        """With so much more in its rank score."""
        rank = min(max(self.combined, _LEAST), 1 - _LEAST)
        return self._replace(combined=_logistic(math.log(rank / (1 - rank)) + logits)) if logits else self

    @property
    def breakdown(self) -> ScoreBreakdown:
        return ScoreBreakdown(
            dense_score=min(max(self.cosine, 0.0), 1.0),
            sparse_score=-math.expm1(-self.words),
            combined_score=self.combined,
        )


class Scorer:
    """Scores passages for one query.

    `candidates` are those of the whole index, without a filter. `background` is the query's, as the model gives it
    (languages/background.py). `function_terms` are those of the query's language (text/terms.py): a passage is no
    better evidence for having them, nor worse for lacking them. `in_syllables` says that blanks part its syllables, and
    not its words. `language` is that whose chance level counts (chance.py). `identifiers` are those that the query is
    about, each with the terms of its parts. `strongest` is the evidence of the strongest passage, in logits. `sees` is
    u, `function_share` is f and `by_chance` is c of the confidence (ConfidenceWeights).
    """

    def __init__(
        self,
        terms: Sequence[str],
        candidates: Candidates,
        calibration: Calibration,
        background: float = USUAL,
        function_terms: Collection[str] = (),
        *,
        in_syllables: bool = False,
        language: str | None = None,
        identifiers: Mapping[str, Collection[str]] = MappingProxyType({}),
    ) -> None:
        self._scale = calibration.scale
        self._known: dict[tuple[str, float, str], tuple[Facts, float]] = {}
        self._scores: dict[tuple[str, float, str], Score] = {}
        near = nearest(candidates.hits)
        self.background = (calibration.background_scale or calibration.scale)(background)
        self._wanted = Counter(terms)
        self._identifiers = identifiers
        self._worth = {
            term: inverse_frequency(candidates.passages, _frequency(term, candidates)) for term in self._wanted
        }
        self._asked = frozenset(self._worth)
        self._asked_weights = {term: self._wanted[term] * worth for term, worth in self._worth.items()}
        self._total_worth = sum(self._worth.values())
        self._telling = {term: worth for term, worth in self._worth.items() if term not in function_terms}
        self._total_asked = self._asked_worth(self._telling)
        self._forms = forms_of(self._telling, [hit.terms for hit in near])
        self._asked_or_alike = self._asked.union(self._forms)
        self._close_worth = _close_worth(self._telling, self._forms, near)
        self._total_close_worth = self._close_total(self._close_worth)
        self._average_length = max(candidates.average_length, 1.0)
        self._rank = calibration.rank
        weights = calibration.confidence
        self.sees = sees = min(max(0.0, 1 - self.background / _BLIND), 1.0)
        blind = 1 - sees
        self.by_chance = calibration.by_chance(language)
        self.function_share = 1 - len(self._telling) / max(len(self._worth), 1)
        self._for_cosine = sees * weights.cosine
        self._for_words = blind * weights.words
        self._for_other_words = blind * weights.other_words
        self._for_close = sees * weights.close_beside_meaning + blind * weights.close_beside_words
        self._for_lacking = weights.lacks
        self._for_query = (
            weights.bias
            + sees * (weights.meaning + weights.passages * math.log(max(candidates.passages, 1)))
            + blind
            * (
                weights.function_words * self.function_share
                + weights.syllables * in_syllables
                + weights.chance * self.by_chance
            )
        )
        self.strongest = max([self._judged(hit)[1] for hit in candidates.hits], default=-math.inf)

    def score(self, hit: Hit) -> Score:
        key = (hit.chunk.id, hit.cosine, hit.terms)
        score = self._scores.get(key)
        if score is None:
            score = self._scores[key] = self._score_of(*self._judged(hit), hit.cosine)
        return score

    def has_identifiers(self, hit: Hit) -> bool:
        """Whether the query names identifiers, and the passage has all of them as a whole."""
        if not self._identifiers:
            return False
        _, written = split_terms(hit.terms)
        return all(whole in written or whole in hit.names for whole in self._identifiers)

    def _score_of(self, facts: Facts, evidence: float, cosine: float) -> Score:
        rank = self._rank
        words = rank.bm25 * facts.bm25 + rank.coverage * facts.coverage
        return Score(
            confidence=_logistic(max(evidence, min(self.strongest, evidence + _NEIGHBOURS))),
            combined=_logistic(rank.cosine * facts.cosine + words + HEADED * facts.headed + rank.bias),
            cosine=cosine,
            words=words,
        )

    def facts(self, hit: Hit) -> Facts:
        return self._judged(hit)[0]

    def _judged(self, hit: Hit) -> tuple[Facts, float]:
        """The facts, and the evidence that they are."""
        key = (hit.chunk.id, hit.cosine, hit.terms)
        known = self._known.get(key)
        if known is None:
            facts = self._facts_of(hit)
            known = self._known[key] = (facts, self._evidence(facts))
        return known

    def _facts_of(self, hit: Hit) -> Facts:
        terms, written = split_terms(hit.terms)
        length = len(terms)
        here = self._asked_or_alike & written
        named = (hit.names & self._asked) - written if hit.names else _NONE
        cosine = self._scale(hit.cosine)
        headed = self._headed(hit) if hit.heading else 0.0
        lacks = bool(self._identifiers) and self._lacks(hit, written)
        if not here and not named:
            return Facts(
                cosine=cosine,
                bm25=0.0,
                words=0.0,
                other_words=0.0,
                coverage=0.0,
                close_coverage=0.0,
                headed=headed,
                lacks=lacks,
            )
        part = length_part(length, self._average_length)
        found = {
            term: self._asked_weights[term] * (count * (K1 + 1) / (count + part))
            for term in here & self._asked
            for count in (terms.count(term),)
        }
        together = self._closest_together(terms, here)
        words, other_words = self._words(found, named)
        return Facts(
            cosine=cosine,
            bm25=sum(found.values()) + self._of_names(named, length),
            words=words,
            other_words=other_words,
            coverage=_share(
                found,
                named,
                self._worth,
                self._total_worth - sum([self._worth[one] for one in named]) if named else self._total_worth,
            ),
            close_coverage=_share(
                together,
                named.difference(together),
                self._close_worth,
                self._close_total(self._close_worth.keys() - named) if named else self._total_close_worth,
            ),
            headed=headed,
            lacks=lacks,
        )

    def _lacks(self, hit: Hit, written: Collection[str]) -> bool:
        """Whether the passage lacks an identifier, and its parts."""
        return any(
            whole not in written and whole not in hit.names and not (parts and all(map(written.__contains__, parts)))
            for whole, parts in self._identifiers.items()
        )

    def _words(self, found: Mapping[str, float], named: Collection[str]) -> tuple[float, float]:
        """BM25 without function words, as a share of the worth of the query's words and one more, and the same without
        the best term. Terms that only the document's names have are not asked of the passage."""
        having = [value for term, value in found.items() if term in self._telling]
        if not having:
            return 0.0, 0.0
        asked = self._asked_worth(self._telling.keys() - named) if named else self._total_asked
        return sum(having) / asked, (sum(having) - max(having)) / asked

    def _asked_worth(self, terms: Collection[str]) -> float:
        """The worth of these words, as often as they are asked for, and of one more, which no passage has."""
        worth = [self._telling[term] for term in terms]
        return sum([self._wanted[term] * self._telling[term] for term in terms]) + max(worth, default=0.0)

    def _of_names(self, named: Collection[str], length: int) -> float:
        """The BM25 of terms that only the names of a passage's document have."""
        if not named:
            return 0.0
        return (
            _NAMED
            * sum([self._wanted[term] * self._worth[term] for term in named])
            * bm25(1, length, self._average_length)
        )

    def _close_total(self, terms: Collection[str]) -> float:
        """The worth of these terms, and of the part of one more word that counts as missing."""
        worth = [self._close_worth.get(term, 0.0) for term in terms]
        return sum(worth) + _MISSING * max(worth, default=0.0)

    def _headed(self, hit: Hit) -> float:
        """1 if heading and query have the same words, but for names that all of the document stands under. A word that
        both have among others counts little: many sections are called "Configuration"."""
        shared = hit.heading & self._close_worth.keys()
        if not shared:
            return 0.0
        asked = self._close_worth.keys() - (hit.names - hit.heading)
        worth = sum([self._worth[term] for term in asked])
        share = sum([self._worth[term] for term in shared]) / max(worth, 1e-6) * len(shared) / len(hit.heading)
        return share * share

    def _evidence(self, facts: Facts) -> float:
        """That the passage has to do with the query, in logits."""
        return (
            self._for_cosine * facts.cosine
            + self._for_words * facts.words
            + self._for_other_words * facts.other_words
            + self._for_close * facts.close_coverage
            + self._for_query
            + self._for_lacking * facts.lacks
        )

    def _closest_together(self, terms: Sequence[str], written: Collection[str]) -> Collection[str]:
        """The query's terms that a passage has, in the stretch of its terms that is worth the most. `written` are their
        forms in it."""
        forms = self._forms
        if len(terms) <= _STRETCH or len(written) <= 1:
            return {term for word in written for term in forms.get(word, ())}
        worth = self._close_worth
        places = [
            (place, term)
            for place in compress(range(len(terms)), map(written.__contains__, terms))
            for term in forms.get(terms[place], ())
            if worth[term]
        ]
        if not places or places[-1][0] < places[0][0] + _STRETCH:
            return {term for _, term in places}
        inside = dict.fromkeys(worth, 0)
        first, value, most, best = 0, 0.0, 0.0, (0, 0)
        for last, (place, term) in enumerate(places):
            if not inside[term]:
                value += worth[term]
            inside[term] += 1
            while places[first][0] <= place - _STRETCH:
                left = places[first][1]
                inside[left] -= 1
                if not inside[left]:
                    value -= worth[left]
                first += 1
            if value > most:
                most, best = value, (first, last + 1)
        return {term for _, term in places[slice(*best)]}


def nearest(hits: Sequence[Hit]) -> list[Hit]:
    """The nearest hits, those with the same text once: copies of a passage are no evidence against it."""
    near = sorted(hits, key=lambda hit: (-hit.cosine, hit.chunk.id))[:_NEAR]
    return [copies[0] for copies in grouped_by_text((hit.chunk, hit) for hit in near)]


def _frequency(term: str, candidates: Candidates) -> float:
    """In how many passages the term is. One that only its document's names have it for counts less."""
    own, named = (candidates.frequency.get(form, 0) for form in (term, name_form(term)))
    return own + _NAMED * named * (1 - own / max(candidates.passages, 1))


def _close_worth(
    worth: Mapping[str, float], forms: Mapping[str, Collection[str]], near: Sequence[Hit]
) -> dict[str, float]:
    having = dict.fromkeys(worth, 0.0)
    asked_or_alike = frozenset(forms)
    for hit in near:
        own = {term for word in asked_or_alike & split_terms(hit.terms)[1] for term in forms[word]}
        for term in own:
            having[term] += 1
        for term in (worth.keys() & hit.names) - own if hit.names else ():
            having[term] += _NAMED
    return {term: one * inverse_frequency(len(near), having[term], prior=_NEAR_PRIOR) for term, one in worth.items()}


def _share(having: Collection[str], named: Collection[str], worth: Mapping[str, float], total: float) -> float:
    """The share of `total` that a passage has: the worth of the query without the terms that are only `named`. What a
    passage lacks, and its document's names have, does not count against what it says of the rest."""
    covered = sum([worth.get(term, 0.0) for term in having])
    if covered:
        return min(covered / max(total, covered), 1.0)
    in_names = sum([worth.get(term, 0.0) for term in named])
    return _NAMED * in_names / (total + in_names) if in_names else 0.0


def _logistic(x: float) -> float:
    return 0.5 * (1 + math.tanh(x / 2))  # never overflows
