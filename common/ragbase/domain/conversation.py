"""What was said before a question, and the question that it makes of a follow-up. It comes with the question, and is
kept nowhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

MAX_TURNS = 20
"""Turns of a history: ten questions with their answers."""
MAX_TURN_LENGTH = 8_000
"""Characters of one turn. An answer of the longest kind has some 40 sentences."""
MAX_HISTORY_LENGTH = 40_000
"""Characters of all turns together."""


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


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What a search knows of a question that the history completed. `words` are those of the question itself that say
    what it is about: they need evidence, too. `points_back` says that it has a pronoun for what was said before, and
    `asks` that it asks when, where, why or how. Of passages that fit as well, those of `documents` come first: the turn
    before cited them."""

    words: tuple[str, ...] = ()
    points_back: bool = False
    asks: bool = False
    documents: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Standalone:
    """A question that makes sense without its history. `searched_for` is its text, for the reader, if the history
    completed it; the tokens are those that a language model was billed for."""

    text: str
    searched_for: str | None = None
    follow_up: FollowUp | None = None
    input_tokens: int = 0
    output_tokens: int = 0


def check_turns(history: Sequence[Turn]) -> None:
    """Raises TypeError for what is no turn, and ValueError for a role that there is not and for a blank text."""
    for number, turn in enumerate(history, start=1):
        if not isinstance(turn, Turn):
            raise TypeError(
                f"Turn {number} of history is a {type(turn).__name__}, but must be a Turn. Write Turn(Role.USER, TEXT)."
            )
        if turn.role not in [*Role]:
            raise ValueError(f"Turn {number} of history has the role {turn.role!r}, but must have {' or '.join(Role)}.")
        if not turn.text.strip():
            raise ValueError(f"Turn {number} of history is blank. Leave it out.")


def check_history(history: Sequence[Turn]) -> None:
    """Raises what check_turns raises, and ValueError for a history that is too long: nothing of it is cut."""
    check_turns(history)
    if len(history) > MAX_TURNS:
        raise ValueError(
            f"history has {len(history)} turns, but may have {MAX_TURNS} at most. Leave out the oldest ones."
        )
    for number, turn in enumerate(history, start=1):
        if len(turn.text) > MAX_TURN_LENGTH:
            raise ValueError(
                f"Turn {number} of history has {len(turn.text):,} characters, but may have {MAX_TURN_LENGTH:,} at "
                "most. Shorten it, or leave it out."
            )
    length = sum(len(turn.text) for turn in history)
    if length > MAX_HISTORY_LENGTH:
        raise ValueError(
            f"history has {length:,} characters, but may have {MAX_HISTORY_LENGTH:,} at most. Leave out the oldest "
            "turns."
        )
