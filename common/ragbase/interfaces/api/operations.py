"""Every operation of the HTTP API: what it takes and what it answers. /openapi.json and /docs show this table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from ragbase.access.caller import Scope
from ragbase.interfaces.wire.answer import AnswerResponse
from ragbase.interfaces.wire.callback import ProcessingCallback
from ragbase.interfaces.wire.chunks import ChunkPage, ChunksRequest
from ragbase.interfaces.wire.documents import (
    DocumentStatusResponse,
    ListRequest,
    ListResponse,
    UploadForm,
    UploadResponse,
    UploadUrlRequest,
    UploadUrlResponse,
    WaitRequest,
)
from ragbase.interfaces.wire.explanation import ExplainedDocument, ExplainRequest
from ragbase.interfaces.wire.health import Health
from ragbase.interfaces.wire.query import QueryRequest, QueryResponse
from ragbase.interfaces.wire.sign_in import LoginRequest, LoginResponse
from ragbase.messages.json_model import JsonModel

JSON, FORM, TEXT, ANY = "application/json", "multipart/form-data", "text/plain", "*/*"
EVENTS = "text/event-stream"

_QUESTION_REFUSALS = (
    "INVALID_REQUEST; TENANT_NEEDED: there are too many tenants to search all; or QUESTION_REFUSED: the service of a "
    "model does not take this question."
)


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


_OF_DOCUMENT = ("getDocument", "listChunks", "getText", "getContent", "retryDocument", "deleteDocument")
_UPLOAD_ERRORS = {
    400: "INVALID_REQUEST, INVALID_PATH, INVALID_FORMAT (no format that is read here) or FILE_TOO_LARGE.",
    409: "ALREADY_EXISTS: there is a document of this path with another content. Send replace=true to replace it.",
}

OPERATIONS = (
    Operation(
        id="uploadDocument",
        method="POST",
        path="/api/documents",
        summary="Upload a file. It is searchable when the document is COMPLETED.",
        scope=Scope.WRITE,
        body=UploadForm,
        body_type=FORM,
        example={
            "file": "# Backups\n\nThe nightly backup starts at 02:30 and is kept for ninety days.\n",
            "path": "guides/backup.md",
            "replace": "true",
        },
        answers={
            202: Answer(meaning="The file is taken, and waits for a lane.", body=UploadResponse, links=_OF_DOCUMENT),
            200: Answer(meaning="There is this document already.", body=UploadResponse, links=_OF_DOCUMENT),
        },
        refusals=_UPLOAD_ERRORS,
    ),
    Operation(
        id="listDocuments",
        method="GET",
        path="/api/documents",
        summary="List the documents, newest first.",
        scope=Scope.READ,
        parameters=ListRequest,
        answers={200: Answer(meaning="A page of the documents.", body=ListResponse)},
    ),
    Operation(
        id="getDocument",
        method="GET",
        path="/api/documents/{id}",
        summary="Show the state of a document, or wait until it is COMPLETED or FAILED.",
        scope=Scope.READ,
        parameters=WaitRequest,
        answers={200: Answer(meaning="Its state.", body=DocumentStatusResponse)},
    ),
    Operation(
        id="deleteDocument",
        method="DELETE",
        path="/api/documents/{id}",
        summary="Delete a document. No search shows it any more.",
        scope=Scope.WRITE,
        answers={204: Answer(meaning="It is deleted.")},
    ),
    Operation(
        id="retryDocument",
        method="POST",
        path="/api/documents/{id}/retry",
        summary="Process a FAILED document again. Any other stays as it is.",
        scope=Scope.WRITE,
        answers={202: Answer(meaning="Its state.", body=DocumentStatusResponse)},
    ),
    Operation(
        id="listChunks",
        method="GET",
        path="/api/documents/{id}/chunks",
        summary="List what search shows of a document, in its order.",
        scope=Scope.READ,
        parameters=ChunksRequest,
        answers={200: Answer(meaning="A page of its chunks.", body=ChunkPage)},
        refusals={409: "TEXT_GONE: search shows nothing of it, or it has just changed."},
    ),
    Operation(
        id="getText",
        method="GET",
        path="/api/documents/{id}/text",
        summary="Get the extracted text, in whose characters citations count.",
        scope=Scope.READ,
        answers={200: Answer(meaning="The text.", media_type=TEXT)},
        refusals={409: "TEXT_GONE: search shows nothing of it, or it has just changed."},
    ),
    Operation(
        id="getContent",
        method="GET",
        path="/api/documents/{id}/content",
        summary="Get the file as it was uploaded.",
        scope=Scope.READ,
        answers={
            200: Answer(meaning="The file.", media_type=ANY),
            302: Answer(meaning="`Location` is an address of the bucket that has the file for some minutes."),
        },
        refusals={409: "CONTENT_GONE: it was just replaced or deleted."},
    ),
    Operation(
        id="beginUpload",
        method="POST",
        path="/api/uploads",
        summary="Get an address to send a file to, in a request of its own: for files too large for a form.",
        scope=Scope.WRITE,
        body=UploadUrlRequest,
        example={"path": "reports/2026.pdf", "size": 41943040, "contentType": "application/pdf", "replace": True},
        answers={201: Answer(meaning="Where and how to send it.", body=UploadUrlResponse)},
        refusals={**_UPLOAD_ERRORS, 400: "INVALID_REQUEST, INVALID_PATH or FILE_TOO_LARGE."},
    ),
    Operation(
        id="query",
        method="POST",
        path="/api/query",
        summary="Find the passages that answer a question.",
        scope=Scope.READ,
        body=QueryRequest,
        example={"query": "When does the nightly backup start?", "topK": 3, "filter": {"pathPrefix": "guides/"}},
        answers={200: Answer(meaning="The passages, best first.", body=QueryResponse)},
        refusals={400: _QUESTION_REFUSALS},
    ),
    Operation(
        id="answer",
        method="POST",
        path="/api/answer",
        summary="Answer a question in sentences, each with verified citations.",
        scope=Scope.READ,
        body=QueryRequest,
        example={"query": "When does the nightly backup start?", "filter": {"pathPrefix": "guides/"}},
        answers={
            200: Answer(
                meaning="The answer. With `Accept: text/event-stream` it comes as events: `evidence`, a `sentence` for "
                "each, and `done`, or `error`.",
                body=AnswerResponse,
                other_type=EVENTS,
            )
        },
        refusals={400: _QUESTION_REFUSALS},
    ),
    Operation(
        id="explain",
        method="POST",
        path="/api/explain",
        summary="Say at which stage a question loses a document, or where it finds it.",
        scope=Scope.READ,
        body=ExplainRequest,
        example={"query": "When does the nightly backup start?", "document": "guides/backup.md"},
        answers={200: Answer(meaning="The stage, with the figures of each stage.", body=ExplainedDocument)},
        refusals={400: f"INVALID_PATH: no document can have this name; {_QUESTION_REFUSALS}"},
    ),
    Operation(
        id="login",
        method="POST",
        path="/api/auth/login",
        summary="Sign in with the password.",
        body=LoginRequest,
        answers={200: Answer(meaning="A token for the header `Authorization`.", body=LoginResponse)},
        refusals={401: "UNAUTHORIZED: the password is wrong, or none is set."},
    ),
    Operation(
        id="logout",
        method="POST",
        path="/api/auth/logout",
        summary="End the token of this request.",
        scope=Scope.WRITE,
        answers={204: Answer(meaning="It is ended.")},
        refusals={409: "NO_SESSION: the request has no token of a login."},
    ),
    Operation(
        id="callback",
        method="POST",
        path="/internal/callback",
        summary="Give the text of a document that an extractor elsewhere has read, or say why it could not.",
        scope=Scope.WRITE,
        body=ProcessingCallback,
        answers={
            200: Answer(meaning="The document has this text or failure already.", body=DocumentStatusResponse),
            202: Answer(
                meaning="The text will be processed, or the document is FAILED now.", body=DocumentStatusResponse
            ),
        },
        refusals={
            404: "NOT_FOUND: there is no document with this id.",
            409: "CONTENT_CHANGED: the file is another one by now. ALREADY_READ: a failure comes after a text.",
        },
    ),
    Operation(
        id="isAlive",
        method="GET",
        path="/healthz",
        summary="Whether the server runs.",
        answers={200: Answer(meaning="It does.", body=Health)},
    ),
    Operation(
        id="isAliveOnCloudRun",
        method="GET",
        path="/health",
        summary="The same as /healthz, where Google keeps that path for itself.",
        answers={200: Answer(meaning="It does.", body=Health)},
    ),
    Operation(
        id="isReadyOnCloudRun",
        method="GET",
        path="/ready",
        summary="The same as /readyz, where Google keeps that path for itself.",
        answers={200: Answer(meaning="It can.", body=Health)},
    ),
    Operation(
        id="isReady",
        method="GET",
        path="/readyz",
        summary="Whether the server can answer: its stores do.",
        answers={200: Answer(meaning="It can.", body=Health)},
    ),
)
