"""A filter of another service's protocol in our words: comparisons of a key with a value, joined by `and` and `or`.

Ours is a conjunction. So `or`, and `in` where ours has no list, become alternatives, each searched by itself. What ours
can't say (not equal, not in) is an error: a filter that is ignored would show more than was asked for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import product
from typing import Any, Literal

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from ragbase.domain.condition import Condition, day_in
from ragbase.domain.limits import MAX_CONDITIONS
from ragbase.domain.metadata import MAX_KEY
from ragbase.domain.search_filter import SearchFilter
from ragbase.interfaces.wire.query import QueryFilter

MAX_SEARCHES = 10
"""The most searches that one request may cause: each embeds its question."""


class WrongFilter(ValueError):
    """The filter is none of the protocol's, or asks for what ours can't say. The message names the rule and the
    remedy."""


Value = str | float | bool
Kind = Literal["eq", "gt", "gte", "lt", "lte", "in"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """`values` has one value, unless the kind is `in`. `said` is the operator in the words of the protocol."""

    kind: Kind
    key: str
    values: tuple[Value, ...]
    said: str


@dataclass(frozen=True, slots=True)
class Junction:
    kind: Literal["and", "or"]
    parts: tuple[Comparison | Junction, ...]


_LISTS = {"file_id": "document_ids", "format": "formats"}
"""Keys that our filter takes several values for, of which a document has to have one."""
_TEXTS = {"title": "title", "path_prefix": "path_prefix", "url_prefix": "url_prefix"}
_ENDS = {"gt": "at_least", "gte": "at_least", "lt": "at_most", "lte": "at_most"}
KEYS = (*_LISTS, *_TEXTS, "tag", "date")
"""All other keys are of the front matter."""
_SHOWN = {"filename": "path_prefix", "document_id": "file_id", "tags": "tag", "url": "url_prefix"}
"""What answers call the values of some of our keys."""
_PLACES = frozenset({"heading", "page", "row", "char_start", "char_end"})
"""What answers say of a passage (messages/api/passage_facts.py). A filter is about documents."""


def alternatives(filter: Comparison | Junction) -> Sequence[SearchFilter]:
    """The filters of which a document has to match one. Raises WrongFilter."""
    return [_search_filter(clause) for clause in _clauses(filter)]


def _clauses(filter: Comparison | Junction) -> Sequence[tuple[Comparison, ...]]:
    """The conjunctions of which one has to hold."""
    if isinstance(filter, Comparison):
        if filter.kind == "in" and filter.key not in _LISTS:
            return _counted([(replace(filter, kind="eq", values=(value,)),) for value in filter.values])
        return [(filter,)]
    parts = [_clauses(part) for part in filter.parts]
    if filter.kind == "or":
        return _counted([clause for part in parts for clause in part])
    if math.prod(map(len, parts)) > MAX_SEARCHES:
        raise _too_many()
    return [tuple(one for clause in chosen for one in clause) for chosen in product(*parts)]


def _counted(clauses: list[tuple[Comparison, ...]]) -> Sequence[tuple[Comparison, ...]]:
    if len(clauses) > MAX_SEARCHES:
        raise _too_many()
    return clauses


def _too_many() -> WrongFilter:
    return WrongFilter(f"it has more than {MAX_SEARCHES} alternatives, each of which is a search. Ask for fewer")


def _search_filter(clause: Sequence[Comparison]) -> SearchFilter:
    said: dict[str, Any] = {}
    for one in clause:
        if one.key in _SHOWN:
            raise WrongFilter(f"`{one.key}` can't be compared. Use `{_SHOWN[one.key]}`")
        if one.key in _PLACES:
            raise WrongFilter(f"`{one.key}` can't be compared, as it is of a passage. Name what its document has")
        if one.key not in KEYS:
            continue
        field, value = _field(one)
        if field == "tags":
            said.setdefault(field, []).append(value)
        elif field in said:
            raise WrongFilter(f"`{one.key}` is compared twice in the same way. Leave one out")
        else:
            said[field] = value
    if "date" in said:
        day = said.pop("date")
        if said.keys() & {"date_from", "date_to"}:
            raise WrongFilter("`date` equals a day and is in a range. Leave one out")
        said |= {"date_from": day, "date_to": day}
    where = tuple(_condition(one) for one in clause if one.key not in KEYS)
    if len(where) > MAX_CONDITIONS:
        raise WrongFilter(f"it has more than {MAX_CONDITIONS} comparisons of front matter at once. Ask for fewer")
    try:
        return replace(QueryFilter.model_validate(said).search_filter(), where=where)
    except ValidationError as error:
        raise WrongFilter("; ".join(dict.fromkeys(_rules(error, clause)))) from None


def _rules(error: ValidationError, clause: Sequence[Comparison]) -> Iterator[str]:
    """What is wrong, by the keys that the client has sent, and what to send instead."""
    for problem in error.errors():
        if problem["type"] == "too_short":
            continue  # none of our lists is empty: the only item is wrong, too
        name, field = _named(str(problem["loc"][0]))
        key = next(one.key for one in clause if one.key in KEYS and _field(one)[0] == name)
        yield f"`{key}`: {problem['msg']}" + (f". Send {field.description}" if field.description else "")


def _named(place: str) -> tuple[str, FieldInfo]:
    """A field of our filter, by its name in Python or in JSON."""
    return next((name, field) for name, field in QueryFilter.model_fields.items() if place in (name, field.alias))


def _condition(one: Comparison) -> Condition:
    (value,) = one.values
    ends = {} if one.kind == "eq" else {_ENDS[one.kind]: _end(one, value)}
    try:
        return Condition(key=one.key, equals=value if one.kind == "eq" else None, **ends)
    except ValueError as error:
        raise WrongFilter(f"`{one.key[:MAX_KEY]}`: {error}") from None


def _field(one: Comparison) -> tuple[str, Any]:
    """The field of our filter that says this, and its value."""
    if one.key == "date":
        return _day(one)
    if one.kind not in ("eq", "in"):
        raise WrongFilter(f"`{one.key}` can't be compared by {one.said}, as it has no order. Name what it equals")
    if not all(isinstance(value, str) for value in one.values):
        raise WrongFilter(f"`{one.key}` is compared with a text")
    if not all(one.values):
        raise WrongFilter(f"`{one.key}` is compared with a text of at least one character")
    if one.key in _LISTS:
        return _LISTS[one.key], one.values
    (text,) = one.values
    return _TEXTS.get(one.key, "tags"), text


def _day(one: Comparison) -> tuple[str, date]:
    (value,) = one.values
    day = day_in(value) if isinstance(value, str) else None
    if day is None:
        raise WrongFilter("`date` is compared with a day such as 2024-01-31")
    if one.kind == "eq":
        return "date", day
    return ("date_from" if one.kind in ("gt", "gte") else "date_to"), _beyond(one, day)


def _end(one: Comparison, value: Value) -> float | date:
    """The end of a range that has its ends in it."""
    day = day_in(value) if isinstance(value, str) else None
    if day is not None:
        return _beyond(one, day)
    if isinstance(value, str | bool):
        raise WrongFilter(f"`{one.key}` is compared by {one.said} with a number, or a day such as 2024-01-31")
    if one.kind not in ("gt", "lt"):
        return value
    try:
        return math.nextafter(value, math.inf if one.kind == "gt" else -math.inf)
    except OverflowError:
        raise WrongFilter(f"`{one.key}` is compared with a number that a 64-bit float can hold") from None


def _beyond(one: Comparison, day: date) -> date:
    step = {"gt": 1, "lt": -1}.get(one.kind, 0)
    try:
        return day + timedelta(days=step)
    except OverflowError:
        raise WrongFilter(f"`{one.key}`: there is no day beyond {day.isoformat()}") from None
