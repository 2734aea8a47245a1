"""Whether the evidence holds what a question asks for, or is only on its subject.

Two things speak for a missing answer. No sentence has enough of the question's words, weighed with the confidence of
the search; or the question asks for a date, an amount of money, a duration or a number, and no sentence that speaks of
its subject names one. The weights were fitted on every second article of XQuAD in English and Vietnamese, and judged on
the others and on other languages (docs/answers.md).
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, takewhile
from typing import TYPE_CHECKING

from ragbase.chunking.sentences import sentence_spans
from ragbase.domain.answer import MissingAnswer
from ragbase.retrieval.asked_words import AskedWord, asked_words
from ragbase.text.answer_type import AskedFor, asked_for
from ragbase.text.asked_part import asked_part
from ragbase.text.framing_words import without_framing
from ragbase.text.held_kinds import AskedKind, holds
from ragbase.text.languages import language_of
from ragbase.text.scripts import NO_BLANKS, script_language
from ragbase.text.telling_words import count_of
from ragbase.text.terms import analysed_together, function_terms, terms_in

if TYPE_CHECKING:
    from ragbase.domain.evidence import EvidencePassage

BESIDE = 0.5
"""What a word is worth that only the sentences beside a sentence have, or the headings above it."""
AROUND = 0.25
"""The same for the rest of its passage."""
ALIKE = 0.8
"""What a word is worth through one that begins alike, which may be another form of it."""

COVERED, CONFIDENT, BIAS = 8.3, 1.25, -7.05
"""The weights of the best sentence's share of the question's worth and of the search's confidence in logits, and what
is added: the logits that the answer is there."""
ALL = 0.95
"""The share from which a sentence has all of the question's words."""
LEAST = -2.75
"""Logits. Below it, the answer is said to be missing."""
OPEN = 0.0
"""Logits. From here on, a language model that finds no answer is not believed: a text may have told it to find none."""
LEAST_SURE, SURE = 0.5, 0.9
"""A confidence below the first one is as good as it, one above the second as that."""
LEAST_TELLING = 4
"""Words of a question that its words alone can speak against: of few, a sentence may well say one in another way."""
NEAR = 0.5
"""A sentence speaks of the subject if it has this share of what the best one has of the question's words."""
TOLD = frozenset({AskedKind.DATE, AskedKind.MONEY, AskedKind.DURATION, AskedKind.NUMBER})
"""What a text shows by figures and words of its own."""
_ALWAYS = 2.0
TOLD_BELOW = {
    AskedKind.MONEY: _ALWAYS,
    AskedKind.DURATION: _ALWAYS,
    AskedKind.NUMBER: _ALWAYS,
    AskedKind.DATE: 0.8,
    AskedKind.NAME: 0.5,
    AskedKind.PLACE: 0.5,
}
"""If no near sentence names something of the kind, it is missing where the best one has less than this share of the
question's worth. "When" is answered by a condition, too, and "who" by a common noun: then the words are there."""

_BEGINNING = 4
_ALIKE_SHARE = 0.6
_has_no_blanks = re.compile(f"[{NO_BLANKS}]").search
_words = re.compile(r"[\w'’-]+").findall


@dataclass(frozen=True, slots=True)
class Looked:
    """What was looked at for one question.

    `telling` is about how many words say what it is about. `covered` is the share of the question's worth that
    the best sentence has, and `confidence` the search's, in logits. `near` are the texts of the sentences that speak of
    its subject. `has` are the words of the question that the evidence has, as they are written there; `lacks` are the
    others. `holds` says whether the near sentences name something of the kind that is asked for; None if that is not
    known.
    """

    asked: AskedFor
    telling: float
    covered: float
    confidence: float
    near: Sequence[str]
    has: Sequence[str]
    lacks: Sequence[str]
    holds: bool | None

    @property
    def score(self) -> float:
        """The logits that the answer is there."""
        return COVERED * self.covered + CONFIDENT * self.confidence + BIAS

    @property
    def is_untold(self) -> bool:
        """Whether nothing of the kind that is asked for is named where it would be."""
        return self.holds is False and self.covered < TOLD_BELOW.get(self.asked.kind, 0.0)


def missing_answer(
    question: str,
    evidence: Sequence[EvidencePassage],
    language: str,
    *,
    quoted: str | None = None,
    is_completed: bool = False,
) -> MissingAnswer | None:
    """What these passages do not hold, although they are on the question's subject; None if they seem to hold it, or
    if that cannot be told. `language` is the index's.

    `quoted` are the words of the evidence that a language model takes for the answer: empty if it has found none, None
    if no model was asked. With `is_completed`, words of the question are from its history, so that to lack them says
    nothing.
    """
    looked = look(question, evidence, language)
    if looked is None or not looked.has:
        return None
    if quoted is not None:
        is_missing = not _is_of_kind(quoted, looked.asked.kind) and (looked.is_untold or looked.score < OPEN)
    else:
        is_missing = looked.is_untold or (not is_completed and _is_weak(looked))
    if not is_missing:
        return None
    subject = ", ".join(looked.has)
    return MissingAnswer(looked.asked.type, subject, f"The passages mention “{subject}”, {_but(looked)}")


def _is_of_kind(quoted: str, kind: AskedKind) -> bool:
    return bool(quoted) and (kind not in TOLD or holds(quoted, kind) is not False)


def _is_weak(looked: Looked) -> bool:
    return looked.telling >= LEAST_TELLING and looked.covered < ALL and looked.score < LEAST


def _but(looked: Looked) -> str:
    """What is always true, whatever the passages mean: which words or kinds of things they have."""
    if looked.holds is False and looked.asked.kind in _NAMED:
        return f"but no sentence on it names {_NAMED[looked.asked.kind]}."
    if looked.lacks:
        return f"but not “{', '.join(looked.lacks)}”."
    return "but no words that answer the question were found there."


_NAMED = {
    AskedKind.DATE: "a date or time",
    AskedKind.MONEY: "an amount of money",
    AskedKind.DURATION: "a length of time",
    AskedKind.NUMBER: "a number",
    AskedKind.NAME: "somebody or something by name",
    AskedKind.PLACE: "a place by name",
}


def look(question: str, evidence: Sequence[EvidencePassage], language: str) -> Looked | None:
    """None if the question and the evidence cannot be compared: there is none, the question has no telling words, or
    they are in two languages."""
    if not evidence:
        return None
    part = asked_part(question)
    texts = [passage.text for passage in evidence]
    written = language_of(texts[0])
    own = language_of(part)
    if own is not None and own not in (known := {language_of(text) for text in texts}) and None not in known:
        return None
    asked = asked_for(part, written)
    spoken = analysed_together((part, *texts), language)
    ignored = function_terms(part, language) | set(terms_in(asked.phrase, spoken))
    if own is None:  # a short question
        ignored |= function_terms(texts[0], language)
    telling = [term for term in dict.fromkeys(terms_in(without_framing(part), spoken)) if term not in ignored]
    if not telling:
        return None
    sentences = list(chain.from_iterable(_sentences(passage, spoken) for passage in evidence))
    if not sentences:
        return None
    words = _Telling.of(telling, sentences)
    shares = [words.share(one) for one in sentences]
    best = max(shares)
    near = [one for one, share in zip(sentences, shares, strict=True) if share >= NEAR * best]
    written_words = asked_words(part, telling, spoken)
    shown = [_shown(word, asked) for word in written_words]
    confidence = min(max(LEAST_SURE, *(passage.score for passage in evidence)), SURE)
    return Looked(
        asked=asked,
        telling=sum(not _has_no_blanks(term) for term in telling) + sum(map(_words_without_blanks, shown)),
        covered=best,
        confidence=math.log(confidence / (1 - confidence)),
        near=[one.text for one in near],
        has=[text for word, text in zip(written_words, shown, strict=True) if words.has(word)],
        lacks=[text for word, text in zip(written_words, shown, strict=True) if not words.has(word)],
        holds=_hold(near, asked.kind, frozenset(map(str.casefold, _words(part))), written),
    )


def _words_without_blanks(text: str) -> float:
    """Its terms are pairs of characters, of which one word has many."""
    return count_of([text], script_language(text)) if _has_no_blanks(text) else 0


def _shown(word: AskedWord, asked: AskedFor) -> str:
    """Without the phrase that asks, where no blank parts them."""
    text = word.text.strip("؟،؛।")
    return text.replace(asked.phrase, "") or text if asked.phrase and _has_no_blanks(text) else text


def _hold(near: Sequence[_Sentence], kind: AskedKind, asked: Collection[str], written: str | None) -> bool | None:
    if kind in TOLD and any(_is_row(one.text) for one in near):
        return None  # the header of the table says what its numbers are
    told = [holds(one.text, kind, asked, written) for one in near]
    return True if any(told) else None if None in told else False


def _is_row(text: str) -> bool:
    return "|" in text and any(map(str.isdigit, text))


@dataclass(frozen=True, slots=True)
class _Sentence:
    """Its own terms, those of the sentences beside it and of the headings, and those of its passage."""

    text: str
    terms: frozenset[str]
    beside: frozenset[str]
    around: frozenset[str]


def _sentences(passage: EvidencePassage, spoken: str) -> Iterator[_Sentence]:
    texts = [passage.text[start:end] for start, end in sentence_spans(passage.text, passage.gaps)]
    terms = [frozenset(terms_in(text, spoken)) for text in texts]
    first = passage.chunks[0]
    above = frozenset(terms_in(" ".join((*first.header_path, first.table_header or "")), spoken))
    around = above.union(*terms)
    for place, text in enumerate(texts):
        beside = above.union(*terms[max(place - 1, 0) : place + 2])
        yield _Sentence(text, terms[place], beside, around)


@dataclass(frozen=True, slots=True)
class _Telling:
    """The telling words of the question with the share of its worth that each has: more if few sentences have it.
    `like` are the terms of the evidence that each may be a form of."""

    worth: Mapping[str, float]
    like: Mapping[str, frozenset[str]]
    known: frozenset[str]

    @classmethod
    def of(cls, telling: Sequence[str], sentences: Sequence[_Sentence]) -> _Telling:
        known = frozenset[str]().union(*(one.around for one in sentences))
        like = _like(telling, known)
        having = {
            term: sum(term in one.terms or not like[term].isdisjoint(one.terms) for one in sentences)
            for term in telling
        }
        worth = {term: math.log(2 + len(sentences) / (having[term] + 1)) for term in telling}
        total = sum(worth.values())
        return cls({term: one / total for term, one in worth.items()}, like, known)

    def share(self, one: _Sentence) -> float:
        """The share of the question's worth that a sentence has, with what stands around it."""
        return sum(
            worth
            * max(
                self.in_terms(term, one.terms),
                BESIDE * self.in_terms(term, one.beside),
                AROUND * self.in_terms(term, one.around),
            )
            for term, worth in self.worth.items()
        )

    def in_terms(self, term: str, terms: frozenset[str]) -> float:
        return 1.0 if term in terms else 0.0 if self.like[term].isdisjoint(terms) else ALIKE

    def has(self, word: AskedWord) -> bool:
        """Whether the evidence has at least half of the word's terms."""
        known = sum(self.in_terms(term, self.known) > 0 for term in word.terms if term in self.worth)
        return 2 * known >= sum(term in self.worth for term in word.terms)


def _like(telling: Sequence[str], known: Collection[str]) -> dict[str, frozenset[str]]:
    beginnings: dict[str, list[str]] = {}
    wanted = {term[:_BEGINNING] for term in telling}
    for term in known:
        if term[:_BEGINNING] in wanted:
            beginnings.setdefault(term[:_BEGINNING], []).append(term)
    return {
        term: frozenset(one for one in beginnings.get(term[:_BEGINNING], ()) if _begin_alike(term, one))
        for term in telling
    }


def _begin_alike(one: str, other: str) -> bool:
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    is_word = not any(map(str.isdigit, one + other))
    return is_word and shared >= max(_BEGINNING, _ALIKE_SHARE * max(len(one), len(other)))
