"""A message of JSON-RPC 2.0 (https://www.jsonrpc.org/specification), looked at before the SDK sees it.

The server chooses a request's line by it (Line), so the application must understand the very same of it: both read it
here, and the SDK gets what was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json, to_json

PARSE_ERROR, INVALID_REQUEST = -32700, -32600
"""JSON-RPC 2.0, section 5.1."""

BUSY = -32000
"""The first of the codes that JSON-RPC leaves to a server."""

SLOW_TOOLS = frozenset({"answer"})
"""Tools whose calls may each wait for a hosted model for 40 s."""


def is_slow_call(name: object, arguments: object) -> bool:
    """Whether a call of a tool may wait for a model: it writes an answer, or completes a question from its history."""
    has_history = isinstance(arguments, dict) and bool(arguments.get("history"))
    return has_history or (isinstance(name, str) and name in SLOW_TOOLS)


class NotAMessage(Exception):
    """`answer` is the error to send back."""

    def __init__(self, code: int, message: str, id: str | int | None = None) -> None:
        super().__init__(message)
        self.answer = error_message(code, message, id)


@dataclass(frozen=True, slots=True)
class Message:
    content: Mapping[str, Any]

    @property
    def is_slow(self) -> bool:
        """Whether it calls a tool that may wait for a model."""
        if self.content.get("method") != "tools/call":
            return False
        params = self.content.get("params")
        return isinstance(params, dict) and is_slow_call(params.get("name"), params.get("arguments"))

    def to_json(self) -> bytes:
        return to_json(self.content)


def read_message(data: bytes) -> Message:
    """One request, notification or answer of a client. Raises NotAMessage."""
    try:
        content = from_json(data, allow_inf_nan=False)
    except ValueError as error:
        raise NotAMessage(PARSE_ERROR, f"This is no JSON: {error}. Send one message of JSON-RPC 2.0.") from None
    if isinstance(content, list):
        raise NotAMessage(INVALID_REQUEST, "This is a list, and the protocol has no batches. Send each message alone.")
    if not isinstance(content, dict):
        raise NotAMessage(INVALID_REQUEST, "This is no object. Send one message of JSON-RPC 2.0.")
    if isinstance(content.get("id"), float) and content["id"].is_integer():
        content["id"] = int(content["id"])  # JSON does not tell 5 and 5.0 apart
    problem = _problem(content)
    if problem is not None:
        id = content.get("id")
        raise NotAMessage(INVALID_REQUEST, problem, id if _is_id(id) else None)
    return Message(content)


def error_message(code: int, message: str, id: str | int | None = None) -> bytes:
    return to_json({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})


def _problem(content: Mapping[str, Any]) -> str | None:
    """Why it is no message of JSON-RPC 2.0, as the Model Context Protocol has them; None if it is one."""
    if content.get("jsonrpc") != "2.0":
        return 'It has no "jsonrpc": "2.0". Send one message of JSON-RPC 2.0.'
    if "method" not in content:
        is_answer = "id" in content and ("result" in content or "error" in content)
        return None if is_answer else "It has no `method`. Name one, such as tools/call."
    if "id" in content and not _is_id(content["id"]):
        return "The `id` is neither a text nor a whole number. Send one of these, or leave it out for a notification."
    if not isinstance(content["method"], str):
        return "The `method` is no text. Name one, such as tools/call."
    if content.get("params") is not None and not isinstance(content["params"], dict):
        return "The `params` are no object. Send an object with what the method takes."
    return None


def _is_id(id: object) -> bool:
    return isinstance(id, str | int) and not isinstance(id, bool)
