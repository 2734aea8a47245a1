"""One service with language models over HTTP, as every adapter asks it: its deadlines, its limits and its errors.

| what may go on for ever | what ends it                                                                    |
|-------------------------|---------------------------------------------------------------------------------|
| silence                 | `timeout` seconds, before the first event and between two                       |
| the whole answer        | 40 seconds, or twice `timeout` if that is more                                  |
| bytes                   | 8 MB of an answer, packed or unpacked; 64 KB of an error                        |
| words                   | what the tokens that were asked for can hold (written.py)                       |
| redirects               | none is followed: the key and the texts would go to an address that nobody set  |
| attempts                | one more, after a rate limit or no answer, and before the first event alone     |
"""

from __future__ import annotations

import zlib
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property
from http import HTTPStatus
from itertools import chain
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any

from ragbase.adapters.backoff import FOR_ANSWERS, Sleep, Unreachable, persist
from ragbase.adapters.chat.event_stream import NoEvents, json_events
from ragbase.adapters.chat.in_time import in_time, while_read
from ragbase.adapters.refusal import not_json, refusal, refusal_in_success
from ragbase.adapters.service_words import About, error_in, is_web_page
from ragbase.domain.errors import ConfigurationError, RagbaseError, Unavailable
from ragbase.extras import check_installed
from ragbase.ports import seconds_left

if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Event

    import httpx2

LONGEST_ANSWER = 40.0
"""Seconds. One wait more (FOR_ANSWERS) is within the 60 that the function `api` has (terraform/functions.tf)."""
_MOST_BYTES = 8 * 1024 * 1024
_MOST_OF_ERROR = 64 * 1024
_PIECE = 64 * 1024


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request. `sent` are its texts, and its key or token: what a service says of it is shown without them."""

    url: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    sent: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """The names of the settings that may be wrong. `remedies` say what to do where a setting is not all there is."""

    key: str
    url: str
    model: str = "RAGBASE_CHAT_MODEL"
    remedies: Mapping[About, str] | None = None


class ChatService:
    """May be used by several threads at once."""

    def __init__(self, name: str, settings: ServiceSettings, *, timeout: float, sleep: Sleep) -> None:
        """`name` is for messages. `timeout` is in seconds. `sleep` waits between attempts. Raises MissingExtra."""
        check_installed("httpx2")
        self.name = name
        self._settings = settings
        self._timeout = timeout
        self._sleep = sleep
        self._connecting = Lock()
        self._connections = ExitStack()

    def events(self, ask: Callable[[], ChatRequest]) -> Generator[Any]:
        """The events of an answer, none of which is an error. `ask` gives the request of each attempt.

        Raises Unreachable, RateLimited and Unavailable, CallRefused for a request that the service does not want, and
        ConfigurationError.
        """
        ends = monotonic() + min(max(LONGEST_ANSWER, 2 * self._timeout), seconds_left())
        patience = replace(FOR_ANSWERS, timeout=self._timeout)
        first, others = persist(lambda: self._begun(ask(), ends), patience, self._sleep)
        try:
            yield from chain((first,), others)
        finally:
            others.close()

    def close(self) -> None:
        """Close the connections. No thread may still be using the service. May be called twice."""
        self._connections.close()

    def _error(self, event: Any, sent: tuple[str, ...]) -> RagbaseError | None:
        """The error in an event; None if there is none."""
        found = error_in(event) if _has_error(event) else None
        if found is None:
            return None
        settings = self._settings
        return refusal_in_success(
            self.name, found, key=settings.key, model=settings.model, sent=sent, remedies=settings.remedies
        )

    def _begun(self, asked: ChatRequest, ends: float) -> tuple[Any, Generator[Any]]:
        """The first event of an answer, and the others."""
        events = in_time(lambda over: self._events(asked, over), self.name, quiet=self._timeout, ends=ends)
        first = next(events, None)
        if first is None:
            raise Unreachable(f"{self.name} answered nothing.")
        return first, events

    def _events(self, asked: ChatRequest, over: Event) -> Iterator[Any]:
        import httpx2

        with self._connecting:
            client = self._client
        try:
            with client.stream(
                "POST", asked.url, json=asked.body, headers=asked.headers, timeout=self._timeout
            ) as answer:
                if not answer.is_success:
                    raise self._refusal(answer, asked, over)
                yield from self._checked(json_events(while_read(_body(answer, self.name), over)), asked)
        except httpx2.TimeoutException as error:
            raise Unreachable(f"{self.name} gave no answer within {self._timeout:g} seconds.") from error
        except httpx2.ConnectError as error:
            raise Unreachable(
                f"{self.name} gave no answer: {str(error) or 'no connection'}. Check that it runs, the network and its "
                f"address ({self._settings.url})."
            ) from error
        except (httpx2.RequestError, httpx2.StreamError) as error:
            raise Unreachable(f"{self.name} gave no answer: {str(error) or 'the connection broke off'}.") from error

    def _checked(self, events: Iterator[Any], asked: ChatRequest) -> Iterator[Any]:
        try:
            for event in events:
                if (error := self._error(event, asked.sent)) is not None:
                    raise error
                yield event
        except NoEvents as error:
            not_the_api = not_json(self.name, error.said, asked.sent)
            if not is_web_page(error.said):
                raise not_the_api from error
            raise ConfigurationError(f"{not_the_api} Set {self._settings.url} to where the API begins.") from error

    def _refusal(self, answer: httpx2.Response, asked: ChatRequest, over: Event) -> RagbaseError:
        settings = self._settings
        if answer.is_redirect:
            return ConfigurationError(
                f"{self.name} answered {answer.status_code}: a redirect. It is not followed, because the key and the "
                f"texts would go to an address that nobody has set. Set {settings.url} to where the API is."
            )
        try:
            pieces = while_read(_body(answer, self.name), over)
            body = b"".join(_upto(_MOST_OF_ERROR, pieces)).decode(errors="replace")
        except Unavailable:
            body = HTTPStatus(answer.status_code).phrase if answer.status_code in [*HTTPStatus] else ""
        return refusal(
            self.name,
            answer.status_code,
            body,
            answer.headers,
            key=settings.key,
            model=settings.model,
            sent=asked.sent,
            remedies=settings.remedies,
        )

    @cached_property
    def _client(self) -> httpx2.Client:
        import httpx2

        # Whatever a service packs is unpacked here, in bounded memory.
        client = httpx2.Client(headers={"Accept-Encoding": "identity"}, follow_redirects=False)
        return self._connections.enter_context(client)


def _has_error(event: Any) -> bool:
    """In one of the forms of services: an object, a list with one (Google), or the fields alone (vLLM, FastAPI)."""
    if isinstance(event, list):
        return bool(event) and _has_error(event[0])
    return isinstance(event, dict) and bool(event.get("error") or event.get("detail") or event.get("object") == "error")


def _body(answer: httpx2.Response, service: str) -> Iterator[bytes]:
    packing = answer.headers.get("Content-Encoding", "").strip().lower() or "identity"
    pieces = _counted(answer.iter_raw(_PIECE if packing != "identity" else None), service)
    if packing == "identity":
        return pieces
    if packing not in ("gzip", "x-gzip"):
        raise Unavailable(f"{service} packs its answer as {packing[:40]!r}, which was not asked for.")
    return _counted(_unpacked(pieces, service), service)


def _unpacked(pieces: Iterable[bytes], service: str) -> Iterator[bytes]:
    from ragbase.sources.gunzip import gunzip  # hardly any service packs what it was asked not to pack

    try:
        yield from gunzip(pieces)
    except zlib.error as error:
        raise Unavailable(f"{service}'s answer is damaged: {error}.") from error


def _counted(pieces: Iterable[bytes], service: str) -> Iterator[bytes]:
    length = 0
    for piece in pieces:
        length += len(piece)
        if length > _MOST_BYTES:
            raise Unavailable(f"{service}'s answer has more than {_MOST_BYTES // 1024**2} MB. It was stopped.")
        yield piece


def _upto(most: int, pieces: Iterable[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        yield piece[:most]
        most -= len(piece)
        if most <= 0:
            return
