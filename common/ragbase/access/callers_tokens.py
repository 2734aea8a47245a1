"""The tokens of one caller's questions and answers, against the limits of a day."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from ragbase.access.limits import Limited

if TYPE_CHECKING:
    from ragbase.access.caller import Caller
    from ragbase.access.daily_use import DailyUse

_CHARACTERS = 4
"""Of a token of English text, on average. What a service bills for a question, its adapter does not tell."""


class CallersTokens:
    """Counts what this caller uses."""

    def __init__(self, caller: Caller, use: DailyUse) -> None:
        self._caller = caller
        self._use = use

    def ask(self, question: str) -> None:
        """Count a question before it is embedded. Raises TooManyRequests."""
        self._use.take(self._caller, Limited.TOKENS, tokens_of(question))

    def spend(self, tokens: int) -> None:
        """Count what an answer has cost. It was not known before, so it may end above the limit."""
        self._use.charge(self._caller, Limited.TOKENS, tokens)


def tokens_of(text: str) -> int:
    """About so many tokens; never none."""
    return max(1, ceil(len(text) / _CHARACTERS))
