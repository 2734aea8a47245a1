"""The requests to /v1/vector_stores, as OpenAI publishes them (messages/api/vector_stores.py), and what is answered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field, JsonValue, StrictBool, StringConstraints

from ragbase.domain.document import Status
from ragbase.domain.errors import ErrorCode
from ragbase.domain.limits import MAX_QUERY_LENGTH
from ragbase.domain.question import Question
from ragbase.domain.search_filter import SearchFilter
from ragbase.interfaces.wire.foreign_filter import MAX_SEARCHES, Comparison, Junction, Value, WrongFilter, alternatives
from ragbase.interfaces.wire.passage_attributes import passage_attributes, plain_value
from ragbase.messages.api.documents import CountsResponse, DocumentStatusResponse, DocumentSummary
from ragbase.messages.api.query import SearchResultBody
from ragbase.messages.api.vector_stores import (
    FileCounts,
    FileError,
    FoundPassage,
    StoreSearchResponse,
    TextContent,
    VectorStoreBody,
    VectorStoreFileBody,
)
from ragbase.messages.foreign_model import ForeignRequest
from ragbase.messages.json_model import Whole

_Query = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_QUERY_LENGTH),
    Field(json_schema_extra={"pattern": r"\S"}),
]
_Limit = Annotated[int, Field(ge=1, le=100)]
_LIMIT = "a whole number from 1 to 100"
_SERVERS = frozenset({ErrorCode.INTERNAL_ERROR, ErrorCode.TIMEOUT})


class StoresRequest(ForeignRequest):
    """The query parameters of the list of stores, as text. No store has a time, so both orders are the same."""

    limit: _Limit = Field(20, description=_LIMIT)
    order: Literal["asc", "desc"] = Field("desc", description="asc or desc, which are the same")
    after: str | None = Field(None, description="the `last_id` of the page before, or leave it out")


class StoreFilesRequest(ForeignRequest):
    """The query parameters of the list of files, as text."""

    limit: _Limit = Field(20, description=_LIMIT)
    order: Literal["desc"] = Field("desc", description="desc: files are listed newest first, in no other order")
    after: str | None = Field(None, description="the `last_id` of the page before, or leave it out")
    filter: Literal["in_progress", "completed", "failed", "cancelled"] | None = Field(
        None, description="one of in_progress, completed, failed, cancelled, or leave it out"
    )

    @property
    def statuses(self) -> Sequence[Status | None]:
        """Those that are listed; None for all. Nothing is ever cancelled."""
        if self.filter is None:
            return (None,)
        return [status for status in Status if _STATUS[status] == self.filter]


class RankingOptions(ForeignRequest):
    """Without `score_threshold`, the setting similarity_threshold is used."""

    ranker: Literal["auto", "none"] = Field("auto", description="auto, or none for the order of the search")
    score_threshold: Annotated[float, Field(strict=True, ge=0, le=1)] | None = Field(
        None, description="a number from 0 to 1"
    )


class StoreSearchRequest(ForeignRequest):
    """A search in one store."""

    query: _Query | Annotated[tuple[_Query, ...], Field(min_length=1, max_length=MAX_SEARCHES)] = Field(
        description=f"a text of 1 to {MAX_QUERY_LENGTH} characters, or 1 to {MAX_SEARCHES} of them"
    )
    max_num_results: Annotated[int, Field(strict=True, ge=1, le=50), Whole] = Field(
        10, description="a whole number from 1 to 50"
    )
    filters: dict[str, JsonValue] | None = Field(
        None, description="a comparison {type, key, value}, or {type, filters} with the type and, or or"
    )
    ranking_options: RankingOptions | None = Field(None, description="an object with some of ranker, score_threshold")
    rewrite_query: Annotated[StrictBool, Field(json_schema_extra={"const": False})] = Field(
        False, description="false: a query is searched for as it is"
    )

    @property
    def most(self) -> int:
        """The most passages that are answered."""
        return self.max_num_results

    @property
    def queries(self) -> Sequence[str]:
        return [self.query] if isinstance(self.query, str) else self.query

    def questions(self) -> Sequence[Question]:
        """What is searched for: each query with each alternative of the filter. Raises WrongFilter."""
        if self.rewrite_query:
            raise WrongFilter("`rewrite_query` can only be false: a query is searched for as it is. Leave it out")
        ranking = self.ranking_options
        threshold = ranking.score_threshold if ranking is not None else None
        rerank = ranking is None or ranking.ranker == "auto"
        within = _alternatives(self.filters) if self.filters is not None else (None,)
        if len(self.queries) * len(within) > MAX_SEARCHES:
            raise WrongFilter(
                f"{len(self.queries)} queries with {len(within)} alternatives of `filters` are more than "
                f"{MAX_SEARCHES} searches. Send fewer at once"
            )
        return [
            Question(query, self.max_num_results, threshold, one, rerank=rerank)
            for query in self.queries
            for one in within
        ]


def _alternatives(filters: dict[str, JsonValue]) -> Sequence[SearchFilter]:
    try:
        return alternatives(_read(filters))
    except WrongFilter as error:
        raise WrongFilter(f"`filters`: {error}") from None


def _read(given: JsonValue) -> Comparison | Junction:
    """Raises WrongFilter for what is no filter of OpenAI's, and for what ours can't say."""
    if not isinstance(given, dict):
        raise WrongFilter("a filter is an object with `type`")
    kind = given.get("type")
    match kind:
        case "and" | "or":
            _check_fields(given, {"type", "filters"})
            parts = given["filters"]
            if not isinstance(parts, list) or not parts:
                raise WrongFilter(f"the `filters` of {kind} are a list of one or more filters")
            return Junction(kind, tuple(map(_read, parts)))
        case "ne" | "nin":
            raise WrongFilter(
                f"{kind} is not supported: a search can't leave out documents that have a value. Name what they have "
                "with eq or in"
            )
        case "eq" | "gt" | "gte" | "lt" | "lte" | "in":
            _check_fields(given, {"type", "key", "value"})
            key, value = given["key"], given["value"]
            if not isinstance(key, str):
                raise WrongFilter("`key` is a text")
            return Comparison(kind, key, _list(value) if kind == "in" else (_value(value),), said=kind)
        case _:
            raise WrongFilter("`type` is one of eq, gt, gte, lt, lte, in, and, or")


def _check_fields(given: dict[str, Any], names: set[str]) -> None:
    if given.keys() != names:
        raise WrongFilter(f"a filter of the type {given['type']} has the fields {', '.join(sorted(names))}, no others")


def _list(value: JsonValue) -> tuple[Value, ...]:
    if not isinstance(value, list) or not value:
        raise WrongFilter("the `value` of in is a list of one or more texts or numbers")
    return tuple(map(_value, value))


def _value(value: JsonValue) -> Value:
    if not isinstance(value, str | int | float):
        raise WrongFilter("a `value` is a text, a number, or true or false")
    return value


def store_body(id: str, name: str, counts: CountsResponse) -> VectorStoreBody:
    in_progress = counts.pending + counts.processing
    return VectorStoreBody(
        id=id,
        name=name,
        file_counts=FileCounts(
            in_progress=in_progress, completed=counts.completed, failed=counts.failed, total=counts.total
        ),
        status="in_progress" if in_progress else "completed",
    )


_STATUS: dict[Status, Literal["in_progress", "completed", "failed"]] = {
    Status.PENDING: "in_progress",
    Status.PROCESSING: "in_progress",
    Status.COMPLETED: "completed",
    Status.FAILED: "failed",
}


def file_body(document: DocumentSummary | DocumentStatusResponse, store: str) -> VectorStoreFileBody:
    return VectorStoreFileBody(
        id=document.id,
        created_at=int(document.created_at.timestamp()),
        vector_store_id=store,
        usage_bytes=document.size or 0,
        status=_STATUS[document.status],
        last_error=_error(document.fail_reason) if document.status is Status.FAILED else None,
        attributes={"filename": plain_value(document.filename)},
    )


def _error(reason: str | None) -> FileError:
    code, _, message = (reason or "").partition(": ")
    if code == ErrorCode.UNSUPPORTED_FORMAT:
        return FileError(code="unsupported_file", message=message)
    return FileError(code="server_error" if code in _SERVERS else "invalid_file", message=message)


def search_body(queries: Sequence[str], results: Sequence[SearchResultBody]) -> StoreSearchResponse:
    return StoreSearchResponse(search_query=tuple(queries), data=tuple(map(_passage, results)))


def _passage(result: SearchResultBody) -> FoundPassage:
    return FoundPassage(
        file_id=result.document_id,
        filename=result.filename,
        score=result.score,
        attributes=passage_attributes(result),
        content=(TextContent(text=result.shown_text),),
    )
