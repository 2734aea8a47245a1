"""What was said so far, as the next question takes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.domain.conversation import MAX_HISTORY_LENGTH, MAX_TURN_LENGTH, MAX_TURNS, Role, Turn
from ragbase.domain.limits import MAX_DOCUMENT_IDS

if TYPE_CHECKING:
    from ragbase.messages.api.answer import AnswerResponse


class Conversation:
    """Questions with their answers, within what a server takes: it forgets the oldest turns, and keeps the beginning of
    a longer text.

    conversation = Conversation()
    answer = client.answer(question, history=conversation.history)
    conversation.add(question, answer)
    """

    def __init__(self) -> None:
        self._turns: tuple[Turn, ...] = ()

    @property
    def history(self) -> tuple[Turn, ...]:
        """The turns so far, oldest first."""
        return self._turns

    def add(self, question: str, answer: AnswerResponse) -> None:
        """Remember a question and its answer. One that is blank adds nothing."""
        cited = dict.fromkeys(one.document_id for sentence in answer.sentences for one in sentence.citations)
        documents = tuple(cited)[:MAX_DOCUMENT_IDS]
        said = (Turn(Role.USER, question), Turn(Role.ASSISTANT, answer.text, documents))
        turns = (Turn(one.role, one.text.strip()[:MAX_TURN_LENGTH], one.documents) for one in said if one.text.strip())
        self._turns = (*self._turns, *turns)[-MAX_TURNS:]
        while sum(len(one.text) for one in self._turns) > MAX_HISTORY_LENGTH:
            self._turns = self._turns[1:]
