"""The body of a request that asks a question."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from ragbase.client.filter import Filter
from ragbase.client.typed_exchange import json_body


def question_body(
    text: str, top_k: int | None, threshold: float | None, filter: Filter | None, **others: str | bool | None
) -> Callable[[], Mapping[str, Any]]:
    """What is None is left out."""
    wanted: dict[str, Any] = {"query": text, **{name: value for name, value in others.items() if value is not None}}
    if top_k is not None:
        wanted["topK"] = top_k
    if threshold is not None:
        wanted["threshold"] = threshold
    if filter is not None:
        wanted["filter"] = json.loads(filter.to_json())
    return json_body(wanted)
