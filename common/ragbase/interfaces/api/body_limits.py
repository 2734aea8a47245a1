"""How long the body of a request may be. The server knows it before it reads the body, and before Flask finds the
route."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from ragbase.interfaces.api.operation import SMALL, Operation, Protocol, too_large
from ragbase.interfaces.api.operations import OPERATIONS
from ragbase.interfaces.http.body_limit import BodyLimit, Line
from ragbase.interfaces.http.errors import Refused
from ragbase.messages.api.error import ErrorBody

MAX_FORM_PARTS = 20
MAX_FORM_FIELD = 500_000
"""Bytes. The longest field that means something is a path."""

FORM_TOO_LARGE = Refused(
    413,
    "REQUEST_ENTITY_TOO_LARGE",
    f"The form has more than {MAX_FORM_PARTS} fields, or one of more than {MAX_FORM_FIELD:,} bytes that is no file. "
    "Leave out the fields that an upload does not have.",
)


def _line_of_message(body: bytes) -> Line:
    """A call of a tool that may wait for a model waits where POST /api/answer does."""
    from ragbase.interfaces.mcp.message import NotAMessage, read_message

    try:
        return Line.WRITERS if read_message(body).is_slow else Line.ANSWERS
    except NotAMessage:
        return Line.ANSWERS


def _line_of_query(body: bytes) -> Line:
    """A model may complete a question from its history."""
    return Line.WRITERS if b'"history"' in body else Line.ANSWERS


def _busy_error(message: str) -> bytes:
    from ragbase.interfaces.mcp.message import BUSY, error_message

    return error_message(BUSY, message)


def _foreign_error(protocol: Protocol, status: int, said: ErrorBody) -> bytes:
    from ragbase.interfaces.api.foreign_errors import error_body

    return error_body(protocol, status, said)


def _of(operation: Operation) -> BodyLimit:
    limit = operation.body_limit
    if operation.protocol is not Protocol.OWN:
        return replace(limit, shape=partial(_foreign_error, operation.protocol))
    if operation.id == "mcp":
        return replace(limit, line_of=_line_of_message, busy=_busy_error)
    if operation.id == "query" and limit.of_strangers is not None:
        of_strangers = replace(limit.of_strangers, line_of=_line_of_query)
        return replace(limit, line_of=_line_of_query, of_strangers=of_strangers)
    return limit


def _pattern(path: str) -> str:
    """A part of an address has no slash; a `path` may have some."""
    return re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path).replace(r"\{path\}", ".+"))


_OTHER = BodyLimit(SMALL, too_large(SMALL))
_OF_PATHS = {(one.method, one.path): _of(one) for one in OPERATIONS if "{" not in one.path}
_OF_PATTERNS = [(one.method, re.compile(_pattern(one.path)), _of(one)) for one in OPERATIONS if "{" in one.path]


def body_limit(method: str, path: str) -> BodyLimit:
    """That of the operation, or for a request that is none, that of a small one."""
    method = "GET" if method == "HEAD" else method
    limit = _OF_PATHS.get((method, path))
    if limit is not None:
        return limit
    matching = (limit for of, pattern, limit in _OF_PATTERNS if of == method and pattern.fullmatch(path))
    return next(matching, _OTHER)
