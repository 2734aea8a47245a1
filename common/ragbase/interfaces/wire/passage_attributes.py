"""The facts of a passage as the plain values that OpenAI's and Dify's protocols have."""

from __future__ import annotations

from ragbase.messages.api.passage_facts import Fact, passage_facts
from ragbase.messages.api.query import SearchResultBody

_LONGEST = 512
"""Characters of a value in OpenAI's `attributes`."""


def passage_attributes(result: SearchResultBody) -> dict[str, str | int | float]:
    return {name: plain_value(fact) for name, fact in passage_facts(result).items()}


def plain_value(fact: Fact) -> str | int | float:
    """A list is joined with commas, and a longer text is cut."""
    text = ", ".join(fact) if isinstance(fact, list) else fact
    return text[:_LONGEST] if isinstance(text, str) else text
