"""The body of POST /retrieval, as Dify publishes it (messages/api/retrieval.py), and its answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from ragbase.domain.limits import MAX_QUERY_LENGTH, MAX_TOP_K
from ragbase.domain.question import Question
from ragbase.domain.search_filter import SearchFilter
from ragbase.interfaces.wire.foreign_filter import Comparison, Junction, Kind, Value, WrongFilter, alternatives
from ragbase.interfaces.wire.passage_attributes import passage_attributes
from ragbase.messages.api.query import SearchResultBody
from ragbase.messages.api.retrieval import RetrievalRecord, RetrievalResponse
from ragbase.messages.foreign_model import ForeignRequest
from ragbase.messages.json_model import Whole

_KINDS: dict[str, Kind] = {
    "is": "eq",
    "=": "eq",
    "in": "in",
    ">": "gt",
    "<": "lt",
    "≥": "gte",
    "≤": "lte",
    "after": "gt",
    "before": "lt",
}
"""Dify has more operators: those of parts of texts, of what is empty, and of what is not equal."""


class RetrievalSetting(ForeignRequest):
    """Dify sends a threshold of 0 where none is set."""

    top_k: Annotated[int, Field(strict=True, ge=1, le=MAX_TOP_K), Whole] = Field(
        description=f"a whole number from 1 to {MAX_TOP_K}"
    )
    score_threshold: Annotated[float, Field(strict=True, ge=0, le=1)] = Field(description="a number from 0 to 1")


class MetadataComparison(ForeignRequest):
    name: str = Field(description="the key")
    comparison_operator: str = Field(description=f"one of {', '.join(_KINDS)}")
    value: Annotated[float, Field(strict=True)] | str | tuple[str, ...] | None = Field(
        None, description="a text, a number, or a list of texts"
    )


class MetadataCondition(ForeignRequest):
    logical_operator: Literal["and", "or"] = Field("and", description="and, or or")
    conditions: tuple[MetadataComparison, ...] = Field(description="a list of conditions")


class RetrievalRequest(ForeignRequest):
    """A search for Dify."""

    knowledge_id: str = Field(description="the id of a store: ragbase, or vs_ and the name of a tenant")
    query: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_QUERY_LENGTH),
        Field(json_schema_extra={"pattern": r"\S"}),
    ] = Field(description=f"a text of 1 to {MAX_QUERY_LENGTH} characters")
    retrieval_setting: RetrievalSetting = Field(description="an object with top_k and score_threshold")
    metadata_condition: MetadataCondition | None = Field(
        None, description="an object with logical_operator and conditions, or leave it out"
    )

    @property
    def most(self) -> int:
        """The most passages that are answered."""
        return self.retrieval_setting.top_k

    def questions(self) -> Sequence[Question]:
        """What is searched for: the query with each alternative of the condition. Raises WrongFilter."""
        wanted = self.retrieval_setting
        within = _alternatives(self.metadata_condition)
        return [Question(self.query, wanted.top_k, wanted.score_threshold, one) for one in within]


def _alternatives(condition: MetadataCondition | None) -> Sequence[SearchFilter | None]:
    if condition is None or not condition.conditions:
        return (None,)
    try:
        return alternatives(Junction(condition.logical_operator, tuple(map(_comparison, condition.conditions))))
    except WrongFilter as error:
        raise WrongFilter(f"`metadata_condition`: {error}") from None


def _comparison(one: MetadataComparison) -> Comparison:
    """Raises WrongFilter for what our filter can't say."""
    kind = _KINDS.get(one.comparison_operator)
    if kind is None:
        raise WrongFilter(f"the operator is not supported. Use one of {', '.join(_KINDS)}")
    values: tuple[Value, ...] = one.value if isinstance(one.value, tuple) else () if one.value is None else (one.value,)
    if not values or (kind != "in" and len(values) > 1):
        raise WrongFilter(f"`{one.name}` needs {'one or more values' if kind == 'in' else 'one value'}")
    return Comparison(kind, one.name, values)


def retrieval_response(results: Sequence[SearchResultBody]) -> RetrievalResponse:
    return RetrievalResponse(records=tuple(map(_record, results)))


def _record(result: SearchResultBody) -> RetrievalRecord:
    said = result.document_metadata
    return RetrievalRecord(
        content=result.shown_text,
        score=result.score,
        title=said.title if said is not None and said.title else result.filename,
        metadata={"document_id": result.document_id, "filename": result.filename, **passage_attributes(result)},
    )
