"""One HTTP request of the protocol, answered without a session.

The SDK's transport is an ASGI application. Each request gets an event loop of its own in the thread that answers it, so
nothing is left between two requests, and any process of a deployment can answer any of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import anyio
from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import Message as AsgiMessage
from starlette.types import Scope

from ragbase.interfaces.mcp.message import NotAMessage, read_message


@dataclass(slots=True)
class HttpAnswer:
    status: int = 500
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""


def answer_http(server: Server[Any], path: str, headers: Iterable[tuple[str, str]], body: bytes) -> HttpAnswer:
    """The answer to a POST with this body. The caller has checked `Origin`, `Host` and the sender's rights."""
    try:
        message = read_message(body).to_json()
    except NotAMessage as error:
        return HttpAnswer(400, [("Content-Type", "application/json")], error.answer)
    app = server.streamable_http_app(
        streamable_http_path=path,
        json_response=True,
        stateless_http=True,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    scope: Scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers],
    }
    answer = HttpAnswer()
    messages: Iterator[AsgiMessage] = iter([{"type": "http.request", "body": message, "more_body": False}])

    async def receive() -> AsgiMessage:
        for part in messages:
            return part
        await anyio.sleep_forever()  # the client is there until it has the answer
        return {"type": "http.disconnect"}

    async def send(part: AsgiMessage) -> None:
        if part["type"] == "http.response.start":
            answer.status = part["status"]
            answer.headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in part["headers"]]
        else:
            answer.body += part.get("body", b"")

    async def run() -> None:
        async with server.session_manager.run():
            await app(scope, receive, send)

    anyio.run(run)
    return answer
