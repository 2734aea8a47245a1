"""What /api/documents/ID/pages/N/marks answers: where characters of the text stand on a page."""

from __future__ import annotations

from ragbase.messages.json_model import JsonModel


class PageMarkBody(JsonModel):
    """A rectangle on the page, in fractions of its width from the left and of its height from the top."""

    left: float
    top: float
    right: float
    bottom: float


class PageMarksResponse(JsonModel):
    """One rectangle for each piece of a line. `known` is false if nobody knows where the words of this document stand:
    then there is none."""

    document_id: str
    page: int
    known: bool
    marks: tuple[PageMarkBody, ...]
