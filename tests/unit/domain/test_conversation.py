"""Nothing of a history is cut without a word: one that is too long is an error that says what to do."""

from __future__ import annotations

from typing import Any, cast

import pytest

from ragbase.domain.conversation import (
    MAX_HISTORY_LENGTH,
    MAX_TURN_LENGTH,
    MAX_TURNS,
    Role,
    Turn,
    check_history,
)


def turns(number: int, length: int) -> list[Turn]:
    return [Turn(Role.USER, "a" * length)] * number


def test_the_longest_history_is_accepted() -> None:
    check_history(turns(MAX_TURNS, MAX_HISTORY_LENGTH // MAX_TURNS))
    check_history(turns(1, MAX_TURN_LENGTH))


@pytest.mark.parametrize(
    ("history", "said"),
    [
        (turns(MAX_TURNS + 1, 1), "history has 21 turns, but may have 20 at most. Leave out the oldest"),
        ([*turns(1, 1), *turns(1, MAX_TURN_LENGTH + 1)], "Turn 2 of history has 8,001 characters, but may have 8,000"),
        (turns(MAX_TURNS, MAX_HISTORY_LENGTH // MAX_TURNS + 1), "history has 40,020 characters, but may have 40,000"),
    ],
)
def test_a_longer_one_is_refused(history: list[Turn], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        check_history(history)


@pytest.mark.parametrize(
    ("turn", "error", "said"),
    [
        ({"role": "user", "text": "a"}, TypeError, "Turn 2 of history is a dict, but must be a Turn. Write Turn"),
        ("a", TypeError, "Turn 2 of history is a str"),
        (Turn(cast("Role", "system"), "a"), ValueError, "has the role 'system', but must have user or assistant."),
        (Turn(Role.USER, " \n"), ValueError, "Turn 2 of history is blank. Leave it out."),
    ],
)
def test_what_is_no_turn_is_refused(turn: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        check_history([Turn(Role.USER, "a"), turn])
