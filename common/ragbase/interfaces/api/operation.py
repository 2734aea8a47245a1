"""An operation of the HTTP API as a value: what it takes and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from ragbase.access.caller import Scope
from ragbase.messages.json_model import JsonModel

JSON, FORM, TEXT, ANY = "application/json", "multipart/form-data", "text/plain", "*/*"
EVENTS = "text/event-stream"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """`links` are the ids of operations that take the answer's `id`. `other_type` is what a client can ask for in place
    of JSON."""

    meaning: str
    body: type[JsonModel] | None = None
    media_type: str = JSON
    other_type: str = ""
    links: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """`scope` is what the caller's key or session must be allowed; None for what anybody may call. `refusals` are the
    errors that only this operation has."""

    id: str
    method: str
    path: str
    summary: str
    answers: Mapping[int, Answer]
    scope: Scope | None = None
    parameters: type[JsonModel] | None = None
    body: type[JsonModel] | None = None
    body_type: str = JSON
    example: Mapping[str, object] = field(default_factory=dict)
    refusals: Mapping[int, str] = field(default_factory=dict)

    @property
    def takes_id(self) -> bool:
        return "{id}" in self.path

    @property
    def errors(self) -> Mapping[int, str]:
        """Every error that it can answer, and when."""
        errors = {
            HTTPStatus.BAD_REQUEST: "INVALID_REQUEST: a field or parameter is missing or wrong. The message names it.",
            HTTPStatus.TOO_MANY_REQUESTS: "TOO_MANY_REQUESTS: try again after the seconds in `Retry-After`.",
            HTTPStatus.SERVICE_UNAVAILABLE: "UNAVAILABLE: something that the server needs does not answer. Try again.",
        }
        if self.scope is not None:
            errors[HTTPStatus.UNAUTHORIZED] = "UNAUTHORIZED: there is no valid token in `Authorization`."
            errors[HTTPStatus.FORBIDDEN] = "FORBIDDEN: the key may not do this."
        if self.takes_id:
            errors[HTTPStatus.NOT_FOUND] = "NOT_FOUND: there is no document with this id."
        if self.body is not None:
            errors[HTTPStatus.REQUEST_ENTITY_TOO_LARGE] = "REQUEST_ENTITY_TOO_LARGE: the body is too long."
            errors[HTTPStatus.UNSUPPORTED_MEDIA_TYPE] = "UNSUPPORTED_MEDIA_TYPE: the body is of another type."
        return {int(status): self.refusals.get(status, meaning) for status, meaning in errors.items()} | {
            status: meaning for status, meaning in self.refusals.items() if status not in errors
        }
