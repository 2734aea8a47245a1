"""Documents that say whatever a test wants, as an assistant sees them by the official client."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar, cast

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client import Client
from mcp.types import CallToolResult

from ragbase.domain.document import Status
from ragbase.domain.question import Question
from ragbase.interfaces.knowledge.knowledge import DocumentPageResponse, Knowledge
from ragbase.interfaces.mcp.server import mcp_server
from ragbase.messages.api.answer import AnswerResponse
from ragbase.messages.api.documents import DocumentStatusResponse, DocumentSummary, ListResponse
from ragbase.messages.api.query import QueryResponse

Result = TypeVar("Result")
NOW = datetime(2024, 1, 31, tzinfo=UTC)
NO_ANSWER = AnswerResponse(text="", answered=False, sentences=(), evidence=())


@dataclass
class HostileKnowledge:
    """Answers every call with what stands here, and keeps the questions."""

    found: QueryResponse = field(default_factory=lambda: QueryResponse(results=()))
    page: DocumentPageResponse | None = None
    documents: tuple[DocumentSummary, ...] = ()
    answered: AnswerResponse = NO_ANSWER
    asked: list[Question] = field(default_factory=list, repr=False)

    def query(self, question: Question) -> QueryResponse:
        self.asked.append(question)
        return self.found

    def read(self, id: str, **_: object) -> DocumentPageResponse | None:
        return self.page

    def list(self, **_: object) -> ListResponse:
        return ListResponse(documents=self.documents, total=len(self.documents))

    def answer(self, question: Question) -> Any:
        self.asked.append(question)
        return iter((self.answered,))


@dataclass
class Assistant:
    """A client that stays open: to open one takes longer than most tests."""

    knowledge: HostileKnowledge
    client: Client
    portal: BlockingPortal

    def ask(self, use: Callable[[Client], Awaitable[Result]]) -> Result:
        return self.portal.call(use, self.client)

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        return self.ask(lambda client: client.call_tool(tool, arguments))


@contextmanager
def opened() -> Iterator[Assistant]:
    knowledge = HostileKnowledge()
    client = Client(mcp_server(cast("Knowledge", knowledge)))
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(client):
        yield Assistant(knowledge, client, portal)


def page_of(filename: str, text: str | None, *, next_offset: int | None = None, **fields: Any) -> DocumentPageResponse:
    status = DocumentStatusResponse(
        id="1b4e", filename=filename, status=Status.COMPLETED, retry_count=0, created_at=NOW, updated_at=NOW, **fields
    )
    return DocumentPageResponse(document=status, text=text, next_offset=next_offset)


def summary_of(filename: str, **fields: Any) -> DocumentSummary:
    return DocumentSummary(id="1b4e", filename=filename, status=Status.COMPLETED, created_at=NOW, **fields)
