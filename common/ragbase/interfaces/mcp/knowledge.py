"""What the tools and resources read: the documents of a profile, or those of a deployment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ragbase.domain.document import Status
from ragbase.interfaces.wire.answer import AnswerResponse
from ragbase.interfaces.wire.documents import DocumentStatusResponse, ListResponse
from ragbase.messages.json_model import JsonModel

if TYPE_CHECKING:
    from ragbase.client.answers import FoundPassages
    from ragbase.interfaces.wire.query import QueryFilter, QueryResponse


class DocumentPageResponse(JsonModel):
    """A document's state, and a part of its text. `text` is left out while search shows nothing of the document.
    `nextOffset` is left out at the end of the text."""

    document: DocumentStatusResponse
    text: str | None = None
    next_offset: int | None = None


class Knowledge(Protocol):
    """Every method raises a RagbaseError."""

    def search(self, query: str, *, filter: QueryFilter | None) -> QueryResponse | FoundPassages:
        """The passages that answer, best first: with a `filter`, those of documents that fit it. Without any, what was
        nearest, or why there was nothing to search."""
        ...

    def read(self, id: str, *, offset: int, limit: int) -> DocumentPageResponse | None:
        """The document, with at most `limit` characters of its text from `offset` on. None if there is no document with
        this id."""
        ...

    def list(self, *, status: Status | None, limit: int, cursor: str | None) -> ListResponse:
        """At most `limit` documents, newest first; with a `cursor`, those after the page that gave it."""
        ...

    def answer(self, query: str, *, top_k: int | None, filter: QueryFilter | None) -> AnswerResponse: ...
