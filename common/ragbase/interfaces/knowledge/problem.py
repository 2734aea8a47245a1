"""Why a document did not end well, for the person who waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.messages.api.documents import DocumentStatusResponse


def problem_of(state: DocumentStatusResponse, *, goes_on: str) -> str | None:
    """None if it did. `goes_on` says who works on one that has not ended (Knowledge)."""
    if not state.is_settled:
        reason = f": {state.fail_reason}" if state.fail_reason else ""
        return f"{state.filename}: not processed yet; {goes_on}{reason}"
    return f"{state.filename}: {state.fail_reason}" if state.fail_reason else None
