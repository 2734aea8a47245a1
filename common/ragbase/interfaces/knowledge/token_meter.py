"""What questions and answers cost in tokens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from ragbase.access.daily_limits import tokens_of
from ragbase.domain.answer import AnswerSentence, GeneratedAnswer

if TYPE_CHECKING:
    from ragbase.retrieval.answer import AnswerPart


class TokenMeter(Protocol):
    """Counts the tokens of one caller."""

    def ask(self, question: str) -> None:
        """Count a question before it is embedded. Raises TooManyRequests."""
        ...

    def spend(self, tokens: int) -> None:
        """Count what an answer has cost."""
        ...


def metered(parts: Iterator[AnswerPart], meter: TokenMeter) -> Iterator[AnswerPart]:
    """The same parts. The meter is told what the model's service bills, or, if nobody waits for the end of the answer,
    about what it has read and written until then."""
    read = written = 0
    billed: int | None = None
    try:
        for part in parts:
            if isinstance(part, GeneratedAnswer):
                billed = part.input_tokens + part.output_tokens
            elif isinstance(part, AnswerSentence):
                written += tokens_of(part.text)
            else:
                read += sum(tokens_of(passage.text) for passage in part)
            yield part
    finally:
        if tokens := read + written if billed is None else billed:
            meter.spend(tokens)
