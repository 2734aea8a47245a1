"""Errors on the routes of another service's protocol have the shape that its clients read."""

from __future__ import annotations

from http import HTTPStatus

from flask import Flask, Response, request

from ragbase.interfaces.api.operation import Protocol
from ragbase.messages.api.error import ErrorBody
from ragbase.messages.api.retrieval import DifyErrorBody
from ragbase.messages.api.vector_stores import OpenAiError, OpenAiErrorBody

_NO_BEARER, _NOT_AUTHORIZED, _NO_KNOWLEDGE = 1001, 1002, 2001
"""Dify's suggested codes (https://docs.dify.ai/en/use-dify/knowledge/external-knowledge-api#error-handling)."""
_UNANSWERED = (
    "ragbase does not answer {method} {path}. It answers searches, and lists and deletes files. A store is a tenant: "
    "it begins with its first document. Upload files with POST /api/documents."
)
_NO_ROUTE = frozenset({"NOT_FOUND", "METHOD_NOT_ALLOWED"})


def shape_errors(app: Flask) -> None:
    """Call it before whatever may still change an answer into an error."""

    @app.after_request
    def shape(response: Response) -> Response:
        protocol = Protocol.of(request.path)
        if protocol is Protocol.OWN or response.status_code < HTTPStatus.BAD_REQUEST:
            return response
        said = ErrorBody.model_validate_json(response.get_data())
        if protocol is Protocol.OPENAI and request.routing_exception is not None and said.error in _NO_ROUTE:
            said = ErrorBody(error=said.error, message=_UNANSWERED.format(method=request.method, path=request.path))
        shown = request.headers.get("Authorization", "")
        response.set_data(error_body(protocol, response.status_code, said, shown))
        if protocol is Protocol.DIFY and shown and response.status_code == HTTPStatus.UNAUTHORIZED:
            # Dify always shows a key. It asks once when somebody saves an endpoint, and takes every key that does not
            # get this status (check_endpoint_and_api_key in its source).
            response.status_code = HTTPStatus.FORBIDDEN
            del response.headers["WWW-Authenticate"]
        return response


def error_body(protocol: Protocol, status: int, said: ErrorBody, authorization: str = "") -> bytes:
    """Our error in the words of a protocol."""
    match protocol:
        case Protocol.OPENAI:
            return _of_openai(status, said).to_json()
        case Protocol.DIFY:
            return DifyErrorBody(
                error_code=_code_of_dify(status, said, authorization), error_msg=said.message
            ).to_json()
        case Protocol.OWN:
            return said.to_json()


def _of_openai(status: int, said: ErrorBody) -> OpenAiErrorBody:
    # https://platform.openai.com/docs/guides/error-codes
    code = "invalid_api_key" if status == HTTPStatus.UNAUTHORIZED else said.error.lower()
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return OpenAiErrorBody(error=OpenAiError(message=said.message, type="rate_limit_error", code=code))
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return OpenAiErrorBody(error=OpenAiError(message=said.message, type="server_error", code=code))
    return OpenAiErrorBody(error=OpenAiError(message=said.message, type="invalid_request_error", code=code))


def _code_of_dify(status: int, said: ErrorBody, authorization: str) -> int:
    if status == HTTPStatus.UNAUTHORIZED:
        scheme, _, token = authorization.partition(" ")
        return _NOT_AUTHORIZED if scheme.lower() == "bearer" and token.strip() else _NO_BEARER
    if status == HTTPStatus.FORBIDDEN:
        return _NOT_AUTHORIZED
    return _NO_KNOWLEDGE if said.error == "NOT_FOUND" else status
