"""The reference page of the HTTP API, from its description in OpenAPI."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ragbase.interfaces.api.description import document
from scripts.site.table import table


def http_page() -> str:
    description = document(is_open=False)
    parts: list[str] = []
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            parts.append(f"## {method.upper()} {path}\n")
            parts.extend(_operation(operation))
    parts.append("## Models\n")
    for name, schema in sorted(description["components"]["schemas"].items()):
        parts.append(f"### {name}\n")
        parts.extend(_model(schema))
    return "\n".join(parts)


def _operation(operation: Mapping[str, Any]) -> Iterator[str]:
    yield f"{operation['summary']}\n"
    yield "Needs a token or a key.\n" if operation["security"] else "Anybody may call it.\n"
    if operation["parameters"]:
        yield table(
            ("parameter", "in", "type", "meaning"),
            (
                (f"`{one['name']}`", one["in"], _type(one["schema"]), one.get("description", ""))
                for one in operation["parameters"]
            ),
        )
    for media, content in operation.get("requestBody", {}).get("content", {}).items():
        yield f"Body (`{media}`): {_type(content['schema'])}\n"
        if "example" in content:
            yield f"```json\n{json.dumps(content['example'], ensure_ascii=False)}\n```\n"
        if "properties" in content["schema"]:
            yield from _model(content["schema"])
    yield table(
        ("status", "body", "meaning"),
        (
            (status, ", ".join(_content(answer)), answer["description"])
            for status, answer in sorted(operation["responses"].items())
        ),
    )


def _content(answer: Mapping[str, Any]) -> Iterator[str]:
    for media, content in answer.get("content", {}).items():
        schema = content.get("schema", {})
        yield _type(schema) if media == "application/json" and schema else f"`{media}`"


def _model(schema: Mapping[str, Any]) -> Iterator[str]:
    if schema.get("description"):
        yield f"{schema['description']}\n"
    required = schema.get("required", ())
    if schema.get("properties"):
        yield table(
            ("field", "type", "", "meaning"),
            (
                (f"`{name}`", _type(one), "required" if name in required else "", one.get("description", ""))
                for name, one in schema["properties"].items()
            ),
        )
    elif "enum" in schema or "type" in schema:
        yield f"{_type(schema)}\n"


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if values := schema.get("enum", [schema["const"]] if "const" in schema else []):
        return ", ".join(f"`{value}`" for value in values)
    if kinds := schema.get("anyOf", schema.get("oneOf")):
        return " or ".join(dict.fromkeys(map(_type, kinds)))
    if "items" in schema:
        return f"list of {_type(schema['items'])}"
    kind = schema.get("type", "bytes" if "contentMediaType" in schema else "any")
    return f"{' or '.join(kind) if isinstance(kind, list) else kind}{''.join(_bounds(schema))}"


def _bounds(schema: Mapping[str, Any]) -> Iterator[str]:
    least = schema.get("minimum", schema.get("minLength"))
    most = schema.get("maximum", schema.get("maxLength"))
    if least is not None or most is not None:
        yield ","
        yield f" from {least}" if least is not None else ""
        yield f" to {most}" if most is not None else ""
        yield " characters" if schema["type"] == "string" else ""
