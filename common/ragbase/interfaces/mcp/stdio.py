"""The protocol over standard input and output: a message on each line
(https://modelcontextprotocol.io/specification, Transports).

The transport of the SDK (2.3) leaves a line unanswered that it cannot parse, and reads lines of any length."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager, suppress
from threading import Thread
from typing import Any, BinaryIO

import anyio
from anyio import CancelScope, to_thread
from anyio.from_thread import BlockingPortal
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server import Server
from mcp.shared.message import SessionMessage
from mcp.types import (
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from ragbase.interfaces.mcp.message import INVALID_REQUEST, NotAMessage, read_message

MOST = 1024 * 1024
"""Bytes of a line. The longest question with the longest filter takes some 50,000."""

PATIENCE = 60.0
"""Seconds that answers may take when the input has ended: a model has 40."""

_LINE_ENDS = {letter: f"\\u{letter:04x}" for letter in (0x85, 0x2028, 0x2029)}
"""Letters that JSON may have as they are, and that end a line for some clients (readline of Node.js, splitlines of
Python): https://nodejs.org/api/readline.html."""

_INPUT, _OUTPUT, _ERRORS = 0, 1, 2


def serve_stdio(server: Server[Any]) -> None:
    """Answer until the input ends. Whatever else writes meanwhile writes to standard error."""
    with ExitStack() as stack:
        nothing = os.open(os.devnull, os.O_RDONLY)
        stack.callback(os.close, nothing)
        source = stack.enter_context(_taken(_INPUT, "rb", nothing))
        sink = stack.enter_context(_taken(_OUTPUT, "wb", _ERRORS))
        anyio.run(serve, server, source, sink)


async def serve(server: Server[Any], source: BinaryIO, sink: BinaryIO) -> None:
    into, messages = anyio.create_memory_object_stream[SessionMessage | Exception]()
    answers, out = anyio.create_memory_object_stream[SessionMessage]()
    lines_into, lines = anyio.create_memory_object_stream[bytes | OSError]()
    asked = _Asked()
    async with BlockingPortal() as portal, anyio.create_task_group() as tasks:
        # No thread of the loop: the end of the process would wait for that one, which waits for input.
        Thread(target=_read_lines, args=(source, lines_into, portal), daemon=True).start()
        tasks.start_soon(_read, lines, into, answers.clone(), asked)
        tasks.start_soon(_write, out, sink, asked, tasks.cancel_scope)
        await server.run(messages, answers, server.create_initialization_options())


class _Asked:
    """The requests without an answer so far. The SDK drops them when its input ends, and a client may write its last
    question and close: `printf ... | ragbase mcp` does."""

    def __init__(self) -> None:
        self._ids: set[str | int] = set()
        self._changed = anyio.Event()

    def has_come(self, message: JSONRPCMessage) -> None:
        if isinstance(message, JSONRPCRequest):
            self._ids.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self.has_ended((message.params or {}).get("requestId"))

    def has_ended(self, id: object) -> None:
        if isinstance(id, str | int):
            self._ids.discard(id)
        self._changed.set()

    async def end(self) -> None:
        """Until all are answered, or for so long that no answer will come."""
        with anyio.move_on_after(PATIENCE):
            while self._ids:
                self._changed = anyio.Event()
                await self._changed.wait()


def _read_lines(source: BinaryIO, into: MemoryObjectSendStream[bytes | OSError], portal: BlockingPortal) -> None:
    """Hand each line over, until the input or the server ends."""
    with suppress(anyio.BrokenResourceError, CancelledError, RuntimeError):  # the server has ended
        try:
            while line := _next_line(source):
                portal.call(into.send, line)
        except OSError as error:
            portal.call(into.send, error)
        portal.call(into.aclose)


async def _read(
    lines: MemoryObjectReceiveStream[bytes | OSError],
    into: MemoryObjectSendStream[SessionMessage | Exception],
    refused: MemoryObjectSendStream[SessionMessage],
    asked: _Asked,
) -> None:
    async with lines, into, refused:
        async for line in lines:
            if isinstance(line, OSError):
                raise line
            if line.isspace():
                continue
            try:
                message = _message(line)
            except NotAMessage as error:
                await refused.send(SessionMessage(jsonrpc_message_adapter.validate_json(error.answer)))
            else:
                asked.has_come(message)
                await into.send(SessionMessage(message))
        await asked.end()


async def _write(
    out: MemoryObjectReceiveStream[SessionMessage], sink: BinaryIO, asked: _Asked, serving: CancelScope
) -> None:
    async with out:
        async for answer in out:
            line = answer.message.model_dump_json(by_alias=True, exclude_unset=True)
            line = line.translate(_LINE_ENDS)
            try:
                await to_thread.run_sync(_write_line, sink, line.encode() + b"\n")
            except BrokenPipeError:  # the client is gone, even if something else keeps the input open
                serving.cancel()
                return
            if isinstance(answer.message, JSONRPCResponse | JSONRPCError):
                asked.has_ended(answer.message.id)


def _next_line(source: BinaryIO) -> bytes:
    """Nothing at the end. Of a line that is too long, only the beginning is kept, and one byte too many."""
    line = source.readline(MOST + 1)
    rest = line
    while len(rest) > MOST and not rest.endswith(b"\n"):
        rest = source.readline(MOST + 1)
    return line


def _message(line: bytes) -> JSONRPCMessage:
    """Raises NotAMessage."""
    if len(line) > MOST:
        raise NotAMessage(INVALID_REQUEST, f"The line is over the limit of {MOST:,} bytes. Send a shorter message.")
    message = read_message(line)
    try:
        return jsonrpc_message_adapter.validate_python(message.content, by_name=False)
    except ValidationError:
        raise NotAMessage(INVALID_REQUEST, "This is no message of JSON-RPC 2.0. Send one.") from None


def _write_line(sink: BinaryIO, line: bytes) -> None:
    sink.write(line)
    sink.flush()


@contextmanager
def _taken(number: int, mode: str, instead: int) -> Iterator[Any]:
    """A standard stream for us alone: children and stray output get the other one."""
    own = os.dup(number)
    os.dup2(instead, number)
    try:
        # A thread may still wait for input when this ends. It must not read from what opens next, and whoever closes
        # the stream waits for it. So both stay open until the process ends; each answer is flushed.
        yield os.fdopen(own, mode, closefd=False)
    finally:
        os.dup2(own, number)
