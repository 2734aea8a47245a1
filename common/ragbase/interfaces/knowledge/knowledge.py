"""The port of all that people and programs ask of the documents. It speaks the answers of the HTTP API (messages/api),
so that a command shows the same here and of a deployment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

# pydantic reads this one when it builds the model below.
from ragbase.messages.api.documents import DocumentStatusResponse
from ragbase.messages.json_model import JsonModel

if TYPE_CHECKING:
    from ragbase.domain.document import Status
    from ragbase.domain.question import Question
    from ragbase.messages.api.answer import AnswerPart
    from ragbase.messages.api.documents import ListResponse
    from ragbase.messages.api.explanation import ExplainResponse
    from ragbase.messages.api.query import QueryResponse


class DocumentPageResponse(JsonModel):
    """A document's state, and a part of its text. `text` is left out while search shows nothing of the document.
    `nextOffset` is left out at the end of the text."""

    document: DocumentStatusResponse
    text: str | None = None
    next_offset: int | None = None


class Knowledge(Protocol):
    """Every method raises a RagbaseError."""

    @property
    def goes_on(self) -> str:
        """Who works on a document that has not settled when a command ends."""
        ...

    def query(self, question: Question) -> QueryResponse:
        """The passages that answer, best first. Without any, what was nearest, or why there was nothing to search."""
        ...

    def answer(self, question: Question) -> Iterator[AnswerPart]:
        """The evidence, each sentence as soon as it is complete, and the whole answer. Without any evidence, the answer
        says what was nearest, or why there was nothing to search."""
        ...

    def explain(self, question: Question, document: str) -> ExplainResponse:
        """Why `query` does not find the document for this question, or where it does. The document is named as in
        `find`."""
        ...

    def list(
        self, *, status: Status | None = None, limit: int, offset: int = 0, cursor: str | None = None
    ) -> ListResponse:
        """At most `limit` documents, newest first, after the first `offset` ones: from the newest, or with a `cursor`
        after the page that gave it."""
        ...

    def older(self) -> str | None:
        """How many documents were read by an older version or with other settings, for a person, with the
        remedy. None if a quick look shows none, and of a deployment, which does not tell."""
        ...

    def get(self, id: str) -> DocumentStatusResponse | None:
        """None if there is no document with this id."""
        ...

    def find(self, identifier: str) -> DocumentStatusResponse | None:
        """The document with this id, this name in the bucket, or that was ingested from this path. None if there is
        none."""
        ...

    def below(self, paths: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
        """For each folder or pattern, the names of the documents below it, or that match it, by their ids. It is one of
        this machine, as an ingest takes it, or one of the bucket."""
        ...

    def folders(self, path: str) -> frozenset[str]:
        """What a folder or file of this path may be called in the bucket."""
        ...

    def read(self, id: str, *, offset: int, limit: int) -> DocumentPageResponse | None:
        """The document, with at most `limit` characters of its text from `offset` on. None if there is no document with
        this id."""
        ...

    def text(self, id: str) -> str:
        """The whole text that search shows of a document, in which the offsets of results count."""
        ...

    def delete(self, ids: Sequence[str]) -> Sequence[str]:
        """When it returns, no search shows these documents. One that is gone already is no error. Returns the sources
        of those that were uploaded again meanwhile, as far as that was seen."""
        ...

    def retry(self, id: str) -> DocumentStatusResponse:
        """Process a document again that has failed. Any other document stays as it is. Commands wait for its end, for
        some minutes at most."""
        ...
