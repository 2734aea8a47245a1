"""The limit of a request's body, the answer to a longer one, and the line in which the request waits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from ragbase.interfaces.http.errors import Refused
from ragbase.messages.api.error import ErrorBody


class Line(Enum):
    """Where a request waits for a thread (threads.py). No line waits for another."""

    ANSWERS = auto()
    STRANGERS = auto()
    """As ANSWERS, for those who need not be known: a flood of them leaves room for those who are."""
    UPLOADS = auto()
    """Where files come in: the server answers few of those at once."""
    WRITERS = auto()
    """Questions that are answered in sentences or explained, also by a tool of an assistant: a hosted model may take
    40 s for each, and an explanation reads a file."""
    EVENTS = auto()
    """Those who follow the changes of documents: a stream holds its thread for most of a minute."""
    FILES = auto()
    """What is sent from memory: the files of the console. A browser asks for a dozen at once, and if one of them is
    refused, it shows nothing."""
    HEALTH = auto()
    """Health checks, which are never refused: who gets no answer here takes the server out of service."""


@dataclass(frozen=True, slots=True)
class BodyLimit:
    """`most` is in bytes. `line_of` is the line by the whole body, where one path carries what is quick and what may
    take long; until the body is there, `line` counts. `busy` is the body of a 429 with this message, where a protocol
    has errors of its own. `shape` is the body of every error that the server itself answers, from its status and
    our body, where a protocol has other bodies. `of_strangers` is the limit for those who need not be known, if it is
    another one."""

    most: int
    refusal: Refused
    line: Line = Line.ANSWERS
    line_of: Callable[[bytes], Line] | None = None
    busy: Callable[[str], bytes] | None = None
    shape: Callable[[int, ErrorBody], bytes] | None = None
    of_strangers: BodyLimit | None = None

    def of(self, holder: str | None) -> BodyLimit:
        """The limit for whom the body is counted for (first_look.py); None for a stranger."""
        return self.of_strangers if holder is None and self.of_strangers is not None else self
