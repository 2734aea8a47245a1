"""What can go wrong between a client and a server."""

from __future__ import annotations

from ragbase.domain.errors import RagbaseError


class ClientError(RagbaseError):
    """The base of the errors of `ragbase.Client`. No text of them has the key or a signed address in it."""


class ApiError(ClientError):
    """The server answered with an error: `status` of HTTP, `code` (the table in docs/http-api.md; empty if the answer
    is not of ragbase) and `message`. `request_id` names the request in the server's log, if the answer has it."""

    def __init__(self, status: int, code: str, message: str, request_id: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.request_id = request_id

    def __reduce__(self) -> tuple[type[ApiError], tuple[int, str, str, str | None]]:
        return (type(self), (self.status, self.code, self.message, self.request_id))


class NoAnswer(ClientError):
    """There was no connection, it broke, or the answer did not come in time."""


class UnreadableAnswer(ClientError):
    """The answer is not what this version of ragbase expects: it may be of another server."""
