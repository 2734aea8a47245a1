"""What the confidence is fitted on and judged by: collections and question sets, the indexes made of them, and the
facts about each candidate of each question, from the search that users have.

A fact stands for each weight of the confidence, in their order, so evidence is the sum of facts times weights.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ragbase.domain.chunk import Passage
from ragbase.domain.searched_text import searched_text
from ragbase.ports import Embedder, Hit
from ragbase.retrieval.calibration import ConfidenceWeights, calibration_of
from ragbase.retrieval.read_candidates import read_candidates
from ragbase.retrieval.scoring import Facts, Scorer
from ragbase.retrieval.search_one_index import results_of
from ragbase.text.framing_words import without_framing
from ragbase.text.terms import terms_of
from scripts.bench.corpus import (
    LANGUAGE,
    Collection,
    Index,
    beside,
    cranfield,
    id_of,
    index,
    markdowns,
    off_topic,
    rows,
    xquads,
)

Array = npt.NDArray[np.float64]

TOP = 5
_LEAST_GROUPS = 3
_LEAST_OWN = 10
_MOST_QUESTIONS = 100
"""Of one kind for one index: a sample, so that all sets take minutes."""


@dataclass(frozen=True, kw_only=True)
class JudgedSet:
    """A collection whose documents are in groups, and questions on everyday things, which it does not answer.

    Groups that are `apart` are on other subjects: questions on one are foreign to an index without it. Other groups are
    too near each other to say so.
    """

    collection: Collection
    language: str
    everyday: Sequence[str]
    groups: Mapping[str, int] = field(default_factory=dict)
    apart: bool = False

    @property
    def left_out_as(self) -> str:
        """What is left out with it: its language, or itself if it is one of the English collections."""
        return self.language if self.groups else self.collection.name

    @property
    def is_xquad(self) -> bool:
        return self.collection.name.startswith("xquad.")


@dataclass(frozen=True, kw_only=True)
class Variant:
    """An index to make, and who asks it. Questions are named by their ids in the set's collection."""

    judged: JudgedSet
    name: str
    indexed: Collection
    own: Sequence[str]
    foreign: Sequence[str] = ()


def everyday_questions(language: str) -> list[str]:
    """Questions on everyday things in this language, and in English those on other subjects, too."""
    own = [question for of, question in rows("everyday_questions") if of == language]
    return own + (off_topic() if language == "en" else [])


def sets_of_data(data: Path) -> Iterator[JudgedSet]:
    """Cranfield and the Markdown files whole, and XQuAD, whose articles are the groups."""
    for one in (cranfield(data), *markdowns(data)):
        yield JudgedSet(collection=one, language="en", everyday=everyday_questions("en"))
    for language, collection in xquads(data):
        yield JudgedSet(
            collection=collection,
            language=language,
            everyday=everyday_questions(language),
            groups={name: int(name.partition("/")[0]) for name in collection.documents},
            apart=True,
        )


def set_of_file(file: Path) -> JudgedSet:
    """A set as scripts/bench/question-sets writes it. Each passage is a document of its own. The groups are apart if
    they are sources, as in a set whose name has "mix" in it."""
    read = json.loads(file.read_text(encoding="utf-8"))
    numbers = {group: at for at, group in enumerate(dict.fromkeys(one["group"] for one in read["passages"]))}
    collection = Collection(
        read["name"],
        {one["id"]: [Passage(text=one["text"], char_start=0, char_end=len(one["text"]))] for one in read["passages"]},
        {one["id"]: one["text"] for one in read["questions"]},
        {one["id"]: set(one["answers"]) for one in read["questions"]},
    )
    return JudgedSet(
        collection=collection,
        language=read["language"],
        everyday=everyday_questions(read["language"]),
        groups={one["id"]: numbers[one["group"]] for one in read["passages"]},
        apart="-mix" in read["name"],
    )


def variants(sets: Sequence[JudgedSet]) -> Iterator[Variant]:
    """Both halves of each set, and a half of each language of XQuAD beside all that is English. What has no groups is
    indexed whole."""
    for judged in sets:
        if len(set(judged.groups.values())) < _LEAST_GROUPS:
            own = list(judged.collection.questions)
            yield Variant(judged=judged, name="whole", indexed=judged.collection, own=own)
            continue
        for half in (0, 1):
            if len((variant := _half(judged, half)).own) >= _LEAST_OWN:
                yield variant
        if judged.is_xquad:
            unrelated = [one.collection for one in sets if one.language == "en" and not one.is_xquad]
            yield _half(judged, 0, unrelated)


def _half(judged: JudgedSet, half: int, unrelated: Sequence[Collection] = ()) -> Variant:
    kept = {name for name, group in judged.groups.items() if group % 2 == half}
    whole = judged.collection
    documents = {name: passages for name, passages in whole.documents.items() if name in kept}
    own = [question for question, answers in whole.answers.items() if answers & kept]
    foreign = [question for question, answers in whole.answers.items() if not answers & kept] if judged.apart else []
    indexed = Collection(whole.name, documents, whole.questions, whole.answers)
    name = "beside unrelated passages" if unrelated else f"half {half + 1}"
    indexed = beside(indexed, unrelated) if unrelated else indexed
    return Variant(judged=judged, name=name, indexed=indexed, own=own, foreign=foreign)


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
    searched = index(variant.indexed, embedder)
    whole = variant.judged.collection

    def asked(questions: Sequence[str]) -> list[Asked]:
        return [_asked(question, searched, embedder) for question in questions]

    def own(id: str) -> Asked:
        answers = whole.answers.get(id)
        ids = None if answers is None and not whole.answers else {id_of(one) for one in answers or ()}
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
