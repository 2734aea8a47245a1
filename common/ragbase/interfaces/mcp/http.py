"""One HTTP request of the protocol, answered without a session.

The SDK's transport is an ASGI application. Each request gets an event loop of its own in the thread that answers it, so
nothing is left between two requests, and any process of a deployment can answer any of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import anyio
from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import Message, Scope


@dataclass(slots=True)
class HttpAnswer:
    status: int = 500
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""


def answer_http(server: MCPServer, path: str, headers: Iterable[tuple[str, str]], body: bytes) -> HttpAnswer:
    """The answer to a POST with this body. The caller has checked `Origin`, `Host` and the sender's rights."""
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
    messages: Iterator[Message] = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive() -> Message:
        for message in messages:
            return message
        await anyio.sleep_forever()  # the client is there until it has the answer
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            answer.status = message["status"]
            answer.headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in message["headers"]]
        else:
            answer.body += message.get("body", b"")

    async def run() -> None:
        async with server.session_manager.run():
            await app(scope, receive, send)

    anyio.run(run)
    return answer
