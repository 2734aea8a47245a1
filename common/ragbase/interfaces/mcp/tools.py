"""The tools that an assistant can call. Each reads; none changes anything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent
from pydantic import Field

from ragbase.client.errors import ClientError
from ragbase.domain.document import Status
from ragbase.domain.errors import NotSplit, QuestionRefused, TenantNeeded, TooManyRequests, TransientError
from ragbase.domain.limits import DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, MAX_QUERY_LENGTH, MAX_TOP_K
from ragbase.interfaces.knowledge.knowledge import DocumentPageResponse, Knowledge
from ragbase.interfaces.near_miss_text import near_miss_lines
from ragbase.interfaces.wire.cursor import CURSOR
from ragbase.interfaces.wire.query import QueryFilter
from ragbase.messages.api.answer import AnswerResponse, whole
from ragbase.messages.api.documents import ListResponse

if TYPE_CHECKING:
    from ragbase.domain.search_filter import SearchFilter
    from ragbase.messages.api.query import QueryResponse, QueryResult

NOTHING_FOUND = "No relevant information found."
"""What searchKnowledge says when it finds nothing (docs/contracts/csv-service.md, section 5). A text of its own says
what was nearest."""

_PAGE = 20_000
"""Characters of a document's text in one answer, at most: some 5,000 tokens of a model's context."""

_Question = Annotated[str, Field(min_length=1, max_length=MAX_QUERY_LENGTH, pattern=r"\S", description="The question")]
_Filter = Annotated[QueryFilter | None, Field(description="Only in documents that fit all of its fields")]


class Tools:
    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge

    def search_knowledge(
        self,
        query: Annotated[str, Field(max_length=MAX_QUERY_LENGTH, description="The search query")],
        filter: _Filter = None,
    ) -> list[TextContent]:
        if not query.strip():
            return _texts(NOTHING_FOUND)
        with _explained():
            found = self._knowledge.query(query.strip(), within=_within(filter))
        if found.results:
            return _texts("\n\n".join(map(_passage, found.results)))
        return _nothing(found)

    def get_document(
        self,
        id: Annotated[str, Field(min_length=1, description="The id, from list_documents or searchKnowledge")],
        offset: Annotated[int, Field(ge=0, description="The first character of the text to return")] = 0,
        limit: Annotated[int, Field(ge=1, le=_PAGE, description="The most characters of text to return")] = _PAGE,
    ) -> Annotated[CallToolResult, DocumentPageResponse]:
        """Read one document: its status, and its text page by page."""
        with _explained():
            page = self._knowledge.read(id, offset=offset, limit=limit)
        if page is None:
            raise ToolError(no_document(id))
        page = page.model_copy(update={"text": sendable(page.text)}) if page.text is not None else page
        return CallToolResult(
            content=[TextContent(type="text", text=_page(page, offset))],
            structured_content=page.model_dump(mode="json", by_alias=True),
        )

    def list_documents(
        self,
        status: Annotated[Status | None, Field(description="Only documents in this state")] = None,
        limit: Annotated[
            int, Field(ge=1, le=MAX_PAGE_SIZE, description="The most documents to return")
        ] = DEFAULT_PAGE_SIZE,
        cursor: Annotated[
            str | None, Field(pattern=CURSOR, description="The nextCursor of the page before, for the next page")
        ] = None,
    ) -> ListResponse:
        """List the documents, newest first."""
        with _explained():
            return self._knowledge.list(status=status, limit=limit, cursor=cursor)

    def answer(
        self,
        query: _Question,
        top_k: Annotated[
            int | None, Field(ge=1, le=MAX_TOP_K, description="From how many passages to answer, at most")
        ] = None,
        filter: _Filter = None,
    ) -> AnswerResponse:
        """Answer a question in sentences, with citations that were compared with the documents."""
        with _explained():
            return whole(self._knowledge.answer(query.strip(), top_k=top_k, within=_within(filter)))


def _within(filter: QueryFilter | None) -> SearchFilter | None:
    return filter.search_filter() if filter is not None else None


def no_document(id: str) -> str:
    return f"There is no document {id}. The tool list_documents lists the documents."


def sendable(text: str) -> str:
    """The text without half characters, which JSON in UTF-8 cannot hold. Every offset stays right."""
    return text.encode("utf-8", "replace").decode()


def _texts(*texts: str) -> list[TextContent]:
    return [TextContent(type="text", text=sendable(text)) for text in texts]


def _nothing(found: QueryResponse) -> list[TextContent]:
    """What is said where nothing is found, and below it why."""
    miss = found.near_miss
    lines = [*(found.warnings or ()), *(near_miss_lines(miss) if miss is not None else ())]
    if miss is not None:
        lines.insert(0, f"No passage reaches the threshold of {miss.threshold:g}. What follows is no answer.")
    return _texts(NOTHING_FOUND, *(["\n".join(lines)] if lines else []))


def _passage(result: QueryResult) -> str:
    """The content below a line that says where it stands. Rows of a table stand below their header row."""
    place = result.metadata
    parts = [
        result.filename,
        f"page {place.page}" if place.page is not None else "",
        f"row {place.row}" if place.row is not None else "",
        place.heading or "",
        f"id {result.document_id}",
        f"lacks {' and '.join(result.lacks)}" if result.lacks else "",
    ]
    lines = [f"[{', '.join(filter(None, parts))}]", place.table_header or "", result.content]
    return "\n".join(filter(None, lines))


def _page(page: DocumentPageResponse, offset: int) -> str:
    """The same in the form of searchKnowledge: a model reads text better than JSON in quotes."""
    document = page.document
    head = f"[{document.filename}, {document.status}, id {document.id}]"
    if page.text is None:
        return f"{head}\nSearch shows nothing of it. {document.fail_reason or ''}".rstrip()
    lines = [head, page.text] if page.text else [head]
    if page.next_offset is not None:
        lines.append(f"\n[Characters {offset} to {page.next_offset}. The text goes on at offset {page.next_offset}.]")
    return "\n".join(lines)


@contextmanager
def _explained() -> Iterator[None]:
    """What a caller can do something about is told as the tool's error. The SDK hides every other one."""
    try:
        yield
    except TenantNeeded as error:
        raise ToolError(f"{error} Use a key of one tenant.") from error
    except NotSplit as error:
        raise ToolError(
            "The index does not keep tenants apart yet. Its operator has to run `ragbase reindex`."
        ) from error
    except TransientError as error:
        raise ToolError(f"{error} Try again in a moment.") from error
    except (QuestionRefused, TooManyRequests, ClientError) as error:
        raise ToolError(str(error)) from error
