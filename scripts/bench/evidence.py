"""What the confidence is made of: the facts about each candidate of each question, from the search that users have.

A fact stands for each weight of the confidence, in their order, so evidence is the sum of facts times weights.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np
import numpy.typing as npt

from ragbase.domain.identity import document_id
from ragbase.domain.searched_text import searched_text
from ragbase.ports import Embedder, Hit
from ragbase.retrieval.calibration import ConfidenceWeights, calibration_of
from ragbase.retrieval.read_candidates import read_candidates
from ragbase.retrieval.scoring import Facts, Scorer
from ragbase.retrieval.search_one_index import results_of
from ragbase.text.framing_words import without_framing
from ragbase.text.terms import terms_of
from scripts.bench.corpus import LANGUAGE, Index, index
from scripts.bench.judged_sets import Variant
from scripts.bench.postings_store import PostingsStore

Array = npt.NDArray[np.float64]

TOP = 5
_MOST_QUESTIONS = 100
"""Of one kind for one index: a sample, so that all sets take minutes."""


@dataclass(frozen=True)
class Asked:
    """The facts of the candidates that say how strong the strongest is, and of those that are `right`: among the first
    five without a threshold, with an answer. None if nobody has said what answers."""

    facts: Array
    right: Array | None = None

    @property
    def is_found(self) -> bool:
        return self.right is None or len(self.right) > 0


@dataclass(frozen=True)
class Evidence:
    """What is asked of one index."""

    variant: Variant
    own: Sequence[Asked]
    foreign: Sequence[Asked]
    everyday: Sequence[Asked]


def evidence_of(variant: Variant, embedder: Embedder) -> Evidence:
    searched = index(variant.indexed, embedder, PostingsStore)
    whole = variant.judged.collection

    def asked(questions: Sequence[str]) -> list[Asked]:
        return [_asked(question, searched, embedder) for question in questions]

    def own(id: str) -> Asked:
        answers = whole.answers.get(id)
        ids = None if answers is None and not whole.answers else {document_id("bench", one) for one in answers or ()}
        return _asked(whole.questions[id], searched, embedder, ids)

    return Evidence(
        variant,
        [own(id) for id in _some(variant.own)],
        asked([whole.questions[id] for id in _some(variant.foreign)]),
        asked(_some(variant.judged.everyday)),
    )


def _some(questions: Sequence[str]) -> Sequence[str]:
    """At most so many, from all places of the list."""
    step = max(math.ceil(len(questions) / _MOST_QUESTIONS), 1)
    return questions[::step]


def _asked(query: str, searched: Index, embedder: Embedder, answers: set[str] | None = None) -> Asked:
    """As search_one_index does it, up to the facts."""
    asked = without_framing(query)
    terms = terms_of(asked, LANGUAGE)
    vector = embedder.embed_query(searched_text(query))
    read = read_candidates(asked, vector, terms, chunks=searched.active, language=LANGUAGE, wanted=TOP)
    scorer = read.scorer(vector, terms, model=embedder.model, fitted=searched.fitted)

    def facts(hits: Sequence[Hit]) -> Array:
        return np.array([_row(scorer.facts(hit), scorer, searched.passages, read.in_syllables) for hit in hits])

    strongest = facts(read.near)
    weights = calibration_of(embedder.model).confidence
    if abs(float((strongest @ astuple(weights)).max()) - scorer.strongest) > 1e-6:
        raise AssertionError(f"The facts of {query!r} do not give the evidence that search has. Mend _row.")
    if answers is None:
        return Asked(strongest)
    shown = {result.chunk.id for result in results_of(read.found, scorer, most=TOP, threshold=0.0)}
    hits = [hit for hit in read.found.candidates.hits if hit.chunk.id in shown]
    return Asked(strongest, facts([hit for hit in hits if hit.chunk.document_id in answers]))


def _row(facts: Facts, scorer: Scorer, passages: int, in_syllables: bool) -> tuple[float, ...]:
    sees, blind = scorer.sees, 1 - scorer.sees
    return astuple(
        ConfidenceWeights(
            cosine=sees * facts.cosine,
            close_beside_meaning=sees * facts.close_coverage,
            passages=sees * math.log(passages),
            meaning=sees,
            words=blind * facts.words,
            other_words=blind * facts.other_words,
            close_beside_words=blind * facts.close_coverage,
            function_words=blind * scorer.function_share,
            syllables=blind * in_syllables,
            chance=blind * scorer.by_chance,
            lacks=float(facts.lacks),
            bias=1.0,
        )
    )
