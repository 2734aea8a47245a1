"""The body of a request that asks a question."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ragbase.client.filter import Filter
from ragbase.client.typed_exchange import json_body
from ragbase.domain.conversation import Turn, check_turns


def question_body(
    text: str,
    top_k: int | None,
    threshold: float | None,
    filter: Filter | None,
    *,
    history: Sequence[Turn] = (),
    **others: str | int | None,
) -> Callable[[], Mapping[str, Any]]:
    """What is None is left out, and so is an empty history: an older server knows none. Raises what check_turns
    raises."""
    wanted: dict[str, Any] = {"query": text, **{name: value for name, value in others.items() if value is not None}}
    if top_k is not None:
        wanted["topK"] = top_k
    if threshold is not None:
        wanted["threshold"] = threshold
    if filter is not None:
        wanted["filter"] = json.loads(filter.to_json())
    if history:
        check_turns(history)
        wanted["history"] = [*map(_turn, history)]
    return json_body(wanted)


def _turn(turn: Turn) -> dict[str, Any]:
    cited = {"documentIds": turn.documents} if turn.documents else {}
    return {"role": turn.role, "text": turn.text, **cited}
