"""The reference page of the settings, from settings.py."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Literal, get_args, get_origin

import annotated_types
from pydantic import SecretStr
from pydantic.fields import FieldInfo

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
    rows = [
        (f"`{name}`", _default(field), "; ".join(_bounds(field)), f"`{variable_of(name)}`", field.description or "")
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


def _bounds(field: FieldInfo) -> Iterator[str]:
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
