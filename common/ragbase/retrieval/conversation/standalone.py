"""A question with its history, to one that makes sense alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragbase.domain.conversation import Standalone, check_history
from ragbase.retrieval.conversation.borrowing import Conversation

if TYPE_CHECKING:
    from ragbase.domain.conversation import Turn
    from ragbase.ports import ChatModel


def standalone(question: str, history: Sequence[Turn], *, model: ChatModel | None = None) -> Standalone:
    """The question as it is searched for. A language model writes it, if there is one, and a rule does (borrowing.py)
    if there is none or it fails. A question that makes sense without its history stays as it is.

    Raises ValueError for a history that is too long.
    """
    check_history(history)
    conversation = Conversation.of(question, history)
    text = conversation.completed()
    if text is None:
        return Standalone(question)
    return Standalone(text, text, conversation.follow_up())
