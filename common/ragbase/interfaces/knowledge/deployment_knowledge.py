"""The documents of a deployment, over HTTP."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragbase.client.errors import ApiError
from ragbase.client.filter import Filter
from ragbase.domain.limits import MAX_PAGE_SIZE
from ragbase.domain.name_forms import nfc
from ragbase.interfaces.knowledge.knowledge import DocumentPageResponse

if TYPE_CHECKING:
    from ragbase.client.client import Client
    from ragbase.domain.document import Status
    from ragbase.domain.question import Question
    from ragbase.domain.search_filter import SearchFilter
    from ragbase.messages.api.answer import AnswerPart
    from ragbase.messages.api.documents import DocumentStatusResponse, ListResponse
    from ragbase.messages.api.explanation import ExplainResponse
    from ragbase.messages.api.query import QueryResponse

PROCESSING_SECONDS = 600.0
"""How long a command waits for a document. Its work goes on afterwards."""
DEPLOYMENT_GOES_ON = "the deployment goes on with it"
_NOT_FOUND = 404
_TEXT_GONE = "TEXT_GONE"


def remote_name(path: str) -> str:
    """The name on a server of a file or folder of this machine: its path below the current folder. Of a path elsewhere,
    it is the whole one, without the slash in front."""
    absolute = os.path.abspath(path)  # noqa: PTH100 - Path.absolute keeps '..', Path.resolve follows links
    return nfc(os.path.relpath(absolute) if Path(absolute).is_relative_to(Path.cwd()) else absolute.lstrip("/"))


class DeploymentKnowledge:
    """Implements Knowledge. The client's key decides the tenant."""

    goes_on = DEPLOYMENT_GOES_ON

    def __init__(self, client: Client) -> None:
        self._client = client

    def query(self, question: Question) -> QueryResponse:
        return self._client.query(**_sent(question), **_beside(question), **_expanded(question)).response()

    def answer(self, question: Question) -> Iterator[AnswerPart]:
        return self._client.answer_parts(**_sent(question), **_beside(question))

    def explain(self, question: Question, document: str) -> ExplainResponse:
        return self._client.explain(document=remote_name(document), **_sent(question))

    def list(
        self, *, status: Status | None = None, limit: int, offset: int = 0, cursor: str | None = None
    ) -> ListResponse:
        """The API gives at most MAX_PAGE_SIZE at a time."""
        page = self._client.page(status=status, limit=min(limit, MAX_PAGE_SIZE), offset=offset, cursor=cursor)
        documents = [*page.documents]
        while page.next_cursor is not None and len(documents) < limit:
            more = min(limit - len(documents), MAX_PAGE_SIZE)
            page = self._client.page(status=status, limit=more, cursor=page.next_cursor)
            documents += page.documents
        return page.model_copy(update={"documents": tuple(documents)})

    def older(self) -> None:
        return None

    def get(self, id: str) -> DocumentStatusResponse | None:
        try:
            return self._client.get(id)
        except ValueError:
            return None  # it cannot be an id
        except ApiError as error:
            if error.status != _NOT_FOUND:
                raise
            return None

    def find(self, identifier: str) -> DocumentStatusResponse | None:
        """A name is looked up in the whole list."""
        found = self.get(identifier)
        if found is not None:
            return found
        names = (nfc(identifier), remote_name(identifier))
        listed = next((document for document in self._client.list() if nfc(document.filename) in names), None)
        return self.get(listed.id) if listed is not None else None

    def below(self, paths: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
        """Names are looked up in the whole list. The current folder is that of all names."""
        from ragbase.sources.name_pattern import names_of

        listed = {one.id: nfc(one.filename) for one in self._client.list()}
        found: dict[str, Mapping[str, str]] = {}
        for path in paths:
            here = remote_name(path)
            folders = [names_of(folder) for folder in (nfc(path), here)]
            is_all = here == "."
            found[path] = {
                id: name for id, name in listed.items() if is_all or any(matches(name) for matches in folders)
            }
        return found

    def folders(self, path: str) -> frozenset[str]:
        return frozenset({remote_name(path)})

    def read(self, id: str, *, offset: int, limit: int) -> DocumentPageResponse | None:
        """The whole text is fetched for each part."""
        status = self.get(id)
        if status is None:
            return None
        try:
            text = self._client.text(id)
        except ApiError as error:
            if error.status == _NOT_FOUND:
                return None
            if error.code != _TEXT_GONE:
                raise
            return DocumentPageResponse(document=status)
        end = offset + limit
        return DocumentPageResponse(
            document=status, text=text[offset:end], next_offset=end if len(text) > end else None
        )

    def text(self, id: str) -> str:
        return self._client.text(id)

    def delete(self, ids: Sequence[str]) -> Sequence[str]:
        for id in ids:
            try:
                self._client.delete(id)
            except ApiError as error:
                if error.status != _NOT_FOUND:
                    raise
        return ()

    def retry(self, id: str) -> DocumentStatusResponse:
        self._client.retry(id)
        return self._client.wait(id, PROCESSING_SECONDS)


def _sent(question: Question) -> dict[str, Any]:
    """The question as the methods of the client take it."""
    return {
        "text": question.text,
        "top_k": question.top_k,
        "threshold": question.threshold,
        "filter": _filter(question.within),
    }


def _beside(question: Question) -> dict[str, Any]:
    """An older server knows no `rerank` and no `history`."""
    rerank = {} if question.rerank else {"rerank": False}
    return rerank | ({"history": question.history} if question.history else {})


def _expanded(question: Question) -> dict[str, Any]:
    """Nor does it know `expand`."""
    wanted = question.expand
    return {} if wanted is None else {"expand": wanted.expand, "expand_tokens": wanted.tokens}


def _filter(within: SearchFilter | None) -> Filter | None:
    """The filter as the API takes it: with one path at most."""
    if within is None:
        return None
    return Filter(
        document_ids=tuple(sorted(within.document_ids)) or None,
        path_prefix=next(iter(within.path_prefixes), None),
        formats=tuple(sorted(within.formats)) or None,
        tags=tuple(sorted(within.tags)) or None,
        title=within.title or None,
        url_prefix=within.url_prefix or None,
        date_from=within.date_from,
        date_to=within.date_to,
        where=within.where or None,
    )
