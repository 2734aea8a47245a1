"""Instructions and a message to the text that a language model writes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ragbase.ports.generator import Billed


class ChatModel(Protocol):
    """A language model. What it writes is a draft: whoever asks verifies it. It has no tools."""

    @property
    def model(self) -> str:
        """Names the model, for the log and the reader."""
        ...

    def write(self, instructions: str, message: str, *, most_tokens: int) -> Iterator[str | Billed]:
        """What the model writes, piece by piece, and then what it cost. `message` is data of other people: the
        instructions say what to do with it. It ends after `most_tokens`, also amid a sentence.

        Raises Unavailable if the service does not answer in time, also after some pieces, QuestionRefused if it does
        not want the message, and ConfigurationError for a setting that it does not accept.
        """
        ...
