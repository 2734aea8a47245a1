"""What a tool is: what it takes and gives, and how a call of it is answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic
from urllib.parse import quote

from mcp.types import CallToolResult, ContentBlock, TextContent

from ragbase.client.errors import ClientError
from ragbase.domain.errors import NewerFormat, NotSplit, QuestionRefused, TenantNeeded, TooManyRequests, TransientError
from ragbase.domain.server_paths import told
from ragbase.interfaces.knowledge.knowledge import Knowledge
from ragbase.interfaces.mcp.arguments import Arguments, WrongArguments, read_arguments
from ragbase.interfaces.mcp.frames import json_text, line, sendable
from ragbase.interfaces.mcp.schemas import Schema, flat_schema

if TYPE_CHECKING:
    from ragbase.messages.json_model import JsonModel

_MOST_OF_AN_ID = 100


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What the assistant's program reads, and what its model reads: the same as JSON if there are no `texts`."""

    result: JsonModel
    texts: tuple[str, ...] = ()


class ToolRefused(Exception):
    """The message says why a tool cannot answer, and what to do."""


@dataclass(frozen=True, slots=True)
class Documents:
    """What the tools read. `site` is the address of the server's console, without a slash at its end; empty if nobody
    named one."""

    knowledge: Knowledge
    site: str = ""

    def address(self, id: str) -> str:
        """Where somebody can see a document: in the console, or else as a resource of the protocol."""
        return f"{self.site}/#/documents/{quote(id, safe='')}" if self.site else f"ragbase://documents/{id}"


@dataclass(frozen=True, slots=True)
class Tool(Generic[Arguments]):
    name: str
    description: str
    arguments: type[Arguments]
    result: type[JsonModel]
    use: Callable[[Documents, Arguments], ToolAnswer]

    @property
    def input_schema(self) -> Schema:
        return flat_schema(self.arguments)

    @property
    def output_schema(self) -> Schema:
        return flat_schema(self.result, "serialization")

    def call(self, documents: Documents, given: Mapping[str, Any]) -> CallToolResult:
        """What an assistant can do something about is the tool's error."""
        try:
            with explained():
                answer = self.use(documents, read_arguments(self.arguments, self.name, given))
        except (WrongArguments, ToolRefused) as error:
            return CallToolResult(content=_texts(str(error)), is_error=True)
        structured = _sendable(answer.result.model_dump(mode="json", by_alias=True, exclude_none=True))
        return CallToolResult(
            content=_texts(*(answer.texts or (json_text(structured),))), structured_content=structured
        )


def no_document(id: str) -> str:
    return f"There is no document {line(id[:_MOST_OF_AN_ID])}. The tool list_documents lists the documents."


@contextmanager
def explained() -> Iterator[None]:
    """Raises ToolRefused for what a caller can do something about."""
    try:
        yield
    except TenantNeeded as error:
        raise ToolRefused(line(f"{error} Use a key of one tenant.")) from error
    except NotSplit as error:
        raise ToolRefused(
            "The index does not keep tenants apart yet. Its operator has to run `ragbase reindex`."
        ) from error
    except NewerFormat as error:  # an assistant keeps its process for days, also while somebody upgrades ragbase
        raise ToolRefused(line(told(error))) from error
    except TransientError as error:
        raise ToolRefused(line(f"{told(error)} Try again in a moment.")) from error
    except (QuestionRefused, TooManyRequests, ClientError) as error:
        raise ToolRefused(line(str(error))) from error


def _texts(*texts: str) -> list[ContentBlock]:
    return [TextContent(type="text", text=text) for text in texts]


def _sendable(value: Any) -> Any:
    if isinstance(value, str):
        return sendable(value)
    if isinstance(value, dict):
        return {name: _sendable(inner) for name, inner in value.items()}
    return [*map(_sendable, value)] if isinstance(value, list) else value
