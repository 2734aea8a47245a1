"""A question with its history, to one that makes sense alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ragbase.domain.conversation import Standalone, check_history
from ragbase.retrieval.conversation.borrowing import Borrowing
from ragbase.text.telling_words import words_of

if TYPE_CHECKING:
    from ragbase.domain.conversation import Turn
    from ragbase.ports import ChatModel


def standalone(question: str, history: Sequence[Turn], *, model: ChatModel | None = None) -> Standalone:
    """The question as it is searched for. A language model writes it, if there is one, and a rule does (borrowing.py)
    if there is none or it fails. A question that makes sense without its history stays as it is.

    Raises what check_history raises.
    """
    check_history(history)
    conversation = Borrowing.of(question, history)
    if model is None or not conversation.before:
        return _by_rule(conversation)
    from ragbase.retrieval.conversation.rewrite import rewritten

    follow_up = conversation.follow_up()
    given = rewritten(question, history, follow_up.words, conversation.language, model)
    if given.text is None:
        alone = _by_rule(conversation)
    elif _same(given.text, question):
        alone = Standalone(question)
    else:
        alone = Standalone(given.text, given.text, follow_up)
    return replace(alone, input_tokens=given.billed.input_tokens, output_tokens=given.billed.output_tokens)


def _by_rule(conversation: Borrowing) -> Standalone:
    text = conversation.completed()
    return Standalone(conversation.question) if text is None else Standalone(text, text, conversation.follow_up())


def _same(one: str, other: str) -> bool:
    return [word.lower() for word in words_of(one)] == [word.lower() for word in words_of(other)]
