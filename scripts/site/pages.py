"""The pages of the reference that are generated from the code: settings, HTTP, commands, Python and ports."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import annotated_types
import click
from pydantic import SecretStr
from pydantic.fields import FieldInfo

import ragbase
from ragbase import ports
from ragbase.client import errors
from ragbase.interfaces.api.description import document
from ragbase.interfaces.cli.application import application
from ragbase.settings import (
    CLOUD_DEFAULTS,
    COHERE_CHAT_MODEL,
    FORMER_NAMES,
    JINA_MODEL,
    TOKEN_CHUNKS,
    VERTEX_MODEL,
    Config,
    variable_of,
)
from scripts.site.table import table


def settings_page() -> str:
    """Every setting, from settings.py."""
    rows = [
        (f"`{name}`", _default(field), "; ".join(_allowed(field)), f"`{variable_of(name)}`", field.description or "")
        for name, field in Config.model_fields.items()
    ]
    parts = [table(("setting", "default", "allowed", "variable", "meaning"), rows)]
    parts.append("\n## Defaults that depend on another setting\n")
    others = [(f"`{name}`", "`profile = gcp`", f"`{value}`") for name, value in CLOUD_DEFAULTS.items()]
    others.append(("`generator`", "`profile = gcp`, with `CO_API_KEY`", "`cohere`"))
    others.append(("`chat_model`", "`generator = cohere`", f"`{COHERE_CHAT_MODEL}`"))
    others += [(f"`{name}`", "`embedder = vertex`", f"`{value}`") for name, value in VERTEX_MODEL.items()]
    others += [(f"`{name}`", "`reranker = jina`", f"`{value}`") for name, value in JINA_MODEL.items()]
    others += [(f"`{name}`", "`chunk_unit = tokens`", f"`{value}`") for name, value in TOKEN_CHUNKS.items()]
    parts.append(table(("setting", "with", "default"), others))
    parts.append("\n## Former names\n\nThey still set these settings.\n")
    parts.append(table(("setting", "former name"), [(f"`{name}`", f"`{old}`") for name, old in FORMER_NAMES.items()]))
    return "\n".join(parts)


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True)
    if isinstance(value, SecretStr):
        value = value.get_secret_value()
    if isinstance(value, Path):
        value = str(value).replace(str(Path.home()), "~")
    if isinstance(value, bool):
        value = str(value).lower()
    return f"`{value}`" if value != "" else "–"


def _allowed(field: FieldInfo) -> Iterator[str]:
    kind = field.annotation
    if get_origin(kind) is Literal:
        yield ", ".join(f"`{one}`" for one in get_args(kind))
    elif isinstance(kind, type) and issubclass(kind, StrEnum):
        yield ", ".join(f"`{one.value}`" for one in kind)
    elif kind is bool:
        yield "`true`, `false`"
    for bound in field.metadata:
        match bound:
            case annotated_types.Ge(ge=least):
                yield f"from {least:,}"
            case annotated_types.Gt(gt=least):
                yield f"more than {least:,}"
            case annotated_types.Le(le=most):
                yield f"to {most:,}"
            case annotated_types.MinLen():
                yield "not empty"


def http_page() -> str:
    """Every operation and model, from its description in OpenAPI."""
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


WIDTH = 100


def commands_page() -> str:
    """The help of every command."""
    return "\n".join([*_described(application, "ragbase", None)])


def _described(command: click.Command, name: str, parent: click.Context | None) -> Iterator[str]:
    context = click.Context(command, info_name=name, parent=parent, max_content_width=WIDTH, terminal_width=WIDTH)
    yield f"## {context.command_path}\n\n```text\n{command.get_help(context)}\n```\n"
    if isinstance(command, click.Group):
        for one in command.list_commands(context):
            below = command.get_command(context, one)
            if below is not None and not below.hidden:
                yield from _described(below, one, context)


def python_page() -> str:
    """The public names. mkdocstrings fills in what the code says of each."""
    names = [getattr(ragbase, name) for name in ragbase.__all__ if not name.startswith("_")]
    faults = [one for one in vars(errors).values() if isinstance(one, type) and one.__module__ == errors.__name__]
    return "\n".join(["## ragbase\n", *_documented(names), "## ragbase.client.errors\n", *_documented(faults)])


def ports_page() -> str:
    return "\n".join(_documented(getattr(ports, name) for name in ports.__all__))


def _documented(names: Iterable[object]) -> list[str]:
    homes = [f"{getattr(one, '__module__', '')}.{getattr(one, '__qualname__', '')}" for one in names]
    return [f"::: {home}\n" for home in homes]
