"""Requests and answers over HTTP: connections that are used again, attempts, deadlines.

| what happened                  | a request that may be repeated | another request |
|--------------------------------|--------------------------------|-----------------|
| no connection (nothing sent)   | again                          | again           |
| 429 (nothing was done)         | again                          | again           |
| the connection broke, silence  | again                          | the error       |
| 502, 503, 504                  | again                          | the error       |
| any other answer               | the answer                     | the answer      |

The waits are 0.5 s, 1 s, 2 s, … up to 8 s, each shortened by chance to between a half and the whole, so that many
clients do not come back at once. A Retry-After of the server replaces the wait, unless it is over already. No attempt
begins after the deadline.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from ragbase.client.endpoint import is_loopback
from ragbase.client.errors import ApiError, ClientError, NoAnswer
from ragbase.messages.api.error import ErrorBody

if TYPE_CHECKING:
    import httpx2

_TOO_MANY_REQUESTS = 429
_PASSING = frozenset({_TOO_MANY_REQUESTS, 502, 503, 504})
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 8.0
_CONNECTIONS = 20
_SHOWN = 200
"""Characters of an answer that is not of ragbase."""
_SECONDS = 10
"""Digits of a Retry-After: a longer number is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiRequest:
    """A request. `path` is below the endpoint. If a whole `url` is given instead, it carries its own right and gets no
    key, unless it `is_own`: an address of the endpoint's host.

    `body` gives the arguments for the body again for each attempt. `seconds` more than usual may pass until the answer
    begins. `repeatable` says that doing it twice is the same as doing it once. Without `waits`, there is one attempt:
    its sender has something else to do meanwhile.
    """

    method: str
    path: str = ""
    url: str | None = field(default=None, repr=False)
    is_own: bool = False
    parameters: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: Callable[[], Mapping[str, Any]] = dict
    seconds: float = 0.0
    repeatable: bool = True
    waits: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A whole answer, and whether an attempt before it may have been done, too."""

    status: int
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    repeated: bool


class Exchange:
    """Any thread may use it."""

    def __init__(
        self,
        endpoint: str,
        key: str | None,
        *,
        timeout: float,
        deadline: float,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`timeout` is the longest silence of the server, `deadline` the time for a request with all its attempts; both
        in seconds."""
        import httpx2

        self.endpoint = endpoint
        self._key = key
        self._timeout = timeout
        self._deadline = deadline
        self._sleep = sleep
        self._now = now
        self._client = httpx2.Client(
            headers={"User-Agent": "ragbase"},
            limits=httpx2.Limits(max_connections=_CONNECTIONS, max_keepalive_connections=_CONNECTIONS),
            # A proxy of the environment is not asked for this machine: it would get the key without encryption.
            trust_env=not is_loopback(urlsplit(endpoint).hostname or ""),
        )

    def close(self) -> None:
        self._client.close()

    def rest(self, seconds: float) -> None:
        """Wait between two requests."""
        self._sleep(seconds)

    def use_key(self, key: str | None) -> None:
        self._key = key

    def ask(self, request: ApiRequest) -> Reply:
        """The answer, whatever its status is, but for those that may pass. Raises ApiError for one of those after the
        last attempt, and NoAnswer."""
        end = self._now() + self._deadline + request.seconds

        def attempt(*, repeated: bool) -> Reply:
            with self._opened(request, end) as response:
                return _reply(response, b"".join(self._pieces(response, end)), repeated=repeated)

        return self._answered(request, end, attempt)

    @contextmanager
    def stream(self, request: ApiRequest) -> Iterator[tuple[Reply, Iterator[bytes]]]:
        """The answer, and the pieces of its body as they come; the body of an error is in the answer. No other attempt
        is made after the answer has begun: then `pieces` raises NoAnswer. Otherwise as `ask`."""
        end = self._now() + self._deadline + request.seconds
        pieces: Iterator[bytes] = iter(())
        try:
            with ExitStack() as opened:

                def attempt(*, repeated: bool) -> Reply:
                    nonlocal pieces
                    opened.close()  # the attempt before
                    response = opened.enter_context(self._opened(request, end))
                    body = self._pieces(response, end)
                    if not response.is_success:
                        return _reply(response, b"".join(body), repeated=repeated)
                    pieces = body
                    return _reply(response, b"", repeated=repeated)

                yield self._answered(request, end, attempt), pieces
        except _Failed as failed:
            raise failed.error from failed

    def _answered(self, request: ApiRequest, end: float, attempt: Callable[..., Reply]) -> Reply:
        """The answer of the first attempt that has one, or the last error."""
        waits = 0
        repeated = False
        while True:
            error: ClientError
            try:
                reply = attempt(repeated=repeated)
            except _Failed as failed:
                error, was_sent, asked_wait = failed.error, failed.was_sent, None
            else:
                if reply.status not in _PASSING:
                    return reply
                error = error_of(reply)
                was_sent, asked_wait = reply.status != _TOO_MANY_REQUESTS, _retry_after(reply.headers)
            wait = asked_wait or _backoff(waits)
            if not request.waits or (was_sent and not request.repeatable) or self._now() + wait >= end:
                raise error
            repeated = repeated or was_sent
            waits += 1
            self._sleep(wait)

    @contextmanager
    def _opened(self, request: ApiRequest, end: float) -> Iterator[httpx2.Response]:
        """The answer to one attempt, before its body. Raises _Failed, also while the body is read."""
        import httpx2

        left = max(end - self._now(), 0.001)
        headers = dict(request.headers)
        if (request.url is None or request.is_own) and self._key is not None:
            headers["Authorization"] = f"Bearer {self._key}"
        try:
            with self._client.stream(
                request.method,
                request.url if request.url is not None else f"{self.endpoint}{request.path}",
                params=dict(request.parameters) or None,
                headers=headers,
                timeout=min(self._timeout + request.seconds, left),
                **request.body(),
            ) as response:
                yield response
        except httpx2.RequestError as error:
            was_sent = not isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout)
            raise _Failed(NoAnswer(f"{self.endpoint} gave no answer: {_reason(error)}."), was_sent=was_sent) from error

    def _pieces(self, response: httpx2.Response, end: float) -> Iterator[bytes]:
        for piece in response.iter_bytes():
            yield piece
            if self._now() > end:
                raise _Failed(NoAnswer(f"{self.endpoint} did not finish its answer in time."), was_sent=True)


def _reply(response: httpx2.Response, body: bytes, *, repeated: bool) -> Reply:
    return Reply(
        status=response.status_code,
        headers={name.lower(): value for name, value in response.headers.items()},
        body=body,
        repeated=repeated,
    )


class _Failed(Exception):
    """An attempt without an answer. `was_sent` says that the server may have got the request."""

    def __init__(self, error: NoAnswer, *, was_sent: bool) -> None:
        super().__init__(str(error))
        self.error = error
        self.was_sent = was_sent


def error_of(reply: Reply) -> ApiError:
    """The error that the server describes; its own words may be of anything between here and there."""
    request_id = request_id_of(reply)
    try:
        said = ErrorBody.model_validate_json(reply.body)
    except ValidationError:
        text = " ".join(reply.body[: 4 * _SHOWN].decode("utf-8", "replace").split())[:_SHOWN]
        return ApiError(reply.status, "", f"The server answered {reply.status}: {text or 'without a text'}", request_id)
    return ApiError(reply.status, said.error, said.message, request_id)


def request_id_of(reply: Reply) -> str | None:
    """The name of the request in the server's log."""
    return reply.headers.get("x-request-id")


def _reason(error: httpx2.RequestError) -> str:
    name = type(error).__name__
    return f"{name}: {error}" if str(error) else name


def _backoff(waits: int) -> float:
    longest = min(math.ldexp(_FIRST_WAIT, waits), _LONGEST_WAIT)
    return longest * random.uniform(0.5, 1)  # noqa: S311 - nothing secret


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds, 0 for a moment that is over; the header has a number or a date (RFC 9110, section 10.2.3)."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdecimal() and len(text) <= _SECONDS:
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):  # the latter for a time zone that is too far away
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max((moment - datetime.now(UTC)) / timedelta(seconds=1), 0.0)
