"""The description of the API, as OpenAPI 3.1 has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic.json_schema import models_json_schema

from ragbase import __version__
from ragbase.interfaces.api.mcp import MCP, is_mcp_installed
from ragbase.interfaces.api.operation import FORM, JSON, Answer, Operation
from ragbase.interfaces.api.operations import OPERATIONS
from ragbase.messages.foreign_model import ForeignModel

if TYPE_CHECKING:
    from ragbase.messages.json_model import JsonModel

_REF = "#/components/schemas/{model}"
_IN_PATH = {
    "id": ("string", "its id"),
    "store": ("string", "the id of a store: `ragbase`, or `vs_` and the name of a tenant"),
    "page": ("integer", "the number of a page, counted from 1"),
    "question": ("string", "the id of a golden question"),
    "letter": ("string", "the id of a dead letter"),
    "key_id": ("string", "the id of a key"),
}
ABOUT = (
    "Search over the files in a bucket, with citations. Every error has the body {error, message}. Those of other "
    "services' protocols have the bodies of these."
)


@cache
def document(*, is_open: bool, public_url: str = "") -> dict[str, Any]:
    """The description as OpenAPI 3.1 has it. `is_open` says that nobody has to sign in. Without a `public_url`, the
    paths are below the address from which somebody has the description, as OpenAPI says of one without `servers`."""
    operations = offered()
    taken = {model.load() for one in operations for model in (one.parameters, one.body) if model is not None}
    given = {answer.body.load() for one in operations for answer in one.answers.values() if answer.body}
    given |= {one.error_body.load() for one in operations}
    models: list[Any] = [(model, "validation") for model in sorted(taken, key=str)]
    models += [(model, "serialization") for model in sorted(given, key=str)]
    references, definitions = models_json_schema(models, ref_template=_REF)
    schemas = definitions.get("$defs", {})
    answered = set(
        _reached(
            [references[(model, "serialization")] for model in given if not issubclass(model, ForeignModel)], schemas
        )
    )
    for name in answered:
        _leave_out_null(schemas[name])
    refs = {model: references[(model, mode)] for model, mode in models}
    paths: dict[str, Any] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, refs, schemas, is_open)
    return {
        "openapi": "3.1.0",
        "info": {"title": "ragbase", "version": __version__, "description": ABOUT},
        **({"servers": [{"url": public_url}]} if public_url else {}),
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer", "description": "a token of login, or an API key"}
            },
        },
    }


def offered() -> Sequence[Operation]:
    """What this installation answers."""
    return [one for one in OPERATIONS if one.is_described and (one is not MCP or is_mcp_installed())]


def _operation(
    operation: Operation, refs: dict[type[JsonModel], Any], schemas: dict[str, Any], is_open: bool
) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.id,
        "summary": operation.summary,
        "parameters": list(_parameters(operation, refs, schemas)),
        "responses": {
            **{str(status): _answer(answer, refs) for status, answer in operation.answers.items()},
            **{
                str(status): {"description": meaning, "content": {JSON: {"schema": refs[operation.error_body.load()]}}}
                for status, meaning in sorted(operation.errors.items())
                if status not in operation.answers
            },
        },
        "security": [] if is_open or not operation.needs_caller else [{"bearer": []}],
    }
    if operation.body is not None:
        schema = refs[operation.body.load()]
        if operation.body_type == FORM:
            # Bytes have no type in JSON (OpenAPI 3.1.1, "Working with Binary Data"): any bytes are a file.
            file = {"contentMediaType": "application/octet-stream", "description": "the file"}
            form = schemas[schema["$ref"].rpartition("/")[2]]
            schema = {**form, "properties": {"file": file, **form["properties"]}, "required": ["file"]}
        content = {"schema": schema, **({"example": operation.example} if operation.example else {})}
        described["requestBody"] = {"required": True, "content": {operation.body_type: content}}
    return described


def _parameters(
    operation: Operation, refs: dict[type[JsonModel], Any], schemas: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    for name in operation.in_path:
        type, about = _IN_PATH[name]
        yield {"name": name, "in": "path", "required": True, "schema": {"type": type}, "description": about}
    if operation.parameters is not None:
        model = schemas[refs[operation.parameters.load()]["$ref"].rpartition("/")[2]]
        for name, schema in model["properties"].items():
            about = schema.get("description", "")
            required = name in model.get("required", ())
            yield {"name": name, "in": "query", "required": required, "schema": _not_null(schema), "description": about}


def _answer(answer: Answer, refs: dict[type[JsonModel], Any]) -> dict[str, Any]:
    described: dict[str, Any] = {"description": answer.meaning}
    if answer.body is not None:
        described["content"] = {JSON: {"schema": refs[answer.body.load()]}}
    elif answer.media_type != JSON:
        described["content"] = {answer.media_type: {}}
    if answer.other_type:
        described["content"][answer.other_type] = {"schema": {"type": "string"}}
    if answer.links:
        described["links"] = {
            link: {"operationId": link, "parameters": {"id": "$response.body#/id"}} for link in answer.links
        }
    return described


def _reached(schemas: Any, all_schemas: dict[str, Any], known: set[str] | None = None) -> Iterator[str]:
    """The names of the schemas that these refer to, and those that they refer to in turn."""
    known = set() if known is None else known
    if isinstance(schemas, list):
        for one in schemas:
            yield from _reached(one, all_schemas, known)
    elif isinstance(schemas, dict):
        name = str(schemas.get("$ref", "")).rpartition("/")[2]
        if name and name not in known:
            known.add(name)
            yield name
            yield from _reached(all_schemas[name], all_schemas, known)
        for one in schemas.values():
            yield from _reached(one, all_schemas, known)


def _leave_out_null(schema: dict[str, Any]) -> None:
    """An answer leaves out what it does not have (JsonModel.to_json): nothing is null, such fields can be absent."""
    properties = schema.get("properties", {})
    nullable = [name for name, one in properties.items() if {"type": "null"} in one.get("anyOf", ())]
    schema["required"] = [name for name in schema.get("required", ()) if name not in nullable]
    for name in nullable:
        properties[name] = _not_null(properties[name])


def _not_null(schema: dict[str, Any]) -> dict[str, Any]:
    others = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    if not others:
        return schema
    rest = {name: value for name, value in schema.items() if name != "anyOf" and not (name == "default" and not value)}
    return {**rest, **others[0]} if len(others) == 1 else {**rest, "anyOf": others}
