"""What every chat model behind HTTP does with the events of an answer."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ragbase.adapters.backoff import RateLimited, Sleep, Unreachable
from ragbase.adapters.chat.event_stream import DONE
from ragbase.adapters.chat.service import ChatRequest, ChatService, ServiceSettings
from ragbase.adapters.chat.written import WrittenSoFar, whole_characters
from ragbase.adapters.refusal import CallRefused, of_question
from ragbase.domain.errors import PermanentError, Unavailable

if TYPE_CHECKING:
    from ragbase.ports import Billed, CutOff

Form = TypeVar("Form")
"""Which fields a request has."""


class StreamedChatModel(ABC, Generic[Form]):
    """Implements the ChatModel port. A request that is refused for a field is sent once more in an easier form, and so
    is every later one. A call that fails before the answer begins is tried again as adapters/backoff.py says. May be
    used by several threads at once."""

    def __init__(
        self,
        name: str,
        model: str,
        settings: ServiceSettings,
        form: Form,
        *,
        timeout: float,
        sleep: Sleep = time.sleep,
    ) -> None:
        """`name` is that of the service, for messages."""
        self._service = ChatService(name, settings, timeout=timeout, sleep=sleep)
        self._name = model
        self._form = form

    @property
    def model(self) -> str:
        return self._name

    def write(self, instructions: str, message: str, *, most_tokens: int) -> Iterator[str | CutOff | Billed]:
        instructions, message = whole_characters(instructions), whole_characters(message)
        written = WrittenSoFar(self._service.name, most_tokens, f"{instructions}\n{message}")
        with closing(self._begun(instructions, message, most_tokens)) as events:
            for event in events:
                if event == DONE:
                    written.is_whole = True
                    break
                if not isinstance(event, dict):
                    raise Unavailable(f"{self._service.name}'s answer cannot be read: it is not of its API.")
                yield from self._pieces(event, written)
                if written.is_full:
                    break
        yield from written.end()

    def close(self) -> None:
        """Close the connections. No thread may still be using the model. May be called twice."""
        self._service.close()

    def _begun(self, instructions: str, message: str, most_tokens: int) -> Generator[Any]:
        """The events of the answer to a request in a form that the service takes."""
        while True:
            form = self._form
            try:
                return self._first(form, instructions, message, most_tokens)
            except (RateLimited, Unreachable):
                raise
            except (CallRefused, Unavailable) as error:
                easier = self._easier(form, str(error))
                if easier is None:
                    raise (of_question(error) if isinstance(error, PermanentError) else error) from error
                self._form = easier

    def _first(self, form: Form, instructions: str, message: str, most_tokens: int) -> Generator[Any]:
        """Raises what is wrong with the request."""
        events = self._service.events(lambda: self._asked(form, instructions, message, most_tokens))
        first = next(events)

        def all_events() -> Generator[Any]:
            with closing(events):
                yield first
                yield from events

        return all_events()

    @abstractmethod
    def _asked(self, form: Form, instructions: str, message: str, most_tokens: int) -> ChatRequest:
        """The request."""

    @abstractmethod
    def _easier(self, form: Form, refused: str) -> Form | None:
        """A form without the field that the service names when it refuses a request; None if it is none."""

    @abstractmethod
    def _pieces(self, event: dict[str, Any], written: WrittenSoFar) -> Iterator[str]:
        """What of the text is in an event, and what it says of the answer. Raises QuestionRefused if the model
        declines, and Unavailable if the answer fails."""
