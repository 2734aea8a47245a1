"""The documents: list them, show one, delete it, process it again."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from flask import Blueprint, Response

from ragbase.domain.errors import DocumentNotFound
from ragbase.interfaces.api.callers_documents import callers_knowledge, found, not_found
from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.body import parameters
from ragbase.interfaces.http.json_answer import empty_answer, json_answer

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.document import Document

_MOST_WAITING = 4
"""How many requests of this process may wait for a document at once. Each of them holds a thread; one more is answered
at once with the state as it is."""
_LOOK_AGAIN = (0.1, 0.2, 0.4, 0.8, 1.0)
"""Seconds between two looks at a document that is waited for; the last one stays."""


def documents(profile: Profile) -> Blueprint:
    blueprint = Blueprint("documents", __name__)
    waiting = threading.BoundedSemaphore(_MOST_WAITING)

    @route(blueprint, operation("listDocuments"))
    def list_() -> Response:
        from ragbase.interfaces.wire.documents import ListRequest

        wanted = parameters(ListRequest)
        page = callers_knowledge(profile).list(
            status=wanted.status, limit=wanted.limit, offset=wanted.offset, cursor=wanted.cursor
        )
        return json_answer(page)

    @route(blueprint, operation("countDocuments"))
    def count() -> Response:
        return json_answer(callers_knowledge(profile).counts())

    @route(blueprint, operation("getDocument"))
    def status(id: str) -> Response:
        from ragbase.interfaces.wire.documents import WaitRequest, document_status

        wanted = parameters(WaitRequest)
        record = found(id, profile)
        if wanted.wait and record.needs_work and waiting.acquire(blocking=False):
            try:
                record = _settled(record, profile, wanted.wait)
            finally:
                waiting.release()
        return json_answer(document_status(record, with_history=True))

    @route(blueprint, operation("deleteDocument"))
    def delete(id: str) -> Response:
        from ragbase.pipeline.route import delete_document

        delete_document(found(id, profile), profile)
        return empty_answer()

    @route(blueprint, operation("retryDocument"))
    def retry(id: str) -> Response:
        from ragbase.engine.retry import retry_document
        from ragbase.interfaces.wire.documents import document_status

        try:
            record = retry_document(found(id, profile), profile)
        except DocumentNotFound:
            raise not_found(id) from None
        return json_answer(document_status(record), 202)

    @route(blueprint, operation("rereadDocument"))
    def reread(id: str) -> Response:
        from ragbase.engine.reread import reread_document
        from ragbase.interfaces.wire.documents import document_status

        try:
            record = reread_document(found(id, profile), profile)
        except DocumentNotFound:
            raise not_found(id) from None
        return json_answer(document_status(record), 202)

    return blueprint


def _settled(record: Document, profile: Profile, seconds: float) -> Document:
    """The record when it needs no more work, or as it is after that many seconds."""
    end = time.monotonic() + seconds
    for look in range(10_000):
        left = end - time.monotonic()
        if not record.needs_work or left <= 0:
            break
        time.sleep(min(left, _LOOK_AGAIN[min(look, len(_LOOK_AGAIN) - 1)]))
        record = found(record.id, profile)
    return record
