"""The bodies of /mcp: JSON-RPC 2.0 (https://www.jsonrpc.org/specification), as the Model Context Protocol uses it. They
only describe it: the official SDK reads and writes the messages."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue, WithJsonSchema

from ragbase.messages.json_model import JsonModel

_Id = Annotated[str | int | None, WithJsonSchema({"type": ["string", "integer"]})]
_IdOrNull = Annotated[str | int | None, WithJsonSchema({"type": ["string", "integer", "null"]})]


class JsonRpcMessage(JsonModel):
    """A message of a client. The protocol has its methods and their `params`
    (https://modelcontextprotocol.io/specification)."""

    jsonrpc: Literal["2.0"] = Field(description="2.0")
    id: _Id = Field(
        None, description="a text or a whole number, which the answer repeats; without one, there is no answer"
    )
    method: str = Field(description="what to do, such as tools/call")
    params: dict[str, JsonValue] | None = Field(None, description="an object with what the method takes")


class JsonRpcError(JsonModel):
    code: int
    message: str
    data: JsonValue = None


class JsonRpcAnswer(JsonModel):
    """`result`, or `error`. `id` is that of the message; null if it could not be read."""

    jsonrpc: Literal["2.0"]
    id: _IdOrNull
    result: dict[str, JsonValue] | None = None
    error: JsonRpcError | None = None
