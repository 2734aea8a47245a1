"""The text around a result, in the body of /api/query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.messages.api.context import ContextBody

if TYPE_CHECKING:
    from ragbase.domain.context import Context


def context_body(context: Context | None) -> ContextBody | None:
    if context is None:
        return None
    return ContextBody(
        text=context.text,
        char_start=context.char_start,
        char_end=context.char_end,
        truncated=context.truncated or None,
    )
