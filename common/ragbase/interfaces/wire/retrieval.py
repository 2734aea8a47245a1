"""The body of POST /retrieval, as Dify publishes it (messages/api/retrieval.py), and its answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from ragbase.domain.comparable_values import number_of
from ragbase.domain.condition import day_in
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
"""Those that are answered. Dify has more: of parts of texts, of what is empty, and of what is not equal."""
_OF_NUMBERS = frozenset({"=", ">", "<", "≥", "≤"})
_OF_DAYS = frozenset({"after", "before"})
_SHOWN = 60
"""Characters of an operator that are shown."""
_Number = Annotated[float, Field(strict=True)]


class RetrievalSetting(ForeignRequest):
    """Dify sends a threshold of 0 where none is set."""

    top_k: Annotated[int, Field(strict=True, ge=1, le=MAX_TOP_K), Whole] = Field(
        description=f"a whole number from 1 to {MAX_TOP_K}"
    )
    score_threshold: Annotated[float, Field(strict=True, ge=0, le=1)] = Field(description="a number from 0 to 1")


class MetadataComparison(ForeignRequest):
    name: str = Field(description="the key")
    comparison_operator: str = Field(description=f"one of {', '.join(_KINDS)}")
    value: _Number | str | tuple[_Number | str, ...] | None = Field(
        None, description="a text, a number, or a list of these"
    )


class MetadataCondition(ForeignRequest):
    """Dify sends null for what is not set (MetadataFilteringCondition in its source)."""

    logical_operator: Literal["and", "or"] | None = Field(None, description="and, or or; and without it")
    conditions: tuple[MetadataComparison, ...] | None = Field(None, description="a list of conditions")


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
        parts = tuple(map(_comparison, condition.conditions))
        return alternatives(Junction(condition.logical_operator or "and", parts))
    except WrongFilter as error:
        raise WrongFilter(f"`metadata_condition`: {error}") from None


def _comparison(one: MetadataComparison) -> Comparison:
    """Raises WrongFilter for what our filter can't say."""
    operator = one.comparison_operator
    kind = _KINDS.get(operator)
    if kind is None:
        raise WrongFilter(f"`{one.name}` can't be compared by {operator[:_SHOWN]!r}. Use one of {', '.join(_KINDS)}")
    values = _values(one, is_list=kind == "in")
    if not values or (kind != "in" and len(values) > 1):
        wanted = "a list of one or more values" if kind == "in" else "one value"
        raise WrongFilter(f"`{one.name}` is compared by {operator} with {wanted}")
    if operator in _OF_DAYS and not all(isinstance(value, str) and day_in(value) for value in values):
        raise WrongFilter(f"`{one.name}` is compared by {operator} with a day such as 2024-01-31")
    return Comparison(kind, one.name, values, said=operator)


def _values(one: MetadataComparison, *, is_list: bool) -> tuple[Value, ...]:
    """Dify takes commas in the text of a list for its ends, too (process_metadata_filter_func in its source). What a
    workflow fills in is a text, also where the operator compares numbers."""
    match one.value:
        case None:
            return ()
        case tuple():
            return one.value
        case str() if is_list:
            return tuple(text for part in one.value.split(",") if (text := part.strip()))
        case str() if one.comparison_operator in _OF_NUMBERS and (number := number_of(one.value)) is not None:
            return (number,)
        case _:
            return (one.value,)


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
