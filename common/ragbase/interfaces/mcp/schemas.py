"""JSON Schemas of our models that every client reads.

Many clients hand the schemas of tools on to a model's API that knows only a part of JSON Schema: no `$ref`, no `$defs`,
no `anyOf`, no `null`, and one `type` each. So each definition stands where it is used, what may be left out is not
required, and what may be of several types is described as a text. The models still check every call."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from pydantic import BaseModel

Schema = dict[str, Any]

_KEPT = (
    "type", "description", "enum", "properties", "required", "additionalProperties", "items", "minimum", "maximum",
    "minLength", "maxLength", "minItems", "maxItems", "pattern", "default",
)  # fmt: skip
"""What a schema of ours may have. A `format` is left out, because some APIs refuse those that they do not know."""


@cache
def flat_schema(model: type[BaseModel], mode: Literal["validation", "serialization"] = "validation") -> Schema:
    """The docstrings of the models are left out: they are written for who reads the code."""
    schema = model.model_json_schema(by_alias=True, mode=mode)
    definitions = schema.pop("$defs", {})
    schema.pop("description", None)
    return _flat(schema, definitions)


def _flat(schema: Schema, definitions: Mapping[str, Schema]) -> Schema:
    """Raises TypeError for what has no flat form."""
    if "$ref" in schema:
        found = definitions[schema["$ref"].removeprefix("#/$defs/")]
        own = {key: value for key, value in schema.items() if key != "$ref"}
        return _flat({**{key: value for key, value in found.items() if key != "description"}, **own}, definitions)
    if "anyOf" in schema and "properties" not in schema:
        return _one_of(schema, definitions)
    flat = {key: schema[key] for key in _KEPT if schema.get(key) is not None}
    if "properties" in flat:
        flat["properties"] = {name: _flat(one, definitions) for name, one in flat["properties"].items()}
    if "items" in flat:
        flat["items"] = _flat(flat["items"], definitions)
    if not isinstance(flat.get("type"), str):
        raise TypeError(f"a schema has no type that all clients read: {schema}")
    return flat


def _one_of(schema: Schema, definitions: Mapping[str, Schema]) -> Schema:
    """Branches for null go: absent and null mean the same. Texts, numbers and truth values together are a text."""
    own = {key: value for key, value in schema.items() if key != "anyOf"}
    branches = [one for one in schema["anyOf"] if one.get("type") != "null"]
    if len(branches) == 1:
        return _flat({**branches[0], **own}, definitions)
    if any(one.get("type") not in ("string", "number", "integer", "boolean") for one in branches):
        raise TypeError(f"a schema has branches that are no single values: {schema}")
    return _flat({**own, "type": "string"}, definitions)
