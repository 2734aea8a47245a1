"""The text around a result."""

from __future__ import annotations

from ragbase.messages.json_model import JsonModel


class ContextBody(JsonModel):
    """`text` is the document's text from `charStart` to `charEnd`, with the passage in it. `truncated` is true if the
    tokens did not suffice for all of it."""

    text: str
    char_start: int
    char_end: int
    truncated: bool | None = None
