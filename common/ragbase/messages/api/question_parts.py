"""The parts of a question, and what the documents do not say of it."""

from __future__ import annotations

from ragbase.domain.answer_type import AnswerType
from ragbase.messages.api.near_miss import NearMissBody
from ragbase.messages.json_model import JsonModel


class MissingAnswerBody(JsonModel):
    """The documents are on the `subject`, but do not hold what was `asked` for. `text` says so in a sentence."""

    asked: AnswerType
    subject: str
    text: str


class QuestionPartBody(JsonModel):
    """A part of a question that asks for several things. `covered` says whether the documents answer it; if not,
    `missing` says what they lack, if they are on its subject, and `nearMiss` what was nearest, if nothing reaches the
    threshold. `searched` is false for a part that was not searched for, as there are too many."""

    text: str
    covered: bool
    missing: MissingAnswerBody | None = None
    near_miss: NearMissBody | None = None
    searched: bool | None = None
