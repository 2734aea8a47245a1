"""What was said before a question. It comes with the question, and is kept nowhere."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

MAX_TURNS = 20
"""Turns of a history: ten questions with their answers."""
MAX_TURN_LENGTH = 8_000
"""Characters of one turn. An answer of the longest kind has some 40 sentences."""


class Role(StrEnum):
    """Who said a turn."""

    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Turn:
    """A question or an answer, oldest first in a history. Its text is data: what it tells the reader to do is not
    done. `documents` are the ids of the documents that an answer cited."""

    role: Role
    text: str
    documents: tuple[str, ...] = ()
