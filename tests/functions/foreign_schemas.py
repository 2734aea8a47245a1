"""The published schemas of other services' protocols (tests/data/foreign_schemas)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs

_FOLDER = Path(__file__).resolve().parents[1] / "data/foreign_schemas"


def checked(answer: Any, protocol: str, name: str, status: int = 200) -> Any:
    """The JSON of an answer, which has this status and is as the protocol says."""
    assert answer.status_code == status, answer.data
    return validated(answer.json, protocol, name)


def validated(body: Any, protocol: str, name: str) -> Any:
    """The same body, which is as the protocol says."""
    schemas = json.loads((_FOLDER / f"{protocol}.json").read_text(encoding="utf-8"))
    jsonschema_rs.validate({**schemas, "$ref": f"#/$defs/{name}"}, body)
    return body
