"""The documents of a profile, in this process."""

from __future__ import annotations

from collections.abc import Iterator

from ragbase.bootstrap.profile import Profile
from ragbase.domain.document import Status
from ragbase.domain.errors import TextGone
from ragbase.domain.search_filter import SearchFilter
from ragbase.engine.answer import answer
from ragbase.engine.indexed_text import indexed_text
from ragbase.engine.search import search
from ragbase.engine.seen_document import seen_document
from ragbase.interfaces.mcp.knowledge import DocumentPageResponse
from ragbase.interfaces.wire.answer import AnswerResponse, answer_response
from ragbase.interfaces.wire.documents import ListResponse, document_status
from ragbase.interfaces.wire.listing import list_documents
from ragbase.interfaces.wire.nothing_to_search import nothing_to_search
from ragbase.interfaces.wire.query import QueryFilter, QueryResponse, query_response
from ragbase.retrieval.answer import whole


class ProfileKnowledge:
    """Implements Knowledge over one tenant's documents; over those of all tenants if `tenant` is None."""

    def __init__(self, profile: Profile, tenant: str | None) -> None:
        self._profile = profile
        self._tenant = tenant

    def search(self, query: str, *, filter: QueryFilter | None) -> QueryResponse:
        within = self._within(filter)
        response = query_response(search(query, self._profile, tenant=self._tenant, within=within))
        if response.results or response.near_miss is not None:
            return response
        return response.model_copy(update={"warnings": self._nothing_to_search(within)})

    def read(self, id: str, *, offset: int, limit: int) -> DocumentPageResponse | None:
        record = seen_document(id, self._profile, tenant=self._tenant)
        if record is None:
            return None
        status = document_status(record)
        try:
            text, is_end = _part(indexed_text(record, self._profile), offset, limit)
        except TextGone:
            return DocumentPageResponse(document=status)
        return DocumentPageResponse(document=status, text=text, next_offset=None if is_end else offset + limit)

    def list(self, *, status: Status | None, limit: int, cursor: str | None) -> ListResponse:
        page = list_documents(self._profile.documents, status=status, tenant=self._tenant, limit=limit, cursor=cursor)
        return page.response()

    def answer(self, query: str, *, top_k: int | None, filter: QueryFilter | None) -> AnswerResponse:
        within = self._within(filter)
        given = whole(answer(query, self._profile, top_k=top_k, tenant=self._tenant, within=within))
        is_told = given.evidence or given.near_miss is not None
        return answer_response(given, None if is_told else self._nothing_to_search(within))

    def _nothing_to_search(self, within: SearchFilter | None) -> tuple[str, ...]:
        return nothing_to_search(within, self._profile.documents, self._tenant)

    def _within(self, filter: QueryFilter | None) -> SearchFilter | None:
        within = filter.search_filter() if filter is not None else None
        return within.asked_by(self._tenant) if within is not None and self._tenant is not None else within


def _part(pieces: Iterator[str], offset: int, limit: int) -> tuple[str, bool]:
    """The characters from `offset` on, at most `limit`, and whether the text ends there."""
    end, place, part = offset + limit, 0, []
    for piece in pieces:
        part.append(piece[max(0, offset - place) : max(0, end - place)])
        place += len(piece)
        if place > end:
            return "".join(part), False
    return "".join(part), True
