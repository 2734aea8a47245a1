"""Requests whose answers are values, and the addresses that a server names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, TypeVar
from urllib.parse import urlsplit, urlunsplit

from pydantic import ValidationError

from ragbase.client.endpoint import is_loopback
from ragbase.client.errors import UnreadableAnswer
from ragbase.client.exchange import ApiRequest, Exchange, Reply, error_of
from ragbase.messages.api.audit import AuditResponse
from ragbase.messages.api.chunks import ChunksResponse
from ragbase.messages.api.dead_letters import DeadLettersResponse
from ragbase.messages.api.documents import ListResponse
from ragbase.messages.api.keys import KeysResponse
from ragbase.messages.api.tenants import TenantsResponse
from ragbase.messages.json_model import JsonModel

Answer = TypeVar("Answer", bound=JsonModel)

OK = range(200, 300)
NO_PARAMETERS: Mapping[str, str] = MappingProxyType({})
_NOT_FOUND = 404
_PAGE = "100"
"""Items of one page of a list: the most that a server gives."""


Page = TypeVar("Page", AuditResponse, ChunksResponse, DeadLettersResponse, KeysResponse, ListResponse, TenantsResponse)


class TypedExchange:
    """Any thread may use it."""

    def __init__(self, exchange: Exchange, *, allow_plain_http: bool) -> None:
        self._exchange = exchange
        self._allow_plain_http = allow_plain_http

    def read(self, model: type[Answer], method: str, path: str, **request: Any) -> Answer:
        return self.value(model, self.body(method, path, **request))

    def body(self, method: str, path: str, **request: Any) -> bytes:
        return good(self._exchange.ask(ApiRequest(method=method, path=path, **request)))

    def text(self, method: str, path: str) -> str:
        """A text, with every character of it. Raises UnreadableAnswer if it is not UTF-8, as one that was cut in a
        character."""
        try:
            return self.body(method, path).decode()
        except UnicodeDecodeError:
            raise self._unreadable("the text is not UTF-8") from None

    def pages(self, model: type[Page], path: str, parameters: Mapping[str, str] = NO_PARAMETERS) -> Iterator[Page]:
        """The pages of a list, each when it is wanted."""
        cursor: str | None = None
        while True:
            asked = {"limit": _PAGE, **parameters} | ({"cursor": cursor} if cursor is not None else {})
            page = self.read(model, "GET", path, parameters=asked)
            yield page
            cursor = page.next_cursor
            if cursor is None:
                return

    def remove(self, path: str) -> None:
        """If an answer was lost, the next attempt finds that it is gone already."""
        reply = self._exchange.ask(ApiRequest(method="DELETE", path=path))
        if reply.status not in OK and not (reply.status == _NOT_FOUND and reply.repeated):
            raise error_of(reply)

    @contextmanager
    def stream(self, method: str, path: str, **request: Any) -> Iterator[tuple[Reply, Iterator[bytes]]]:
        """The answer, and the pieces of its body as they come. Raises ApiError if the answer is an error."""
        with self._exchange.stream(ApiRequest(method=method, path=path, **request)) as (reply, pieces):
            good(reply)
            yield reply, pieces

    def value(self, model: type[Answer], body: bytes) -> Answer:
        """Raises UnreadableAnswer."""
        try:
            return model.model_validate_json(body)
        except ValidationError as error:
            wrong = ", ".join(".".join(map(str, problem["loc"])) or "the whole" for problem in error.errors()[:3])
            raise self._unreadable(f"wrong: {wrong}") from None

    def _unreadable(self, why: str) -> UnreadableAnswer:
        return UnreadableAnswer(
            f"{self._exchange.endpoint} gave an answer that this version of ragbase cannot read ({why}). Check the "
            "endpoint, or install the version of the server."
        )

    def named(self, url: str) -> dict[str, Any]:
        """An address that the server names, for a ApiRequest. It is a secret, so it is not used without encryption. A
        server behind a proxy may not know that it is asked by https."""
        parts, own = urlsplit(url), urlsplit(self._exchange.endpoint)
        if parts.netloc == own.netloc:
            scheme = "https" if "https" in (parts.scheme, own.scheme) else own.scheme
            return {"url": urlunsplit(parts._replace(scheme=scheme)), "is_own": True}
        if parts.scheme == "https" or is_loopback(parts.hostname or "") or self._allow_plain_http:
            return {"url": url}
        raise UnreadableAnswer(f"{self._exchange.endpoint} names an address without https for the file.")


def good(reply: Reply) -> bytes:
    """The body. Raises ApiError if the answer is an error."""
    if reply.status not in OK:
        raise error_of(reply)
    return reply.body


def json_body(value: Mapping[str, Any]) -> Callable[[], Mapping[str, Any]]:
    return lambda: {"json": value}
