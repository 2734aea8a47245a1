"""Filters as clients of OpenAI and Dify may send them, and a judge who looks at one document after the other and knows
nothing of our filter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import prod
from operator import ge, gt, le, lt
from typing import Any, cast, get_args, get_type_hints

from hypothesis import strategies as st
from openai.types.shared_params import ComparisonFilter, CompoundFilter

Value = str | float | bool
Filter = ComparisonFilter | CompoundFilter

QUESTION = "When is the pump inspected?"
FOLDER = "judged"


@dataclass(frozen=True, slots=True)
class Attributed:
    """A document, and the texts that it has under each key."""

    path: str
    said: Mapping[str, Sequence[str]]

    @property
    def name(self) -> str:
        return f"{FOLDER}/{self.path}"

    @property
    def text(self) -> str:
        lines = [f"{'tags' if key == 'tag' else key}: {_yaml(texts)}" for key, texts in self.said.items()]
        head = "\n".join(["---", *lines, "---", ""]) if lines else ""
        return f"{head}# Pump\n\nThe pump of {self.path} is inspected once a year, by two people of the night shift.\n"

    def facts(self, key: str, id: str) -> Sequence[str]:
        if key == "file_id":
            return [id]
        if key == "format":
            return [self.name.rpartition(".")[2]]
        if key == "path_prefix":
            return [self.name, *(self.name[:at] for at, letter in enumerate(self.name) if letter == "/")]
        return self.said.get(key, ())


def _yaml(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


DOCUMENTS = (
    Attributed(
        "pumps/a.md",
        {
            "title": ["Pumps"],
            "tag": ["ops", "night"],
            "date": ["2024-03-01"],
            "level": ["3"],
            "author": ["Ann"],
            "seen": ["2024-02-29"],
            "draft": ["true"],
        },
    ),
    Attributed(
        "pumps/b.md",
        {
            "title": ["Valves"],
            "tag": ["ops", "day"],
            "date": ["2024-05-01"],
            "level": ["5"],
            "author": ["Bob", "Ann"],
            "seen": ["2024-05-02"],
            "draft": ["false"],
        },
    ),
    Attributed("notes/c.md", {"title": ["Pumps"], "date": ["2025-01-01"], "level": ["-2.5"], "author": ["Bob"]}),
    Attributed("notes/d.txt", {}),
    Attributed("notes/e.md", {"level": ["3.5"], "seen": ["2025-01-01", "2024-02-29"], "author": ["Eve Ann"]}),
)
_DAYS = ("2024-02-29", "2024-03-01", "2024-05-01", "2024-05-02", "2025-01-01", "2030-12-31")
_VALUES: Mapping[str, Sequence[Value]] = {
    "format": ("md", "txt", "pdf"),
    "path_prefix": (FOLDER, f"{FOLDER}/pumps", f"{FOLDER}/notes/", f"{FOLDER}/notes/c.md", f"{FOLDER}/pump", "nowhere"),
    "title": ("Pumps", "valves", "Pump"),
    "tag": ("ops", "NIGHT", "day", "none"),
    "date": (*_DAYS, "soon"),
    "level": (3, 5, -2.5, 3.5, 0, 4.25, 1e300, "3", "3.0", "three"),
    "author": ("ann", "Bob", "Eve Ann", "Eve", 3, True),
    "seen": (*_DAYS, 20240229),
    "draft": (True, False, "true", 1),
    "colour": ("red", 1, "2024-03-01"),
    "filename": (f"{FOLDER}/notes/c.md",),
    "page": (1,),
}

_NO_ORDER = ("file_id", "format", "path_prefix", "title", "tag")
_NOT_COMPARED = ("filename", "page")
_ONCE = ("file_id", "format", "path_prefix", "title", "date")
"""Keys that two comparisons of one alternative may not share."""
_OF_LISTS = ("file_id", "format")
_MOST = 10
"""Searches that a request may cause."""
_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {"gt": gt, "gte": ge, "lt": lt, "lte": le}
_TYPES = get_args(get_type_hints(ComparisonFilter)["type"])
_OF_DIFY: Mapping[str, str | None] = {
    "contains": None,
    "not contains": None,
    "start with": None,
    "end with": None,
    "is": "eq",
    "is not": None,
    "in": "in",
    "not in": None,
    "empty": None,
    "not empty": None,
    "=": "eq",
    "≠": None,
    ">": "gt",
    "<": "lt",
    "≥": "gte",
    "≤": "lte",
    "before": "lt",
    "after": "gt",
}
"""All operators of https://docs.dify.ai/en/use-dify/knowledge/external-knowledge-api, and what they mean in OpenAI's
words; None for what is refused."""


@dataclass(frozen=True, slots=True)
class Judge:
    """`ids` has the id of each document by its name."""

    ids: Mapping[str, str]

    def filters(self) -> st.SearchStrategy[Filter]:
        """Filters as OpenAI's types allow them."""
        return st.recursive(
            st.sampled_from([*_VALUES, "file_id"]).flatmap(self._comparisons),
            lambda inner: st.builds(
                CompoundFilter, type=st.sampled_from(["and", "or"]), filters=st.lists(inner, min_size=1, max_size=3)
            ),
            max_leaves=5,
        )

    def _comparisons(self, key: str) -> st.SearchStrategy[Filter]:
        one = st.sampled_from(self.values(key))
        several = st.lists(one, min_size=1, max_size=3, unique_by=str)
        return st.sampled_from(_TYPES).flatmap(
            lambda kind: st.builds(
                ComparisonFilter, type=st.just(kind), key=st.just(key), value=several if kind in ("in", "nin") else one
            )
        )

    def conditions(self) -> st.SearchStrategy[dict[str, Any]]:
        """What Dify may send as metadata_condition."""
        return st.fixed_dictionaries(
            {"conditions": st.lists(st.sampled_from([*_VALUES, "file_id"]).flatmap(self._condition), max_size=3)},
            optional={"logical_operator": st.sampled_from(["and", "or", None])},
        )

    def _condition(self, key: str) -> st.SearchStrategy[dict[str, Any]]:
        values = [one for one in self.values(key) if not isinstance(one, bool)]
        lists = st.lists(st.sampled_from(values), max_size=3, unique=True)
        texts = lists.map(lambda several: [*map(str, several)])
        return st.fixed_dictionaries(
            {"name": st.just(key), "comparison_operator": st.sampled_from([*_OF_DIFY])},
            optional={"value": st.sampled_from(values) | lists | texts | texts.map(", ".join) | st.none()},
        )

    def values(self, key: str) -> Sequence[Value]:
        return [*self.ids.values(), "none"] if key == "file_id" else _VALUES[key]

    def found(self, filter: Filter) -> set[str]:
        """The names of the documents that the filter is about."""
        return {one.name for one in DOCUMENTS if self._fits(filter, one)}

    def _fits(self, filter: Filter, document: Attributed) -> bool:
        if filter["type"] == "and" or filter["type"] == "or":
            parts = [self._fits(part, document) for part in _parts(filter)]
            return all(parts) if filter["type"] == "and" else any(parts)
        return holds(filter["type"], document.facts(filter["key"], self.ids[document.name]), filter["value"])


def of_dify(condition: Mapping[str, Any]) -> Filter | None:
    """The same in OpenAI's words. None for what has to be refused."""
    said = [_comparison_of_dify(**one) for one in condition["conditions"]]
    parts = [one for one in said if one is not None]
    if len(parts) < len(said):
        return None
    is_or = condition.get("logical_operator") == "or" and parts  # no conditions leave nothing out
    return CompoundFilter(type="or" if is_or else "and", filters=parts)


def _comparison_of_dify(name: str, comparison_operator: str, value: Any = None) -> ComparisonFilter | None:
    if comparison_operator == "in" and isinstance(value, str):
        value = [text.strip() for text in value.split(",") if text.strip()]
    elif comparison_operator == "in" and isinstance(value, int | float):
        value = [value]
    elif isinstance(value, list) and len(value) == 1 and comparison_operator != "in":
        (value,) = value
    if comparison_operator in ("=", "<", ">", "≤", "≥") and isinstance(value, str):
        value = _number(value)
    is_of_days = comparison_operator in ("before", "after")
    type = _OF_DIFY[comparison_operator]
    if type is None or value in (None, "", []) or isinstance(value, list) != (type == "in"):
        return None
    if is_of_days and not _is_day(value):
        return None
    return cast(ComparisonFilter, {"type": type, "key": name, "value": value})


def _number(text: str) -> Value:
    try:
        return float(text)
    except ValueError:
        return text


def holds(type: str, facts: Sequence[str], value: object) -> bool:
    """Whether one of the facts is as asked for."""
    if type == "in":
        assert isinstance(value, Sequence)
        return any(_equals(fact, one) for fact in facts for one in value)
    if type == "eq":
        return any(_equals(fact, value) for fact in facts)
    return any(_is_in_order(_ORDERS[type], fact, value) for fact in facts)


def _equals(fact: str, value: object) -> bool:
    if isinstance(value, str):
        return fact.casefold() == value.casefold().removesuffix("/")
    if isinstance(value, bool):
        return fact == str(value).lower()
    return _is_in_order(lambda one, other: bool(one == other), fact, value)


def _is_in_order(order: Callable[[Any, Any], bool], fact: str, value: object) -> bool:
    try:
        return order(date.fromisoformat(fact) if isinstance(value, str) else float(fact), _read(value))
    except ValueError:
        return False


def _read(value: object) -> object:
    return date.fromisoformat(value) if isinstance(value, str) else value


def _parts(filter: Filter) -> Sequence[Filter]:
    return cast(Sequence[Filter], cast(CompoundFilter, filter)["filters"])


def comparisons(filter: Filter) -> Sequence[ComparisonFilter]:
    if filter["type"] == "and" or filter["type"] == "or":
        return [one for part in _parts(filter) for one in comparisons(part)]
    return [filter]


def has_to_be_refused(filter: Filter) -> bool:
    """Whether it has what no search of ours can do."""
    return _searches(filter) > _MOST or any(
        cannot_be_said(one["type"], one["key"], one["value"]) for one in comparisons(filter)
    )


def may_be_refused(filter: Filter) -> bool:
    """Also whether two of its comparisons may get in each other's way."""
    keys = [one["key"] for one in comparisons(filter)]
    return has_to_be_refused(filter) or any(keys.count(key) > 1 for key in _ONCE)


def cannot_be_said(type: str, key: str, value: object) -> bool:
    values = value if isinstance(value, list) else [value]
    if type in ("ne", "nin") or key in _NOT_COMPARED:
        return True
    if key == "date" and not all(_is_day(one) for one in values):
        return True
    if key == "format" and not {*values} <= {*_VALUES["format"]}:
        return True
    if type in ("eq", "in"):
        return False
    return key in _NO_ORDER or any(
        isinstance(one, bool) or (isinstance(one, str) and not _is_day(one)) for one in values
    )


def _is_day(value: object) -> bool:
    try:
        return isinstance(value, str) and bool(date.fromisoformat(value))
    except ValueError:
        return False


def _searches(filter: Filter) -> int:
    if filter["type"] == "and" or filter["type"] == "or":
        counts = [_searches(part) for part in _parts(filter)]
        return prod(counts) if filter["type"] == "and" else sum(counts)
    return len(cast(list[Value], filter["value"])) if filter["type"] == "in" and filter["key"] not in _OF_LISTS else 1
