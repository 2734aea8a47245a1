"""Answers with the sentences of the evidence that fit the question best, word for word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from ragbase.adapters.extractive.statements import Span, Statement, statements_of
from ragbase.domain.evidence import EvidencePassage
from ragbase.domain.searched_text import searched_text
from ragbase.ports import Billed, Claim, DraftSentence, Embedder
from ragbase.retrieval.calibration import calibration_of
from ragbase.retrieval.scoring import inverse_frequency
from ragbase.text.terms import terms_of

MOST = 3
"""Sentences of an answer."""
LEAST = 0.7
"""The share of the best sentence's score that another one needs."""
HEADING = 0.5
"""What a term is worth that only the headings above a sentence have."""
BESIDE = 0.4
"""What a term is worth that only the rest of the passage has: "Net pay: 1731" below "Employee Dora" is Dora's."""
SAME_SUBJECT = 0.8
"""The share of the worth of the best sentence's passage that another one's passage needs. One without the name that was
asked for is about something else."""
COMPARED = 20
"""Sentences whose meaning is compared with the question's: those with the best words. Each takes some milliseconds."""

ALL_WORDS = 0.9
"""The share of the question's worth that an entry beside the best one needs. Rows that only look like the best one
answer other questions."""
LONG_ENTRY = 500
"""Characters. Of a longer row or entry, only some fields are quoted."""

_MARK = re.compile(r"\A(?:[-*+>]|\d{1,9}[.)])\s+")
_ENDS = re.compile(r"[.!?:…。！？：؟][\"'”’»)\]*_`]*\Z|\|\Z")

_RESTATED = 0.8
"""The share of a field's terms that the question has, and of the question's that the field has, if the field is the
question in other words."""


@dataclass(frozen=True, slots=True)
class _Quotable:
    """A statement of the evidence.

    `place` is the rank of its passage and where it begins there. `parts` are its texts in the passage, and `places` the
    same where those with only blanks between them are one. `said` are the terms of what is quoted, `terms` those of all
    of it, with the question that it answers, and `around` those of the passage.
    """

    place: tuple[int, int]
    passage: EvidencePassage
    parts: tuple[str, ...]
    places: tuple[str, ...]
    said: tuple[str, ...]
    terms: frozenset[str]
    around: frozenset[str]
    headings: frozenset[str]
    is_entry: bool

    @property
    def text(self) -> str:
        said = ""
        for part in self.parts:
            text = _MARK.sub("", " ".join(part.split()))
            said += f"{'' if not said else ' ' if _ENDS.search(said) else '; '}{text}"
        return said


class ExtractiveGenerator:
    """Implements the Generator port. A sentence is chosen by the words that it shares with the question, by its meaning
    if there is an embedder, and by how well its passage fits."""

    def __init__(self, language: str, embedder: Embedder | None = None) -> None:
        """`language` is that of the terms. An embedder is asked with each question, so take one of this machine."""
        self._language = language
        self._embedder = embedder

    @property
    def model(self) -> str:
        return "extractive" if self._embedder is None else f"extractive, {self._embedder.model}"

    def generate(self, question: str, evidence: Sequence[EvidencePassage]) -> Iterator[DraftSentence | Billed]:
        for one in self._best(question, evidence):
            yield DraftSentence(one.text, tuple(Claim(one.passage.id, text) for text in one.places))

    def _best(self, question: str, evidence: Sequence[EvidencePassage]) -> list[_Quotable]:
        """In the order of their passages, and in a passage in their own."""
        wanted = frozenset(terms_of(question, self._language))
        quotable = list(self._quotable(wanted, evidence))
        worth = _worth(wanted, quotable)
        words = self._words(worth, quotable, BESIDE)
        own = self._words(worth, quotable, 0.0)
        by_words = sorted(range(len(quotable)), key=lambda one: (-words[one], quotable[one].place))
        best_entry = next((one for one in by_words if quotable[one].is_entry), None)
        ranked = [
            one for one in by_words if not quotable[one].is_entry or one == best_entry or words[one] >= ALL_WORDS
        ][:COMPARED]
        meaning = self._meaning(question, [quotable[one] for one in ranked])
        scores = {
            one: words[one] + near + quotable[one].passage.score for one, near in zip(ranked, meaning, strict=True)
        }
        best = sorted(ranked, key=lambda one: -scores[one])
        alone = {one: scores[one] - words[one] + own[one] for one in ranked}
        enough = LEAST * max(alone.values(), default=0.0)
        about = self._worth_of_passages(worth, quotable)
        good: dict[tuple[str, ...], _Quotable] = {}
        for one in best:
            is_good = alone[one] >= enough and about[one] >= SAME_SUBJECT * about[best[0]]
            if one == best[0] or (is_good and len(good) < MOST):
                good.setdefault(quotable[one].said, quotable[one])
        return sorted(good.values(), key=lambda one: one.place)

    def _quotable(self, wanted: frozenset[str], evidence: Sequence[EvidencePassage]) -> Iterator[_Quotable]:
        """What says something. `wanted` are the terms of the question."""
        for rank, passage in enumerate(evidence):
            around = frozenset(terms_of(passage.text, self._language))
            for statement in statements_of(passage):
                quoted = self._fields(wanted, statement, passage) if statement.is_entry else statement.quoted
                terms = tuple(self._terms(passage, quoted))
                if terms:
                    start, end = quoted[0][0], quoted[-1][1]
                    path = passage.chunks_between(start, end)[0].header_path
                    about = self._terms(passage, (*statement.about, *statement.quoted))
                    heading = self._terms(passage, (statement.heading,)) if statement.heading is not None else []
                    if _is_restated(frozenset(heading), wanted):
                        about += heading  # the heading is the question, so this answers it
                    yield _Quotable(
                        (rank, start),
                        passage,
                        tuple(passage.text[slice(*span)] for span in quoted),
                        tuple(passage.text[slice(*place)] for place in _joined(quoted, passage)),
                        terms,
                        frozenset((*terms, *about)),
                        around,
                        frozenset((*heading, *terms_of(" ".join(path), self._language))),
                        statement.is_entry,
                    )

    def _fields(self, wanted: frozenset[str], entry: Statement, passage: EvidencePassage) -> tuple[Span, ...]:
        """The fields of an entry, without one that is the question itself. Of a long entry, the first one, which tells
        it from others, and those that have words of the question."""
        terms = {span: frozenset(self._terms(passage, (span,))) for span in entry.quoted}
        answering = [span for span in entry.quoted if not _is_restated(terms[span], wanted)]
        fields = answering or list(entry.quoted)
        if sum(end - start for start, end in fields) > LONG_ENTRY:
            fields = [span for span in fields if span == fields[0] or terms[span] & wanted]
        lengths = accumulate(end - start for start, end in fields)
        return tuple(
            span for span, length in zip(fields, lengths, strict=True) if span == fields[0] or length <= LONG_ENTRY
        )

    def _terms(self, passage: EvidencePassage, spans: Sequence[Span]) -> list[str]:
        return terms_of("\n".join(passage.text[slice(*span)] for span in spans), self._language)

    @staticmethod
    def _words(worth: Mapping[str, float], quotable: Sequence[_Quotable], beside: float) -> list[float]:
        """For each the share of the question's worth that its words have, from 0 to 1. What only the rest of its
        passage has counts `beside` as much."""
        total = sum(worth.values()) or 1.0
        return [
            sum(
                worth[term] * (1 if term in one.terms else HEADING if term in one.headings else beside)
                for term in worth.keys() & (one.terms | one.headings | one.around)
            )
            / total
            for one in quotable
        ]

    @staticmethod
    def _worth_of_passages(worth: Mapping[str, float], quotable: Sequence[_Quotable]) -> list[float]:
        """For each what the words of the question are worth that its passage has."""
        return [sum(worth[term] for term in worth.keys() & (one.around | one.headings)) for one in quotable]

    def _meaning(self, question: str, quotable: Sequence[_Quotable]) -> list[float]:
        """For each its cosine with the question, on MiniLM's scale; 0 without an embedder."""
        embedder = self._embedder
        if embedder is None:
            return [0.0] * len(quotable)
        vector = embedder.embed_query(searched_text(question))
        texts = [searched_text(one.text) for one in quotable]
        vectors = [
            one
            for first in range(0, len(texts), embedder.max_batch)
            for one in embedder.embed_documents(texts[first : first + embedder.max_batch]).vectors
        ]
        scale = calibration_of(embedder.model).scale
        return [scale(float(one @ vector)) for one in vectors]


def _worth(wanted: frozenset[str], quotable: Sequence[_Quotable]) -> dict[str, float]:
    known = Counter(term for one in quotable for term in one.terms & wanted)
    return {term: inverse_frequency(len(quotable), known[term]) for term in wanted}


def _is_restated(field: frozenset[str], wanted: frozenset[str]) -> bool:
    return bool(field) and len(field & wanted) >= _RESTATED * max(len(field), len(wanted))


def _joined(spans: Sequence[Span], passage: EvidencePassage) -> list[Span]:
    """Those with only blanks between them as one, but over no gap of the passage."""
    joined = [spans[0]]
    for start, end in spans[1:]:
        begin, until = joined[-1]
        if passage.text[until:start].strip() or any(until <= gap <= start for gap in passage.gaps):
            joined.append((start, end))
        else:
            joined[-1] = (begin, end)
    return joined
