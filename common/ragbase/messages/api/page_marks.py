"""What /api/documents/ID/pages and …/pages/N/marks answer: how large pages are, and where characters of the text stand
on them."""

from __future__ import annotations

from ragbase.messages.json_model import JsonModel


class ShownPage(JsonModel):
    """A page as people see it, in points of a PDF or pixels of a picture. Its text begins at `charStart` of the
    document's; that is left out if it has no words, or nobody knows where they stand."""

    width: float
    height: float
    char_start: int | None = None


class PagesResponse(JsonModel):
    """The pages that can be shown, in their order; none of a format without any. `known` says whether there are marks
    on them, and `outdated` whether there may be other ones, or some at last, if the document is read again."""

    document_id: str
    known: bool
    outdated: bool
    pages: tuple[ShownPage, ...]


class PageMarkBody(JsonModel):
    """A rectangle on the page, in fractions of its width from the left and of its height from the top. It covers the
    words from `charStart` up to `charEnd` of the document's text."""

    left: float
    top: float
    right: float
    bottom: float
    char_start: int
    char_end: int


class PageMarksResponse(JsonModel):
    """One rectangle for each piece of a line. `known` is false if nobody knows where the words of this document stand:
    then there is none."""

    document_id: str
    page: int
    known: bool
    marks: tuple[PageMarkBody, ...]
