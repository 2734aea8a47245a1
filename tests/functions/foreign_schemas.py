"""The published schemas of other services' protocols (tests/data/foreign_schemas), and OpenAI's types in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
from openai.types import VectorStore, VectorStoreSearchResponse
from openai.types.vector_stores import FileContentResponse, VectorStoreFile, VectorStoreFileDeleted
from pydantic import BaseModel

_FOLDER = Path(__file__).resolve().parents[1] / "data/foreign_schemas"

_TYPES: dict[str, type[BaseModel]] = {
    "vector_store": VectorStore,
    "vector_stores": VectorStore,
    "vector_store_file": VectorStoreFile,
    "vector_store_files": VectorStoreFile,
    "deleted_file": VectorStoreFileDeleted,
    "file_content": FileContentResponse,
    "search_results": VectorStoreSearchResponse,
}
"""OpenAI's type of an answer, or of each item of its list."""


def checked(answer: Any, protocol: str, name: str, status: int = 200) -> Any:
    """The JSON of an answer, which has this status and is as the protocol says."""
    assert answer.status_code == status, answer.data
    return validated(answer.json, protocol, name)


def validated(body: Any, protocol: str, name: str) -> Any:
    """The same body, which is as the protocol says. OpenAI's client checks nothing that it reads."""
    schemas = json.loads((_FOLDER / f"{protocol}.json").read_text(encoding="utf-8"))
    jsonschema_rs.validate({**schemas, "$ref": f"#/$defs/{name}"}, body)
    if protocol == "openai" and name in _TYPES:
        for one in body.get("data", [body]):
            _TYPES[name].model_validate(one, strict=True)
    return body
