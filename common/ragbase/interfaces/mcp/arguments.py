"""The arguments of the tools, checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ragbase.domain.comparable_values import number_of
from ragbase.domain.context import Expand
from ragbase.domain.document import Status
from ragbase.domain.limits import DEFAULT_PAGE_SIZE, MAX_EXPAND_TOKENS, MAX_PAGE_SIZE, MAX_QUERY_LENGTH, MAX_TOP_K
from ragbase.interfaces.mcp.frames import line, quoted
from ragbase.interfaces.mcp.schemas import Schema, flat_schema
from ragbase.interfaces.wire.cursor import CURSOR
from ragbase.interfaces.wire.history import HISTORY, History
from ragbase.interfaces.wire.query import QueryFilter
from ragbase.interfaces.wire.search_request import EXPAND, EXPAND_TOKENS

PAGE = 20_000
"""Characters of a document's text in one answer, at most: some 5,000 tokens of a model's context."""

_MOST_PROBLEMS = 5
_MOST_OF_A_NAME = 100


class WrongArguments(Exception):
    """The message names the argument, the rule and what to send instead."""


def _read_json(given: object) -> object:
    """Some assistants send an object as a text that has its JSON, and a number as its digits."""
    from pydantic_core import from_json

    if isinstance(given, str):
        try:
            given = from_json(given)
        except ValueError:
            return given
    if isinstance(given, dict) and isinstance(given.get("where"), list):
        return {**given, "where": [_with_numbers(one) for one in given["where"]]}
    return given


def _with_numbers(condition: object) -> object:
    if not isinstance(condition, dict):
        return condition
    ends = {key: value for key, value in condition.items() if key in ("atLeast", "atMost") and isinstance(value, str)}
    numbers = {key: number_of(value) for key, value in ends.items()}
    return {**condition, **{key: number for key, number in numbers.items() if number is not None}}


_Filter = Annotated[QueryFilter | None, BeforeValidator(_read_json)]
_History = Annotated[History | None, BeforeValidator(_read_json)]
_WITHIN = Field(None, description="Only in documents that fit all of its fields")
_BEFORE = Field(None, description=f"{HISTORY[0].upper()}{HISTORY[1:]}")


class _Arguments(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class SearchArguments(_Arguments):
    query: str = Field(max_length=MAX_QUERY_LENGTH, description="The search query")
    filter: _Filter = _WITHIN
    history: _History = _BEFORE
    expand: Expand | None = Field(None, description=f"{EXPAND[0].upper()}{EXPAND[1:]}")
    expand_tokens: int | None = Field(
        None, ge=1, le=MAX_EXPAND_TOKENS, description=f"{EXPAND_TOKENS[0].upper()}{EXPAND_TOKENS[1:]}"
    )


class AnswerArguments(_Arguments):
    query: str = Field(min_length=1, max_length=MAX_QUERY_LENGTH, pattern=r"\S", description="The question")
    top_k: int | None = Field(None, ge=1, le=MAX_TOP_K, description="From how many passages to answer, at most")
    filter: _Filter = _WITHIN
    history: _History = _BEFORE


class DocumentArguments(_Arguments):
    id: str = Field(min_length=1, description="The id, from list_documents or searchKnowledge")
    offset: int = Field(0, ge=0, description="The first character of the text to return")
    limit: int = Field(PAGE, ge=1, le=PAGE, description="The most characters of text to return")


class ListArguments(_Arguments):
    status: Status | None = Field(None, description="Only documents in this state")
    limit: int = Field(DEFAULT_PAGE_SIZE, ge=1, le=MAX_PAGE_SIZE, description="The most documents to return")
    cursor: str | None = Field(None, pattern=CURSOR, description="The nextCursor of the page before, for the next page")


class QueryArguments(_Arguments):
    query: str = Field(min_length=1, max_length=MAX_QUERY_LENGTH, pattern=r"\S", description="The search query")


class FetchArguments(_Arguments):
    id: str = Field(min_length=1, description="An id that search or fetch gave, or the id of a document")


Arguments = TypeVar("Arguments", bound=_Arguments)


def read_arguments(model: type[Arguments], tool: str, given: Mapping[str, Any]) -> Arguments:
    """Null counts as not given. Raises WrongArguments."""
    try:
        return model.model_validate({name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        problems = [*dict.fromkeys(_problems(error, tool, flat_schema(model)))]
        raise WrongArguments(" ".join(problems[:_MOST_PROBLEMS])) from None


def _problems(error: ValidationError, tool: str, schema: Schema) -> Iterator[str]:
    """Each wrong argument once, however many rules it breaks. A list that has a wrong item is not wrong itself."""
    problems = [(one, *_found(one["loc"], schema)) for one in error.errors(include_url=False, include_input=False)]
    places = [place for _, place, _ in problems]
    for one, place, where in problems:
        if one["type"] == "extra_forbidden":
            owner = ".".join(map(str, place)) or tool
            yield f"{_name(one['loc'])} is unknown. {owner} takes {listed([*where['properties']])}."
        elif not any(len(other) > len(place) and other[: len(place)] == place for other in places):
            problem = one["msg"] if place == one["loc"] else "It is of another type"
            wanted = where.get("description", "")
            yield line(f"{_name(place)}: {problem}." + (f" Wanted: {wanted[0].lower()}{wanted[1:]}." if wanted else ""))


def _found(place: Sequence[str | int], schema: Schema) -> tuple[tuple[str | int, ...], Schema]:
    """As much of the place as the schema has, and what it has there. pydantic adds the branch of a union that did not
    fit."""
    for depth, step in enumerate(place):
        inner = schema.get("items") if isinstance(step, int) else schema.get("properties", {}).get(step)
        if inner is None:
            return tuple(place[:depth]), schema
        schema = inner
    return tuple(place), schema


def _name(place: Sequence[str | int]) -> str:
    return quoted(".".join(map(str, place))[:_MOST_OF_A_NAME])


def listed(names: Sequence[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
