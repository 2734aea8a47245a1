"""The tools that an assistant can call. Each reads; none changes anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic

from mcp.types import CallToolResult, ContentBlock, TextContent

from ragbase.client.errors import ClientError
from ragbase.domain.context import expansion
from ragbase.domain.errors import NotSplit, QuestionRefused, TenantNeeded, TooManyRequests, TransientError
from ragbase.domain.question import Question
from ragbase.domain.server_paths import told
from ragbase.interfaces.knowledge.knowledge import DocumentPageResponse, Knowledge
from ragbase.interfaces.mcp.arguments import (
    AnswerArguments,
    Arguments,
    DocumentArguments,
    ListArguments,
    SearchArguments,
    WrongArguments,
    read_arguments,
)
from ragbase.interfaces.mcp.frames import json_text, line, sendable
from ragbase.interfaces.mcp.result_texts import found_texts, page_text
from ragbase.interfaces.mcp.schemas import Schema, flat_schema
from ragbase.interfaces.wire.history import turns
from ragbase.messages.api.answer import AnswerResponse, whole
from ragbase.messages.api.documents import ListResponse
from ragbase.messages.api.query import QueryResponse

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
class Tool(Generic[Arguments]):
    name: str
    description: str
    arguments: type[Arguments]
    result: type[JsonModel]
    use: Callable[[Knowledge, Arguments], ToolAnswer]

    @property
    def input_schema(self) -> Schema:
        return flat_schema(self.arguments)

    @property
    def output_schema(self) -> Schema:
        return flat_schema(self.result, "serialization")

    def call(self, knowledge: Knowledge, given: Mapping[str, Any]) -> CallToolResult:
        """What an assistant can do something about is the tool's error."""
        try:
            with explained():
                answer = self.use(knowledge, read_arguments(self.arguments, self.name, given))
        except (WrongArguments, ToolRefused) as error:
            return CallToolResult(content=_texts(str(error)), is_error=True)
        structured = _sendable(answer.result.model_dump(mode="json", by_alias=True, exclude_none=True))
        return CallToolResult(
            content=_texts(*(answer.texts or (json_text(structured),))), structured_content=structured
        )


def _search(knowledge: Knowledge, asked: SearchArguments) -> ToolAnswer:
    try:
        expand = expansion(asked.expand, asked.expand_tokens)
    except ValueError as error:
        raise ToolRefused(str(error)) from None
    question = replace(_question(asked), expand=expand)
    found = knowledge.query(question) if asked.query.strip() else QueryResponse(results=())
    return ToolAnswer(found, found_texts(found))


def _document(knowledge: Knowledge, asked: DocumentArguments) -> ToolAnswer:
    page = knowledge.read(asked.id, offset=asked.offset, limit=asked.limit)
    if page is None:
        raise ToolRefused(no_document(asked.id))
    return ToolAnswer(page, (page_text(page, asked.offset),))


def _list(knowledge: Knowledge, asked: ListArguments) -> ToolAnswer:
    return ToolAnswer(knowledge.list(status=asked.status, limit=asked.limit, cursor=asked.cursor))


def _answer(knowledge: Knowledge, asked: AnswerArguments) -> ToolAnswer:
    return ToolAnswer(whole(knowledge.answer(replace(_question(asked), top_k=asked.top_k))))


TOOLS: Mapping[str, Tool[Any]] = {
    tool.name: tool
    for tool in (
        Tool(
            "searchKnowledge",
            "Search knowledge base for relevant information",
            SearchArguments,
            QueryResponse,
            _search,
        ),
        Tool(
            "get_document",
            "Read one document: its status, and its text page by page.",
            DocumentArguments,
            DocumentPageResponse,
            _document,
        ),
        Tool("list_documents", "List the documents, newest first.", ListArguments, ListResponse, _list),
        Tool(
            "answer",
            "Answer a question in sentences, with citations that were compared with the documents.",
            AnswerArguments,
            AnswerResponse,
            _answer,
        ),
    )
}


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
    except TransientError as error:
        raise ToolRefused(line(f"{told(error)} Try again in a moment.")) from error
    except (QuestionRefused, TooManyRequests, ClientError) as error:
        raise ToolRefused(line(str(error))) from error


def _question(asked: SearchArguments | AnswerArguments) -> Question:
    within = asked.filter.search_filter() if asked.filter is not None else None
    return Question(asked.query.strip(), within=within, history=turns(asked.history))


def _texts(*texts: str) -> list[ContentBlock]:
    return [TextContent(type="text", text=text) for text in texts]


def _sendable(value: Any) -> Any:
    if isinstance(value, str):
        return sendable(value)
    if isinstance(value, dict):
        return {name: _sendable(inner) for name, inner in value.items()}
    return [*map(_sendable, value)] if isinstance(value, list) else value
