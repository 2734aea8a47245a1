"""What a question asks for: a date, an amount, a name, a place, a yes or no."""

from __future__ import annotations

from dataclasses import dataclass

from ragbase.domain.answer_type import AnswerType
from ragbase.text.asking_phrases import ASKING_PHRASES, asking, deciding
from ragbase.text.held_kinds import AskedKind
from ragbase.text.languages import language_of
from ragbase.text.small_letters import small_letters

_TYPES = {
    AskedKind.DATE: AnswerType.DATE,
    AskedKind.MONEY: AnswerType.AMOUNT,
    AskedKind.DURATION: AnswerType.AMOUNT,
    AskedKind.NUMBER: AnswerType.AMOUNT,
    AskedKind.NAME: AnswerType.NAME,
    AskedKind.PLACE: AnswerType.PLACE,
    AskedKind.YES_OR_NO: AnswerType.YES_OR_NO,
    AskedKind.OTHER: AnswerType.OTHER,
}


@dataclass(frozen=True, slots=True)
class AskedFor:
    """`phrase` are the words of the question that show it, in small letters; empty if none do."""

    kind: AskedKind = AskedKind.OTHER
    phrase: str = ""

    @property
    def type(self) -> AnswerType:
        return _TYPES[self.kind]


def asked_for(question: str, language: str | None = None) -> AskedFor:
    """What the question asks for. `language` is that of the documents, which holds if the question does not show its
    own. In a language whose question words are not known, it asks for something else."""
    spoken = language_of(question) or language
    if spoken not in ASKING_PHRASES:
        return AskedFor()
    text = small_letters(question, spoken)
    first = asking(spoken).first(text)
    decides = deciding(spoken)
    if (
        decides is not None
        and (found := decides.search(text)) is not None
        and (first is None or found.start() < first[0])
    ):
        return AskedFor(AskedKind.YES_OR_NO, found[0].strip())
    return AskedFor(AskedKind(first[1]), first[2]) if first is not None else AskedFor()
