"""A short text of a language model as a whole, for those that ask it about a question."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.domain.errors import Unavailable
from ragbase.ports import Billed
from ragbase.ports.deadline import deadline, work_until

if TYPE_CHECKING:
    from ragbase.domain.errors import RagbaseError
    from ragbase.ports import ChatModel, CutOff

_SECONDS = 5
"""A search or an answer waits no longer for it: a rule stands ready."""
_BYTES_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class WrittenText:
    """`text` is not whole if it was cut off: at its most tokens, or by the service's filter. `billed` is what it
    cost."""

    text: str
    is_whole: bool
    billed: Billed


class BrokenOff(Unavailable):
    """The service stopped, or was stopped, amid the text. `billed` is about what that costs all the same."""

    def __init__(self, error: Unavailable, billed: Billed) -> None:
        super().__init__(str(error))
        self.billed = billed


def written_text(model: ChatModel, instructions: str, message: str, *, most_tokens: int, event: str) -> WrittenText:
    """What the model writes within 5 seconds, and what it cost. The log gets an entry named `event`, without a word of
    it.

    Raises what `ChatModel.write` raises: a BrokenOff if it has begun, or has taken all the time.
    """
    limit = datetime.now(UTC) + timedelta(seconds=_SECONDS)
    end = min(limit, deadline() or limit)
    pieces: list[str | CutOff | Billed] = []
    try:
        with work_until(end):
            pieces.extend(model.write(instructions, message, most_tokens=most_tokens))
    except Unavailable as error:
        if not pieces and datetime.now(UTC) < end:
            raise
        wrote = "".join(piece for piece in pieces if isinstance(piece, str))
        raise BrokenOff(error, Billed(_about(f"{instructions}\n{message}"), _about(wrote))) from error
    cost = sum((piece for piece in pieces if isinstance(piece, Billed)), Billed())
    telemetry.log(event, model=model.model, input_tokens=cost.input_tokens, output_tokens=cost.output_tokens)
    text = "".join(piece for piece in pieces if isinstance(piece, str))
    return WrittenText(text, all(isinstance(piece, str | Billed) for piece in pieces), cost)


def cost_of(error: RagbaseError) -> Billed:
    """What a text that did not come costs."""
    return error.billed if isinstance(error, BrokenOff) else Billed()


def _about(text: str) -> int:
    return math.ceil(len(text.encode(errors="replace")) / _BYTES_PER_TOKEN)
