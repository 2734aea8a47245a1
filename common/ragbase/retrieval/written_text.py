"""A short text of a language model as a whole, for those that ask it about a question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.ports import Billed

if TYPE_CHECKING:
    from ragbase.ports import ChatModel


@dataclass(frozen=True, slots=True)
class WrittenText:
    """`text` is not whole if it was cut off: at its most tokens, or by the service's filter. `billed` is what it
    cost."""

    text: str
    is_whole: bool
    billed: Billed


def written_text(model: ChatModel, instructions: str, message: str, *, most_tokens: int, event: str) -> WrittenText:
    """What the model writes, and what it cost. The log gets an entry named `event`, without a word of it.

    Raises what `ChatModel.write` raises.
    """
    pieces = list(model.write(instructions, message, most_tokens=most_tokens))
    billed = [piece for piece in pieces if isinstance(piece, Billed)]
    cost = Billed(sum(one.input_tokens for one in billed), sum(one.output_tokens for one in billed))
    telemetry.log(event, model=model.model, input_tokens=cost.input_tokens, output_tokens=cost.output_tokens)
    text = "".join(piece for piece in pieces if isinstance(piece, str))
    return WrittenText(text, all(isinstance(piece, str | Billed) for piece in pieces), cost)
