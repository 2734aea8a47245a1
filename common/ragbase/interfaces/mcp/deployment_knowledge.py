"""The documents of a deployment, over HTTP."""

from __future__ import annotations

from ragbase.client.answers import Filter, FoundPassages
from ragbase.client.client import Client
from ragbase.client.errors import ApiError
from ragbase.domain.document import Status
from ragbase.interfaces.mcp.knowledge import DocumentPageResponse
from ragbase.interfaces.wire.answer import AnswerResponse
from ragbase.interfaces.wire.documents import DocumentStatusResponse, ListResponse
from ragbase.interfaces.wire.query import QueryFilter

_NOT_FOUND = 404
_TEXT_GONE = "TEXT_GONE"


class DeploymentKnowledge:
    """Implements Knowledge. The client's key decides the tenant. The bodies of the API are those of the tools."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def search(self, query: str, *, filter: QueryFilter | None) -> FoundPassages:
        return self._client.query(query, filter=_sent(filter)).answer()

    def read(self, id: str, *, offset: int, limit: int) -> DocumentPageResponse | None:
        try:
            status = DocumentStatusResponse.model_validate(self._client.get(id).model_dump())
            text = self._client.text(id)
        except ValueError:
            return None  # it cannot be an id
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

    def list(self, *, status: Status | None, limit: int, cursor: str | None) -> ListResponse:
        return ListResponse.model_validate(self._client.page(status=status, limit=limit, cursor=cursor).model_dump())

    def answer(self, query: str, *, top_k: int | None, filter: QueryFilter | None) -> AnswerResponse:
        answer = self._client.answer(query, top_k=top_k, filter=_sent(filter))
        return AnswerResponse.model_validate(answer.model_dump())


def _sent(filter: QueryFilter | None) -> Filter | None:
    if filter is None:
        return None
    same = {name: getattr(filter, name) for name in Filter.model_fields if name != "where"}
    return Filter(**same, where=tuple(one.condition() for one in filter.where) if filter.where else None)
