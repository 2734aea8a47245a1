"""The parameters of a page's image and of its marks, and the bodies of pages and marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ragbase.messages.api.page_marks import PageMarkBody, PageMarksResponse, PagesResponse, ShownPage
from ragbase.messages.json_model import RequestModel

if TYPE_CHECKING:
    from ragbase.domain.word_boxes import PageMark
    from ragbase.formats.page_image.page_image import PageSize

LEAST_WIDTH, USUAL_WIDTH, MOST_WIDTH = 100, 1200, 2400
"""Pixels."""
MOST_CHARACTERS = 2**31 - 1
"""More than a text within the limits can have."""


class PageImageRequest(RequestModel):
    """The query parameter of a page's image, as text."""

    width: Annotated[int, Field(ge=LEAST_WIDTH, le=MOST_WIDTH)] = Field(
        USUAL_WIDTH, description=f"how many pixels wide, from {LEAST_WIDTH} to {MOST_WIDTH}"
    )


class PageMarksRequest(RequestModel):
    """The query parameters of a page's marks, as text: the place of a citation or chunk in the document's text."""

    from_: Annotated[int, Field(ge=0, le=MOST_CHARACTERS)] = Field(
        alias="from", description="the first character, as `charStart` of a citation"
    )
    to: Annotated[int, Field(ge=0, le=MOST_CHARACTERS)] = Field(
        description="the character after the last, as `charEnd` of a citation"
    )
    breaks: str | None = Field(
        None,
        pattern=r"^[0-9]{1,10}(,[0-9]{1,10}){0,299}$",
        description="characters over which no rectangle goes on, with commas, or leave it out: where chunks begin",
    )

    @property
    def places(self) -> Sequence[int]:
        """The breaks, in their order."""
        return sorted(map(int, self.breaks.split(","))) if self.breaks else ()


def pages_response(
    document_id: str, sizes: Sequence[PageSize], starts: Mapping[int, int] | None, *, outdated: bool
) -> PagesResponse:
    """`starts` is None if nobody knows where words stand."""
    return PagesResponse(
        document_id=document_id,
        known=starts is not None,
        outdated=outdated,
        pages=tuple(
            ShownPage(width=round(size.width, 2), height=round(size.height, 2), char_start=(starts or {}).get(number))
            for number, size in enumerate(sizes, start=1)
        ),
    )


def page_marks_response(document_id: str, page: int, marks: Sequence[PageMark] | None) -> PageMarksResponse:
    """`marks` is None if nobody knows them."""
    return PageMarksResponse(
        document_id=document_id,
        page=page,
        known=marks is not None,
        marks=tuple(
            PageMarkBody(
                left=mark.left,
                top=mark.top,
                right=mark.right,
                bottom=mark.bottom,
                char_start=mark.char_start,
                char_end=mark.char_end,
            )
            for mark in marks or ()
        ),
    )
