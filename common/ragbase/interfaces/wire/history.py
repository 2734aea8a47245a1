"""The turns before a question, in the bodies of /api/query and /api/answer, and in the arguments of tools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from ragbase.domain.conversation import MAX_HISTORY_LENGTH, MAX_TURN_LENGTH, MAX_TURNS, Role, Turn
from ragbase.domain.limits import MAX_DOCUMENT_IDS
from ragbase.messages.json_model import RequestModel

_MAX_ID = 100
"""Characters of a document's id. Ours have 36."""

_Id = Annotated[str, StringConstraints(min_length=1, max_length=_MAX_ID)]


class HistoryTurn(RequestModel):
    """What was asked or answered before. `text` is trimmed before its characters are counted."""

    role: Role = Field(description="user for a question, assistant for an answer")
    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_TURN_LENGTH)] = Field(
        description=f"1 to {MAX_TURN_LENGTH} characters, not counting spaces around them",
        json_schema_extra={"pattern": r"\S"},
    )
    document_ids: Annotated[tuple[_Id, ...], Field(max_length=MAX_DOCUMENT_IDS)] | None = Field(
        None, description="the ids of the documents that the answer cites"
    )

    def turn(self) -> Turn:
        return Turn(self.role, self.text, self.document_ids or ())


def _short_enough(history: tuple[HistoryTurn, ...]) -> tuple[HistoryTurn, ...]:
    length = sum(len(one.text) for one in history)
    if length > MAX_HISTORY_LENGTH:
        raise PydanticCustomError(
            "history",
            "the turns have {length} characters together, and may have {most}",
            {"length": length, "most": MAX_HISTORY_LENGTH},
        )
    return history


History = Annotated[tuple[HistoryTurn, ...], Field(max_length=MAX_TURNS), AfterValidator(_short_enough)]
HISTORY = (
    f"the turns before the question, oldest first: at most {MAX_TURNS} with {MAX_HISTORY_LENGTH} characters together, "
    f"each with role (user or assistant), text (1 to {MAX_TURN_LENGTH} characters) and, if you like, documentIds (what "
    "an answer cites). Leave out the oldest, and shorten long texts"
)


def turns(history: Sequence[HistoryTurn] | None) -> tuple[Turn, ...]:
    return tuple(one.turn() for one in history or ())
