"""The bodies of /api/query (docs/contracts/documents.md, section 3). `ragbase query --json` prints the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, BeforeValidator, Field, JsonValue, StringConstraints
from pydantic.config import JsonDict
from pydantic_core import PydanticCustomError

from ragbase.domain.condition import day_in
from ragbase.domain.limits import MAX_CONDITIONS, MAX_DOCUMENT_IDS, MAX_QUERY_LENGTH, MAX_TOP_K
from ragbase.domain.metadata import MAX_TAGS, MAX_URL
from ragbase.domain.question import Question
from ragbase.domain.search_filter import SearchFilter
from ragbase.interfaces.wire.chunk_metadata import chunk_metadata
from ragbase.interfaces.wire.condition import QueryCondition
from ragbase.interfaces.wire.context import context_body
from ragbase.interfaces.wire.history import HISTORY, History, turns
from ragbase.interfaces.wire.near_miss import near_miss_body
from ragbase.interfaces.wire.question_parts import part_bodies
from ragbase.messages.api.query import DocumentMetadataBody, QueryResponse, ResultSourceBody, SearchResultBody
from ragbase.messages.json_model import RequestModel, Whole

if TYPE_CHECKING:
    from ragbase.domain.document import Document
    from ragbase.retrieval.search_result import SearchResult


def _checked_path(path: str) -> str:
    if path.startswith("/"):
        raise PydanticCustomError("path", "a name in the bucket does not begin with a slash")
    return path


def _checked_formats(formats: tuple[str, ...]) -> tuple[str, ...]:
    from ragbase.formats.table import FORMATS

    if unknown := sorted(set(formats) - FORMATS.keys()):
        raise PydanticCustomError("format", "unknown: {unknown}", {"unknown": ", ".join(unknown)})
    return formats


def _name_formats(schema: JsonDict) -> None:
    """A query without `formats` does not load them, which a cold start would pay for."""
    from ragbase.formats.table import FORMATS

    schema["description"] = f"names of formats: {', '.join(sorted(FORMATS))}"


def _list_formats(schema: JsonDict) -> None:
    from ragbase.formats.table import FORMATS

    schema["enum"] = [*sorted(FORMATS)]


def _typed_day(given: object) -> object:
    return day_in(given) or given if isinstance(given, str) else given


_NOT_BLANK: dict[str, JsonValue] = {"pattern": r"\S"}
_Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1), Field(json_schema_extra=_NOT_BLANK)]
_Format = Annotated[str, Field(json_schema_extra=_list_formats)]
_Day = Annotated[date, Field(strict=True), BeforeValidator(_typed_day)]
"""Also where the JSON has been read already, as in the arguments of a tool."""
_Prefix = Annotated[str, StringConstraints(min_length=1, max_length=MAX_URL)]


class QueryFilter(RequestModel):
    """Which documents a query may show. All fields together have to fit. An unknown field is an error: a filter that is
    ignored would show more than was asked for."""

    document_ids: Annotated[tuple[str, ...], Field(min_length=1, max_length=MAX_DOCUMENT_IDS)] | None = Field(
        None, description=f"1 to {MAX_DOCUMENT_IDS} ids of documents"
    )
    path_prefix: Annotated[_Prefix, AfterValidator(_checked_path)] | None = Field(
        None,
        description="a folder in the bucket, or the whole name of a document, such as guides/2024",
        json_schema_extra={"pattern": "^[^/]"},
    )
    formats: Annotated[tuple[_Format, ...], Field(min_length=1), AfterValidator(_checked_formats)] | None = Field(
        None, json_schema_extra=_name_formats
    )
    tags: Annotated[tuple[_Line, ...], Field(min_length=1, max_length=MAX_TAGS)] | None = Field(
        None, description=f"1 to {MAX_TAGS} tags; a document has to have all of them"
    )
    title: _Line | None = Field(None, description="the title that a document has to have")
    url_prefix: _Prefix | None = Field(None, description="an address, such as https://example.com/docs")
    date_from: _Day | None = Field(
        None, description="the first day, such as 2024-01-31: documents with an earlier date, or none, are left out"
    )
    date_to: _Day | None = Field(None, description="the last day: documents with a later date, or none, are left out")
    where: Annotated[tuple[QueryCondition, ...], Field(min_length=1, max_length=MAX_CONDITIONS)] | None = Field(
        None, description=f"1 to {MAX_CONDITIONS} conditions on the front matter; a document has to meet all of them"
    )

    def search_filter(self) -> SearchFilter:
        return SearchFilter(
            document_ids=frozenset(self.document_ids or ()),
            path_prefixes=frozenset({self.path_prefix} if self.path_prefix is not None else ()),
            formats=frozenset(self.formats or ()),
            tags=frozenset(self.tags or ()),
            title=self.title or "",
            url_prefix=self.url_prefix or "",
            date_from=self.date_from,
            date_to=self.date_to,
            where=tuple(condition.condition() for condition in self.where or ()),
        )


class QuestionRequest(RequestModel):
    """`query` is trimmed before its characters are counted. Without `topK` or `threshold`, the settings `top_k` and
    `similarity_threshold` are used."""

    query: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_QUERY_LENGTH)] = Field(
        description=f"a text of 1 to {MAX_QUERY_LENGTH} characters, not counting spaces around it",
        json_schema_extra=_NOT_BLANK,
    )
    top_k: Annotated[int, Field(strict=True, ge=1, le=MAX_TOP_K), Whole] | None = Field(
        None, description=f"a whole number from 1 to {MAX_TOP_K}, or leave it out"
    )
    threshold: Annotated[float, Field(strict=True, ge=0, le=1)] | None = Field(
        None, description="the lowest score that a result may have, a number from 0 to 1, or leave it out"
    )
    filter: QueryFilter | None = Field(
        None,
        description=f"an object with some of {', '.join(f.alias or '' for f in QueryFilter.model_fields.values())}",
    )

    def question(self) -> Question:
        within = self.filter.search_filter() if self.filter is not None else None
        return Question(self.query, self.top_k, self.threshold, within)


class QueryRequest(QuestionRequest):
    """A question whose passages or answer somebody wants."""

    rerank: Annotated[bool, Field(strict=True)] | None = Field(
        None, description="false for the order of the search, also if the server has a reranker"
    )
    history: History | None = Field(None, description=HISTORY)

    def question(self) -> Question:
        return replace(super().question(), rerank=self.rerank is not False, history=turns(self.history))


def query_response(results: Sequence[SearchResult], warnings: tuple[str, ...] | None = None) -> QueryResponse:
    from ragbase.retrieval.search_result import SearchResults, near_miss_of

    searched = results if isinstance(results, SearchResults) else SearchResults(results)
    return QueryResponse(
        results=tuple(_result(result) for result in results),
        reranked=results[0].reranked if results else None,
        warnings=warnings,
        near_miss=near_miss_body(near_miss_of(results)),
        searched_for=searched.searched_for,
        parts=part_bodies(searched.parts),
    )


def _result(result: SearchResult) -> SearchResultBody:
    sources = tuple(
        ResultSourceBody(
            document_id=source.document.id,
            filename=source.document.source,
            document_metadata=_document_metadata(source.document),
            metadata=chunk_metadata(source.chunk),
        )
        for source in result.sources
    )
    return SearchResultBody(
        content=result.chunk.text,
        score=result.score,
        document_id=result.document.id,
        filename=result.document.source,
        document_metadata=_document_metadata(result.document),
        metadata=chunk_metadata(result.chunk),
        sources=sources,
        lacks=result.lacks or None,
        context=context_body(result.context),
        context_of=result.context_of,
        confidence=result.level,
    )


def _document_metadata(document: Document) -> DocumentMetadataBody | None:
    said = document.metadata
    if not (said.title or said.tags or said.date or said.url):
        return None
    return DocumentMetadataBody(title=said.title, tags=said.tags or None, date=said.date, url=said.url)
