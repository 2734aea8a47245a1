"""What is in a document: its chunks, its text, and the file itself."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from itertools import chain
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from flask import Blueprint, Response, redirect, send_file
from werkzeug.wrappers import Response as BaseResponse

from ragbase.access.caller import Scope
from ragbase.domain.errors import GenerationGone, TextGone
from ragbase.domain.extractor_transitions import is_awaited
from ragbase.engine.indexed_text import indexed_passages, indexed_text
from ragbase.interfaces.api.callers_documents import found, not_found
from ragbase.interfaces.api.guard import current_caller
from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.body import parameters
from ragbase.interfaces.http.errors import Refused
from ragbase.interfaces.http.json_answer import json_answer

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile

SIGNED_SECONDS = 300
"""How long an address with a signature can be used."""


def contents(profile: Profile) -> Blueprint:
    blueprint = Blueprint("contents", __name__)

    @route(blueprint, operation("listChunks"))
    def chunks(id: str) -> Response:
        from ragbase.interfaces.wire.chunks import ChunksRequest, chunks_response

        wanted = parameters(ChunksRequest)
        record = found(id, profile)
        try:
            page = indexed_passages(record, profile.open_index(), first=wanted.cursor, limit=wanted.limit)
        except TextGone as error:
            raise _text_gone(error) from None
        return json_answer(chunks_response(record, page, first=wanted.cursor))

    @route(blueprint, operation("getText"))
    def text(id: str) -> Response:
        pieces = indexed_text(found(id, profile), profile.open_index())
        try:
            first = next(pieces)  # here an error can still be answered as one
        except TextGone as error:
            raise _text_gone(error) from None
        return _never_run(Response(_encoded(chain((first,), pieces)), mimetype="text/plain"))

    @route(blueprint, operation("getContent"))
    def content(id: str) -> BaseResponse:
        record = found(id, profile)
        if Scope.READ not in current_caller().scopes and not is_awaited(record, profile.clock.now()):
            raise not_found(id)  # an extractor reads what waits for it
        signed = profile.bucket.sign_download(record.name, record.generation, seconds=SIGNED_SECONDS)
        if signed is not None:
            return redirect(signed.url, 302)
        try:
            data = profile.bucket.read(record.name, record.generation)
        except GenerationGone:
            raise Refused(
                409, "CONTENT_GONE", f"{record.source} was just replaced or deleted. Try again in a moment."
            ) from None
        name = PurePosixPath(record.name).name
        response = send_file(BytesIO(data), as_attachment=True, download_name=name, etag=False)
        response.content_type = _declared(record.content_type)
        return _never_run(response)

    return blueprint


def _declared(content_type: str) -> str:
    """What the file was declared as; bytes of no known type if that cannot stand in a header. A bucket takes any
    text."""
    is_sendable = content_type.isascii() and content_type.isprintable()
    return content_type if content_type and is_sendable else "application/octet-stream"


def _encoded(pieces: Iterator[str]) -> Iterator[bytes]:
    return (piece.encode("utf-8", "replace") for piece in pieces if piece)


def _never_run(response: Response) -> Response:
    """Browsers run nothing that is in the file."""
    response.headers["Content-Security-Policy"] = "sandbox; default-src 'none'; frame-ancestors 'none'"
    return response


def _text_gone(error: TextGone) -> Refused:
    return Refused(409, "TEXT_GONE", str(error))
