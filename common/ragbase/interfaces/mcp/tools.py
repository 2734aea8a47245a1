"""The tools that an assistant can call. Each reads; none changes anything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from ragbase.bootstrap.profile import Profile
from ragbase.domain.document import Status
from ragbase.domain.errors import NotSplit, TenantNeeded, TextGone, TransientError
from ragbase.domain.limits import MAX_QUERY_LENGTH, MAX_TOP_K
from ragbase.engine.answer import answer
from ragbase.engine.indexed_text import indexed_text
from ragbase.engine.search import search
from ragbase.engine.seen_document import seen_document
from ragbase.interfaces.wire.answer import AnswerResponse, answer_response
from ragbase.interfaces.wire.cursor import CURSOR, place_of
from ragbase.interfaces.wire.documents import DocumentStatusResponse, ListResponse, document_list, document_status
from ragbase.messages.json_model import JsonModel
from ragbase.retrieval.answer import whole
from ragbase.retrieval.search_one_index import SearchResult

NOTHING_FOUND = "No relevant information found."
"""What searchKnowledge says when it finds nothing (docs/contracts/csv-service.md, section 5)."""

_PAGE = 20_000
"""Characters of a document's text in one answer, at most: some 5,000 tokens of a model's context."""

_Question = Annotated[str, Field(min_length=1, max_length=MAX_QUERY_LENGTH, pattern=r"\S", description="The question")]


class DocumentPageResponse(JsonModel):
    """A document's state, and a part of its text. `text` is left out while search shows nothing of the document.
    `nextOffset` is left out at the end of the text."""

    document: DocumentStatusResponse
    text: str | None = None
    next_offset: int | None = None


class Tools:
    """The tools over one tenant's documents; over those of all tenants if `tenant` is None."""

    def __init__(self, profile: Profile, tenant: str | None) -> None:
        self._profile = profile
        self._tenant = tenant

    def search_knowledge(
        self, query: Annotated[str, Field(max_length=MAX_QUERY_LENGTH, description="The search query")]
    ) -> str:
        if not query.strip():
            return NOTHING_FOUND
        with _explained():
            results = search(query.strip(), self._profile, tenant=self._tenant)
        return _sendable("\n\n".join(map(_passage, results))) or NOTHING_FOUND

    def get_document(
        self,
        id: Annotated[str, Field(description="The id of the document, from list_documents or searchKnowledge")],
        offset: Annotated[int, Field(ge=0, description="The first character of the text to return")] = 0,
        limit: Annotated[int, Field(ge=1, le=_PAGE, description="The most characters of text to return")] = _PAGE,
    ) -> DocumentPageResponse:
        """Read one document: its status, and its text page by page."""
        with _explained():
            record = seen_document(id, self._profile, tenant=self._tenant)
            if record is None:
                raise ToolError(f"There is no document {id}. The tool list_documents lists the documents.")
            status = document_status(record)
            try:
                text, is_end = _part(indexed_text(record, self._profile), offset, limit)
            except TextGone:
                return DocumentPageResponse(document=status)
        return DocumentPageResponse(
            document=status, text=_sendable(text), next_offset=None if is_end else offset + limit
        )

    def list_documents(
        self,
        status: Annotated[Status | None, Field(description="Only documents in this state")] = None,
        limit: Annotated[int, Field(ge=1, le=100, description="The most documents to return")] = 20,
        cursor: Annotated[
            str | None, Field(pattern=CURSOR, description="The nextCursor of the page before, for the next page")
        ] = None,
    ) -> ListResponse:
        """List the documents, newest first."""
        with _explained():
            page = self._profile.documents.page(
                status=status,
                tenant=self._tenant,
                limit=limit + 1,
                offset=0,
                after=place_of(cursor) if cursor is not None else None,
            )
        return document_list(page, limit=limit)

    def answer(
        self,
        query: _Question,
        top_k: Annotated[
            int | None, Field(ge=1, le=MAX_TOP_K, description="From how many passages to answer, at most")
        ] = None,
    ) -> AnswerResponse:
        """Answer a question in sentences, with citations that were compared with the documents."""
        with _explained():
            parts = answer(query.strip(), self._profile, top_k=top_k, tenant=self._tenant)
            return answer_response(whole(parts))


def _passage(result: SearchResult) -> str:
    """The content below a line that says where it stands."""
    chunk, document = result.chunk, result.document
    places = [document.source]
    if chunk.page is not None:
        places.append(f"page {chunk.page}")
    if chunk.row is not None:
        places.append(f"row {chunk.row}")
    if chunk.header_path:
        places.append(" > ".join(chunk.header_path))
    return f"[{', '.join(places)}, id {document.id}]\n{chunk.text}"


def _part(pieces: Iterator[str], offset: int, limit: int) -> tuple[str, bool]:
    """The characters from `offset` on, at most `limit`, and whether the text ends there."""
    end, place, part = offset + limit, 0, []
    for piece in pieces:
        part.append(piece[max(0, offset - place) : max(0, end - place)])
        place += len(piece)
        if place > end:
            return "".join(part), False
    return "".join(part), True


def _sendable(text: str) -> str:
    """The text without half characters, which JSON in UTF-8 cannot hold. Every offset stays right."""
    return text.encode("utf-8", "replace").decode()


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
