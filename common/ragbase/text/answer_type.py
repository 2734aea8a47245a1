"""What a question asks for: a date, an amount, a name, a place, a yes or no."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from ragbase.domain.answer import AnswerType
from ragbase.text.answer_type_words import QUESTION_WORDS, asking, deciding
from ragbase.text.held_kinds import Kind
from ragbase.text.languages import language_of

_TYPES = {
    Kind.DATE: AnswerType.DATE,
    Kind.MONEY: AnswerType.AMOUNT,
    Kind.DURATION: AnswerType.AMOUNT,
    Kind.NUMBER: AnswerType.AMOUNT,
    Kind.NAME: AnswerType.NAME,
    Kind.PLACE: AnswerType.PLACE,
    Kind.YES_OR_NO: AnswerType.YES_OR_NO,
    Kind.OTHER: AnswerType.OTHER,
}


@dataclass(frozen=True, slots=True)
class AskedFor:
    """`phrase` are the words of the question that show it, in small letters; empty if none do."""

    kind: Kind = Kind.OTHER
    phrase: str = ""

    @property
    def type(self) -> AnswerType:
        return _TYPES[self.kind]


def asked_for(question: str, language: str | None = None) -> AskedFor:
    """What the question asks for. `language` is that of the documents, which holds if the question does not show its
    own. In a language whose question words are not known, it asks for something else."""
    spoken = language_of(question) or language
    if spoken not in QUESTION_WORDS:
        return AskedFor()
    text = unicodedata.normalize("NFC", question).casefold()
    first = asking(spoken).first(text)
    decides = deciding(spoken)
    if (
        decides is not None
        and (found := decides.search(text)) is not None
        and (first is None or found.start() < first[0])
    ):
        return AskedFor(Kind.YES_OR_NO, found[0].strip())
    return AskedFor(Kind(first[1]), first[2]) if first is not None else AskedFor()
