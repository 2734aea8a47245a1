"""Cohere's chat models without documents, through Cohere's own client."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING, Any

from ragbase.adapters.backoff import FOR_ANSWERS, Sleep, Unreachable, persist
from ragbase.adapters.chat.service import LONGEST_ANSWER
from ragbase.adapters.chat.written import WrittenSoFar, whole_characters
from ragbase.adapters.cohere.connection import CohereConnection
from ragbase.adapters.refusal import of_question
from ragbase.domain.errors import PermanentError, TransientError, Unavailable
from ragbase.ports import seconds_left

if TYPE_CHECKING:
    from cohere import V2ChatStreamResponse

    from ragbase.ports import Billed, CutOff

    Events = Generator[V2ChatStreamResponse, None, None]

MODEL_SETTING = "RAGBASE_CHAT_MODEL"
_WHOLE, _CUT_OFF = ("COMPLETE", "STOP_SEQUENCE"), "MAX_TOKENS"


class CohereChatModel:
    """Implements the ChatModel port. Errors and attempts are those of CohereGenerator. May be used by several threads
    at once."""

    def __init__(self, api_key: str, *, model: str, url: str | None = None, sleep: Sleep = time.sleep) -> None:
        """`url` is Cohere's own if None. `sleep` waits between attempts. Raises ConfigurationError, naming the
        setting, for a key or URL that cannot be one."""
        self._cohere = CohereConnection(api_key, url)
        self._name = model
        self._sleep = sleep

    @property
    def model(self) -> str:
        return self._name

    def write(self, instructions: str, message: str, *, most_tokens: int) -> Iterator[str | CutOff | Billed]:
        instructions, message = whole_characters(instructions), whole_characters(message)
        end = time.monotonic() + min(LONGEST_ANSWER, seconds_left())
        try:
            first, events = persist(lambda: self._begun(instructions, message, most_tokens), FOR_ANSWERS, self._sleep)
        except PermanentError as error:
            raise of_question(error) from error
        written = WrittenSoFar("Cohere", most_tokens, f"{instructions}\n{message}")
        with closing(events):  # also if nobody reads the rest
            for event in chain((first,), events):
                yield from _pieces(event, written)
                if written.is_full:
                    break
                if time.monotonic() > end:
                    raise Unavailable(f"Cohere's answer takes longer than {LONGEST_ANSWER:g} seconds.")
        yield from written.end()

    def close(self) -> None:
        """Close the connections. No thread may still be using the model. May be called twice."""
        self._cohere.close()

    def _begun(self, instructions: str, message: str, most_tokens: int) -> tuple[V2ChatStreamResponse, Events]:
        events = self._events(instructions, message, most_tokens)
        first = next(events, None)
        if first is None:
            raise Unreachable(f"Cohere answered nothing at {self._cohere.url}.")
        return first, events

    def _events(self, instructions: str, message: str, most_tokens: int) -> Events:
        from cohere import SystemChatMessageV2, UserChatMessageV2
        from cohere.core.request_options import RequestOptions

        with self._cohere.call(model=MODEL_SETTING, sent=(instructions, message)) as client:
            yield from client.chat_stream(
                model=self._name,
                messages=[SystemChatMessageV2(content=instructions), UserChatMessageV2(content=message)],
                max_tokens=most_tokens,
                temperature=0,
                request_options=RequestOptions(
                    timeout=min(FOR_ANSWERS.timeout, max(seconds_left(), 0.001)), max_retries=0
                ),
            )


def _pieces(event: Any, written: WrittenSoFar) -> Iterator[str]:
    """Raises TransientError for an event that is not what Cohere documents: the client does not check it."""
    from ragbase.adapters.cohere.generator import billed

    try:
        match getattr(event, "type", None):
            case "content-delta":
                yield from written.text(event.delta.message.content.text or "")
            case "tool-call-start":
                written.called_tools = True
            case "message-end":
                finish, reason = str(event.delta.finish_reason), event.delta.error or ""
                if finish not in (*_WHOLE, _CUT_OFF):
                    raise Unavailable(f"Cohere's answer failed: {', '.join(filter(None, (finish, reason)))}.")
                written.finished(finish, cut_off=finish == _CUT_OFF)
                written.billed = billed(event.delta.usage)
    except (AttributeError, TypeError, ValueError) as error:
        raise TransientError("Cohere's answer cannot be read: its form is not that of Cohere's API.") from error
