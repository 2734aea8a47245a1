"""The documents of a profile, in this process.

The HTTP API answers queries with it. So what only other methods need is imported inside of them (api/app.py)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ragbase.domain.errors import ConfigurationError, DocumentNotFound, TextGone
from ragbase.domain.name_forms import nfc
from ragbase.domain.reach import EVERYWHERE, Reach
from ragbase.domain.search_filter import SearchFilter
from ragbase.engine.search import search
from ragbase.engine.seen_document import seen_document, seen_place
from ragbase.interfaces.wire.query import query_response

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.document import Document, Status
    from ragbase.domain.question import Question
    from ragbase.interfaces.knowledge.knowledge import DocumentPageResponse
    from ragbase.interfaces.knowledge.token_meter import TokenMeter
    from ragbase.messages.api.answer import AnswerPart
    from ragbase.messages.api.documents import CountsResponse, DocumentStatusResponse, ListResponse
    from ragbase.messages.api.explanation import ExplainResponse
    from ragbase.messages.api.query import QueryResponse
    from ragbase.ports import ListingPlace

_PAGE = 500
"""Documents whose records are read together."""
_MOST = 1_000
"""Documents whose records are read to say which parts of a filter no document matches, or which are older."""


class ProfileKnowledge:
    """Implements Knowledge over one tenant's documents; over those of all tenants if `tenant` is None. Of these, only
    the documents within `reach` are there. `most` documents at most are looked at to say which parts of a filter none
    matches. `meter` is told what questions cost, and may refuse them."""

    goes_on = "`ragbase serve` or the next command tries again"

    def __init__(
        self,
        profile: Profile,
        tenant: str | None,
        *,
        reach: Reach = EVERYWHERE,
        most: int = _MOST,
        meter: TokenMeter | None = None,
    ) -> None:
        self._profile = profile
        self._tenant = tenant
        self._reach = reach
        self._meter = meter
        self._most = most

    def query(self, question: Question) -> QueryResponse:
        own = self._ask(question)
        results = search(own, self._profile, tenant=self._tenant)
        if self._meter is not None and results.billed.tokens:
            self._meter.spend(results.billed.tokens)
        response = query_response(results)
        if response.results or response.near_miss is not None:
            return response
        warnings = self._nothing_to_search(own.within, has_index=results.has_index)
        return response.model_copy(update={"warnings": warnings})

    def answer(self, question: Question) -> Iterator[AnswerPart]:
        """The search is done when this returns, so its errors are raised here."""
        from ragbase.engine.answer import answer
        from ragbase.interfaces.knowledge.token_meter import metered
        from ragbase.interfaces.wire.answer import answer_part

        own = self._ask(question)
        parts = answer(own, self._profile, tenant=self._tenant)
        if self._meter is not None:
            parts = metered(parts, self._meter)
        return (answer_part(part, lambda: self._nothing_to_search(own.within)) for part in parts)

    def explain(self, question: Question, document: str) -> ExplainResponse:
        from ragbase.engine.explain import explain
        from ragbase.interfaces.wire.explanation import explain_response

        own = own_question(question, self._tenant, self._reach)
        return explain_response(explain(own, document, self._profile, tenant=self._tenant))

    def list(
        self, *, status: Status | None = None, limit: int, offset: int = 0, cursor: str | None = None
    ) -> ListResponse:
        from ragbase.interfaces.wire.listing import list_documents

        return list_documents(
            self._profile.documents,
            status=status,
            tenant=self._tenant,
            reach=self._reach,
            limit=limit,
            offset=offset,
            cursor=cursor,
        ).response()

    def older(self) -> str | None:
        from ragbase.engine.older_documents import oldest_documents

        try:
            found = oldest_documents(self._profile, tenant=self._tenant, reach=self._reach, most=_MOST)
        except ConfigurationError:  # nothing can be read with these settings: commands that read say so
            return None
        return f"{found}. Read them again with: ragbase reindex" if found is not None else None

    def counts(self) -> CountsResponse:
        """How many documents there are in each status."""
        from ragbase.interfaces.wire.documents import counts_response

        return counts_response(self._profile.documents.counts(tenant=self._tenant, reach=self._reach))

    def get(self, id: str) -> DocumentStatusResponse | None:
        return self._told(self._read(id))

    def place(self, id: str) -> ListingPlace | None:
        """Where `list` has the document, or had it before it was deleted; None if there was none."""
        documents, tenancy = self._profile.documents, self._profile.config.tenancy
        return seen_place(id, documents, tenancy, tenant=self._tenant, reach=self._reach)

    def find(self, identifier: str) -> DocumentStatusResponse | None:
        """Each id is asked for as in `get`: a name that another tenant has takes the work of one that nobody has."""
        from ragbase.engine.identify import document_ids

        ids = document_ids(identifier, self._profile.bucket, self._profile.bucket_folder)
        return self._told(next(filter(None, map(self._read, ids)), None))

    def below(self, paths: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
        from ragbase.ports import ListingPlace
        from ragbase.sources.name_pattern import names_of

        meant = {path: [names_of(folder) for folder in self.folders(path)] for path in paths}
        found: dict[str, dict[str, str]] = {path: {} for path in paths}
        place: ListingPlace | None = None
        while page := self._profile.documents.page(tenant=self._tenant, reach=self._reach, limit=_PAGE, after=place):
            for path, folders in meant.items():
                found[path] |= {
                    one.id: one.source for one in page if any(matches(nfc(one.name)) for matches in folders)
                }
            place = ListingPlace(page[-1].created_at, page[-1].id)
        return found

    def folders(self, path: str) -> frozenset[str]:
        from pathlib import Path

        from ragbase.sources.folder import object_name

        return frozenset({nfc(path), object_name(Path(path), self._profile.bucket_folder)})

    def read(self, id: str, *, offset: int, limit: int) -> DocumentPageResponse | None:
        from ragbase.engine.indexed_text import indexed_text
        from ragbase.interfaces.knowledge.knowledge import DocumentPageResponse
        from ragbase.interfaces.wire.documents import document_status

        record = self._read(id)
        if record is None:
            return None
        status = document_status(record, with_history=True)
        try:
            text, is_end = _part(indexed_text(record, self._profile.open_index()), offset, limit)
        except TextGone:
            return DocumentPageResponse(document=status)
        return DocumentPageResponse(document=status, text=text, next_offset=None if is_end else offset + limit)

    def text(self, id: str) -> str:
        from ragbase.engine.indexed_text import indexed_text

        return "".join(indexed_text(self._seen(id), self._profile.open_index()))

    def delete(self, ids: Sequence[str]) -> Sequence[str]:
        from ragbase.pipeline.route import delete_document

        for record in self._seen_of(ids):
            delete_document(record, self._profile)
        return ()

    def retry(self, id: str) -> DocumentStatusResponse:
        from ragbase.engine.retry import retry_document
        from ragbase.interfaces.wire.documents import document_status

        return document_status(retry_document(self._seen(id), self._profile), with_history=True)

    def _seen_of(self, ids: Sequence[str]) -> Sequence[Document]:
        """Those that are there."""
        return [record for record in map(self._read, ids) if record is not None]

    def _seen(self, id: str) -> Document:
        record = self._read(id)
        if record is None:
            raise DocumentNotFound(f"{id}: there is no such document.")
        return record

    def _ask(self, question: Question) -> Question:
        """The question as its caller means it. It is counted with its history, which a model may read."""
        if self._meter is not None:
            self._meter.ask("\n".join((*(turn.text for turn in question.history), question.text)))
        return own_question(question, self._tenant, self._reach)

    def _read(self, id: str) -> Document | None:
        documents, tenancy = self._profile.documents, self._profile.config.tenancy
        return seen_document(id, documents, tenancy, tenant=self._tenant, reach=self._reach)

    def _told(self, record: Document | None) -> DocumentStatusResponse | None:
        from ragbase.interfaces.wire.documents import document_status

        return document_status(record, with_history=True) if record is not None else None

    def _nothing_to_search(self, within: SearchFilter | None, *, has_index: bool = True) -> tuple[str, ...]:
        from ragbase.interfaces.wire.nothing_to_search import NOTHING_INDEXED, nothing_to_search

        if not has_index:  # no record has to be read to know why
            return (NOTHING_INDEXED,)
        return nothing_to_search(within, self._profile.documents, self._tenant, most=self._most)


def own_question(question: Question, tenant: str | None, reach: Reach) -> Question:
    """The question as somebody of this tenant and reach means it."""
    within = question.within
    if within is not None and tenant is not None:
        within = within.asked_by(tenant)
    return replace(question, within=within if reach.is_everything else replace(within or SearchFilter(), reach=reach))


def _part(pieces: Iterator[str], offset: int, limit: int) -> tuple[str, bool]:
    """The characters from `offset` on, at most `limit`, and whether the text ends there."""
    end, place, part = offset + limit, 0, []
    for piece in pieces:
        part.append(piece[max(0, offset - place) : max(0, end - place)])
        place += len(piece)
        if place > end:
            return "".join(part), False
    return "".join(part), True
