"""A chat model in memory, for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ragbase.domain.errors import RagbaseError
from ragbase.ports import Billed


class MemoryChatModel:
    """Implements the ChatModel port by a function of the instructions and the message. It keeps what it was asked, and
    raises `error` if there is one."""

    model = "memory"

    def __init__(self, writes: Callable[[str, str], str], error: RagbaseError | None = None) -> None:
        self.error = error
        self.asked: list[tuple[str, str]] = []
        self._writes = writes

    def write(self, instructions: str, message: str, *, most_tokens: int) -> Iterator[str | Billed]:
        self.asked.append((instructions, message))
        if self.error is not None:
            raise self.error
        text = self._writes(instructions, message)
        yield from text.splitlines(keepends=True)
        yield Billed(len(instructions.split()) + len(message.split()), min(len(text.split()), most_tokens))
