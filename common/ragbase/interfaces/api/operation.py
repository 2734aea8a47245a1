"""An operation of the HTTP API as a value: its route, who may call it, what it takes and what it answers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from http import HTTPStatus
from typing import TYPE_CHECKING

from ragbase.access.caller import Scope
from ragbase.domain.audit import Action
from ragbase.domain.limits import MAX_FILE_SIZE
from ragbase.interfaces.http.body_limit import BodyLimit, Line
from ragbase.interfaces.http.errors import Refused

if TYPE_CHECKING:
    from ragbase.messages.json_model import JsonModel

JSON, FORM, TEXT, ANY = "application/json", "multipart/form-data", "text/plain", "*/*"
IMAGE = "image/png"
EVENTS = "text/event-stream"

SMALL = 64 * 1024
"""Bytes. The longest query takes 12 KB: 1,000 characters, each escaped as two UTF-16 units."""

WITH_HISTORY = 640 * 1024
"""Bytes. The longest history takes 560 KB: 40,000 characters, escaped like those of a query, and the ids of 2,000
documents. A stranger may send a history, too, in a body that is SMALL."""


class Protocol(Enum):
    """Whose errors a route answers. The value is the model of their JSON."""

    OWN = "ErrorBody"
    OPENAI = "OpenAiErrorBody"
    DIFY = "DifyErrorBody"

    @classmethod
    def of(cls, path: str) -> Protocol:
        """That of a path, whether it has a route or not."""
        if path.startswith("/v1/"):
            return cls.OPENAI
        return cls.DIFY if path == "/retrieval" else cls.OWN


@dataclass(frozen=True, slots=True)
class Model:
    """A model of the JSON (models.py). It is imported when somebody asks for it: a cold start answers one route, and
    the models of all take as long as everything else."""

    name: str

    def load(self) -> type[JsonModel]:
        from ragbase.interfaces.api import models

        found: type[JsonModel] = getattr(models, self.name)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """`links` are the ids of operations that take the answer's `id`. `other_type` is what a client can ask for in place
    of JSON."""

    meaning: str
    body: Model | None = None
    media_type: str = JSON
    other_type: str = ""
    links: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """`needs_caller` is False for what anybody may call, and `is_public_query` says that the setting `public_query`
    opens it to everybody. `scope` is what the caller's key or session must be allowed; None if any will do. With
    `is_of_extractor`, the scope extract will do, too. With `is_of_operator`, the caller has to be one, too
    (Caller.is_operator).

    `action` is what the audit log calls it; None for what only shows something, or has entries of its own (`mcp`).

    `most` is how many bytes a body may have (SMALL for a stranger's public query), and `line` where the request waits.
    `refusals` are the errors that only this operation has. `is_described` is False for what the description of the API
    leaves out.
    """

    id: str
    method: str
    path: str
    summary: str
    answers: Mapping[int, Answer]
    needs_caller: bool = True
    is_public_query: bool = False
    scope: Scope | None = None
    is_of_extractor: bool = False
    is_of_operator: bool = False
    action: Action | None = None
    most: int = SMALL
    line: Line = Line.ANSWERS
    parameters: Model | None = None
    body: Model | None = None
    body_type: str = JSON
    example: Mapping[str, object] = field(default_factory=dict)
    refusals: Mapping[int, str] = field(default_factory=dict)
    is_described: bool = True

    def is_allowed(self, scopes: frozenset[Scope]) -> bool:
        """Whether a caller with these scopes may do it."""
        return self.scope is None or self.scope in scopes or (self.is_of_extractor and Scope.EXTRACT in scopes)

    @property
    def rule(self) -> str:
        """The path as Flask writes it. Its `{path}` may have slashes."""
        return self.path.replace("{path}", "{path:path}").replace("{", "<").replace("}", ">")

    @property
    def body_limit(self) -> BodyLimit:
        refusal = _FILE_TOO_LARGE if self.most >= MAX_FILE_SIZE else too_large(self.most)
        small = BodyLimit(SMALL, too_large(SMALL), self.line) if self.is_public_query else None
        return BodyLimit(self.most, refusal, self.line, of_strangers=small)

    @property
    def protocol(self) -> Protocol:
        return Protocol.of(self.path)

    @property
    def error_body(self) -> Model:
        return Model(self.protocol.value)

    @property
    def takes_id(self) -> bool:
        return "{id}" in self.path

    @property
    def in_path(self) -> Sequence[str]:
        """The names of what stands in the path."""
        return re.findall(r"{(\w+)}", self.path)

    @property
    def takes_no_body(self) -> bool:
        """A PUT has the bytes of a file, which no model describes."""
        return self.body is None and self.method != "PUT"

    @property
    def errors(self) -> Mapping[int, str]:
        """Every error that it can answer, and when."""
        errors = {
            HTTPStatus.BAD_REQUEST: "INVALID_REQUEST: a field or parameter is missing or wrong. The message names it.",
            HTTPStatus.TOO_MANY_REQUESTS: "TOO_MANY_REQUESTS: try again after the seconds in `Retry-After`.",
            HTTPStatus.SERVICE_UNAVAILABLE: "UNAVAILABLE: something that the server needs does not answer. Try again.",
        }
        if self.needs_caller:
            errors[HTTPStatus.UNAUTHORIZED] = "UNAUTHORIZED: there is no valid token in `Authorization`."
            errors[HTTPStatus.FORBIDDEN] = "FORBIDDEN: the key may not do this."
            if self.is_of_operator:
                errors[HTTPStatus.FORBIDDEN] = "FORBIDDEN: the key has not all scopes, or is not for all documents."
            if self.protocol is Protocol.DIFY:
                errors[HTTPStatus.UNAUTHORIZED] = "There is no `Authorization`."
                errors[HTTPStatus.FORBIDDEN] = "There is no valid token in `Authorization`, or the key may not do this."
        if self.takes_id:
            errors[HTTPStatus.NOT_FOUND] = "NOT_FOUND: there is no document with this id."
        if self.body is not None:
            errors[HTTPStatus.REQUEST_ENTITY_TOO_LARGE] = "REQUEST_ENTITY_TOO_LARGE: the body is too long."
            errors[HTTPStatus.UNSUPPORTED_MEDIA_TYPE] = "UNSUPPORTED_MEDIA_TYPE: the body is of another type."
        return {int(status): self.refusals.get(status, meaning) for status, meaning in errors.items()} | {
            status: meaning for status, meaning in self.refusals.items() if status not in errors
        }


_FILE_TOO_LARGE = Refused(
    400,
    "FILE_TOO_LARGE",
    f"The body is over the limit of {MAX_FILE_SIZE // 1048576} MB a file. Split the file into smaller ones.",
)


def too_large(most: int) -> Refused:
    return Refused(
        413, "REQUEST_ENTITY_TOO_LARGE", f"The body is over the limit of {most:,} bytes. Send a shorter one."
    )
