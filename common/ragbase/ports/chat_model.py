"""Instructions and a message to the text that a language model writes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ragbase.ports.generator import Billed


@dataclass(frozen=True, slots=True)
class CutOff:
    """The text ends before its end: after `most_tokens`, or because the service filters the rest. `reason` is the
    service's word for it."""

    reason: str


class ChatModel(Protocol):
    """A language model. What it writes is a draft: whoever asks verifies it. It has no tools."""

    @property
    def model(self) -> str:
        """Names the model, for the log and the reader."""
        ...

    def write(self, instructions: str, message: str, *, most_tokens: int) -> Iterator[str | CutOff | Billed]:
        """What the model writes, piece by piece, then CutOff if that is not all of it, and then what it cost. `message`
        is data of other people: the instructions say what to do with it.

        Raises Unavailable if the service does not answer in time, also after some pieces, QuestionRefused if it does
        not want the message, and ConfigurationError for a setting that it does not accept.
        """
        ...
