"""The pages of a document as images, and where characters of its text stand on them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from flask import Blueprint, Response

from ragbase.domain.errors import GenerationGone, MissingExtra, PermanentError, TextGone
from ragbase.interfaces.api.callers_documents import found
from ragbase.interfaces.api.guard import current_caller
from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.body import parameters
from ragbase.interfaces.http.errors import Refused
from ragbase.interfaces.http.json_answer import json_answer

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.document import Document, IndexedGeneration
    from ragbase.engine.page_images import PageImages

MOST_DIGITS = 9
"""Of a page's number."""


def pages(profile: Profile) -> Blueprint:
    blueprint = Blueprint("pages", __name__)

    @cache
    def images() -> PageImages:
        from ragbase.engine.page_images import PageImages

        return PageImages(profile.bucket, profile.extractor)

    @route(blueprint, operation("listPages"))
    def list_(id: str) -> Response:
        from ragbase.engine.page_marks import starts_of_pages
        from ragbase.engine.reread import is_outdated
        from ragbase.interfaces.wire.page_marks import pages_response

        record = found(id, profile)
        shown = _shown(record, profile)
        with _drawing(record.source, record):
            sizes = images().sizes(record, shown, caller=current_caller().basis)
        starts = starts_of_pages(record, shown, profile.word_boxes)
        outdated = is_outdated(record, shown, profile.extractor)
        return json_answer(pages_response(record.id, sizes, starts, outdated=outdated))

    @route(blueprint, operation("getPage"))
    def image(id: str, page: str) -> Response:
        from ragbase.interfaces.wire.page_marks import PageImageRequest

        record = found(id, profile)
        width = parameters(PageImageRequest).width
        number, shown = _number(page, record), _shown(record, profile)
        with _drawing(f"{record.source}, page {number}", record):
            drawn = images().image(record, shown, number, width, caller=current_caller().basis)
        if drawn is None:
            raise _no_page(record, page)
        response = Response(drawn, mimetype="image/png")
        response.headers["Cache-Control"] = "private, no-cache"  # another generation has the same address
        return response

    @route(blueprint, operation("listMarks"))
    def marks(id: str, page: str) -> Response:
        from ragbase.engine.page_marks import page_marks
        from ragbase.interfaces.wire.page_marks import PageMarksRequest, page_marks_response

        record = found(id, profile)
        wanted = parameters(PageMarksRequest)
        number, shown = _number(page, record), _shown(record, profile)
        if shown.page_count is not None and number > shown.page_count:
            raise _no_page(record, page)
        placed = page_marks(
            record, shown, profile.word_boxes, page=number, start=wanted.from_, end=wanted.to, breaks=wanted.places
        )
        return json_answer(page_marks_response(record.id, number, placed))

    return blueprint


@contextmanager
def _drawing(what: str, record: Document) -> Iterator[None]:
    """Raises Refused (409) if its pages cannot be drawn."""
    try:
        yield
    except GenerationGone:
        raise Refused(
            409, "CONTENT_GONE", f"{record.source} was just replaced or deleted. Try again in a moment."
        ) from None
    except (PermanentError, MissingExtra) as error:
        raise Refused(409, "NO_PAGE_IMAGE", f"{what}: {error}") from None


def _number(page: str, record: Document) -> int:
    """Raises Refused (404) for what is no number of a page."""
    if not (page.isascii() and page.isdecimal() and len(page) <= MOST_DIGITS and int(page)):
        raise _no_page(record, page)
    return int(page)


def _shown(record: Document, profile: Profile) -> IndexedGeneration:
    """Raises Refused (409) if search shows nothing of the document."""
    from ragbase.engine.indexed_text import indexed_generation

    try:
        return indexed_generation(record, profile.open_index())
    except TextGone as error:
        raise Refused(409, "TEXT_GONE", str(error)) from None


def _no_page(record: Document, page: str) -> Refused:
    return Refused(
        404,
        "NOT_FOUND",
        f"{record.source} has no page {page[:MOST_DIGITS]!r} that can be shown. Pages of PDFs and pictures are counted "
        "from 1; GET /api/documents/{id}/text has the text of others.",
    )
