"""A request that is refused, and the answer to it."""

from __future__ import annotations

from collections.abc import Mapping

from flask import Response

from ragbase.interfaces.http.errors import error_response


class Refused(Exception):
    """`message` names the input, the rule and the remedy."""

    def __init__(self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.headers = headers or {}

    def answer(self) -> Response:
        response = error_response(self.status, self.code, self.message)
        response.headers.update(self.headers)
        return response
