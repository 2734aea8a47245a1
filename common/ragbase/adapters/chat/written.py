"""What an answer has of the text that a model writes, whatever the service's form, and how it is given on."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ragbase import telemetry
from ragbase.domain.errors import ConfigurationError, Unavailable
from ragbase.ports import Billed, CutOff

_CHARACTERS = 16
"""Of a token, at most, on average. A server that sends more does not keep to the limit that it was given."""
_BYTES = 4
"""Of a token on average: 4 letters of English, or a sign and a third of Chinese."""
_THOUGHT = ("<think>", "</think>")
"""Between these, models that think write their thoughts, if the server does not take them out
(https://docs.vllm.ai/en/latest/features/reasoning_outputs.html)."""
_HIGH_SURROGATE = re.compile("[\ud800-\udbff]$")


@dataclass(slots=True)
class WrittenSoFar:
    """The text so far. `finish` is the service's word for how it ended; empty while it has not, or if the service says
    in another way that it `is_whole`."""

    service: str
    most_tokens: int
    asked: str
    finish: str = ""
    is_whole: bool = False
    cut_off: bool = False
    billed: Billed | None = None
    called_tools: bool = False
    _length: int = 0
    _bytes: int = 0
    _rest: str = ""
    _thinks: bool | None = None
    _said: bool = field(default=False)

    @property
    def is_full(self) -> bool:
        """Whether there is more than the tokens that were asked for can hold."""
        return self._length > self.most_tokens * _CHARACTERS

    @property
    def is_empty(self) -> bool:
        return not self._said

    def finished(self, finish: str, *, cut_off: bool) -> None:
        self.finish, self.cut_off, self.is_whole = finish, cut_off, True

    def text(self, piece: str) -> Iterator[str]:
        """What of a piece, and of the one before, can be given on: whole characters, and no thoughts."""
        self._length += len(piece)
        self._rest += piece
        if self._thinks is None:
            begin = self._rest.lstrip()
            if _THOUGHT[0].startswith(begin[: len(_THOUGHT[0])]) and len(begin) < len(_THOUGHT[0]):
                return
            self._thinks = begin.startswith(_THOUGHT[0])
        if self._thinks:
            _, end, self._rest = (
                self._rest.rpartition(_THOUGHT[1]) if _THOUGHT[1] in self._rest else ("", "", self._rest)
            )
            if not end:
                self._rest = self._rest[-len(_THOUGHT[1]) :] if self._rest else ""
                return
            self._thinks = False
        half = _HIGH_SURROGATE.search(self._rest)
        given, self._rest = (self._rest[:-1], self._rest[-1]) if half is not None else (self._rest, "")
        yield from self._given(given)

    def end(self) -> Iterator[str | CutOff | Billed]:
        """What is left to say when the answer has ended. Raises Unavailable if it is not whole, and ConfigurationError
        if the tokens did not suffice for a word."""
        if not self.is_whole and not self.is_full:
            raise Unavailable(f"{self.service}'s answer broke off.")
        if self._rest and not self._thinks:
            yield from self._given(self._rest)
        if self.called_tools:
            telemetry.log("chat.tool_ignored", level=logging.WARNING, service=self.service)
        cut_off = self.cut_off or self.is_full
        if self.is_empty and cut_off:
            raise ConfigurationError(
                f"{self.service} wrote no word with {self.most_tokens:,} tokens: the model thinks first. Raise "
                "RAGBASE_ANSWER_TOKENS, or set RAGBASE_CHAT_MODEL to a model that does not think."
            )
        if self.is_empty and self.called_tools:
            raise Unavailable(f"{self.service} wants to call a tool instead of answering, and there is none.")
        if cut_off:
            yield CutOff(self.finish or "too long")
        about = Billed(_tokens(len(self.asked.encode(errors="replace"))), _tokens(self._bytes))
        billed = self.billed or about
        # Nobody heard the rest of an answer that was stopped here: what the service says by then is not all.
        yield replace(billed, output_tokens=max(billed.output_tokens, about.output_tokens)) if self.is_full else billed

    def _given(self, text: str) -> Iterator[str]:
        whole = whole_characters(text)
        if whole:
            self._bytes += len(whole.encode())
            self._said = self._said or bool(whole.strip())
            yield whole


def whole_characters(text: str) -> str:
    """The text with two halves of a character as one, and with U+FFFD for half of one, which UTF-8 does not have."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _tokens(bytes_: int) -> int:
    """About so many, where a service does not say how many it bills."""
    return math.ceil(bytes_ / _BYTES)


def count(value: object) -> int:
    """A number of tokens in an answer; 0 for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
