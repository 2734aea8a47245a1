"""POST /internal/callback: an extractor elsewhere says what it has read (docs/contracts/documents.md, section 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response

from ragbase.access.caller import Scope
from ragbase.domain.audit import Action
from ragbase.domain.errors import DocumentNotFound, GenerationChanged, NotAwaited
from ragbase.interfaces.api.callers_documents import found, not_found
from ragbase.interfaces.api.guard import current_caller
from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.body import json_body
from ragbase.interfaces.http.errors import Refused
from ragbase.interfaces.http.json_answer import json_answer

if TYPE_CHECKING:
    from datetime import timedelta

    from ragbase.bootstrap.profile import Profile
    from ragbase.domain.document import Document
    from ragbase.interfaces.wire.callback import ProcessingError, ProcessingResult
    from ragbase.pipeline.give_text import Given


def callbacks(profile: Profile) -> Blueprint:
    blueprint = Blueprint("callbacks", __name__)

    @route(blueprint, operation("callback"))
    def callback() -> Response:
        from ragbase.interfaces.wire.callback import ProcessingCallback
        from ragbase.interfaces.wire.documents import document_status

        said = json_body(ProcessingCallback, example='{"documentId": "0b6c…", "success": false, "error": {…}}')
        record = found(str(said.document_id), profile)
        if said.generation is not None and int(said.generation) != record.generation:
            raise _other_content(record)
        tenant = profile.config.tenancy.tenant_of(record.name)
        try:
            with profile.audit.changing(Action.GIVE_TEXT, record.id, tenant=tenant):
                taken = _given(record, said.result, profile) if said.success else _reported(record, said.error, profile)
        except DocumentNotFound:
            raise not_found(record.id) from None
        except GenerationChanged:
            raise _other_content(record) from None
        except NotAwaited as error:
            raise Refused(
                409, "NOT_AWAITED", f"{error} Nothing was changed. GET /internal/extractions lists what is to be read."
            ) from None
        return json_answer(document_status(taken.record), 202 if taken.is_new else 200)

    return blueprint


def _given(record: Document, result: ProcessingResult | None, profile: Profile) -> Given:
    from ragbase.pipeline.give_text import give_text

    if result is None:
        raise Refused(400, "INVALID_REQUEST", "`success` is true, but there is no `result`. Send the text in `result`.")
    return give_text(
        record,
        result.markdown,
        page_count=result.page_count,
        ocr_applied=result.ocr_applied,
        ports=profile,
        if_awaited=_only_awaited(profile.extractor_timeout),
    )


def _reported(record: Document, error: ProcessingError | None, profile: Profile) -> Given:
    from ragbase.domain.document import Status
    from ragbase.domain.work import Failure
    from ragbase.pipeline.give_text import report_failure

    if error is None:
        raise Refused(
            400, "INVALID_REQUEST", "`success` is false, but there is no `error`. Send its code and message in `error`."
        )
    failure = Failure(error.code, error.message)
    taken = report_failure(record, failure, ports=profile, if_awaited=_only_awaited(profile.extractor_timeout))
    if taken.record.given_text is not None or not (taken.is_new or taken.record.status is Status.FAILED):
        raise Refused(409, "ALREADY_READ", f"{record.source} has a text already. Nothing was changed.")
    return taken


def _only_awaited(extractor_timeout: timedelta | None) -> bool:
    """Whether only a document that waits for its text may get one. A caller who may write could as well replace it."""
    return extractor_timeout is not None or Scope.WRITE not in current_caller().scopes


def _other_content(record: Document) -> Refused:
    return Refused(
        409,
        "CONTENT_CHANGED",
        f"The callback is about another version of {record.source} than the one that is there now. Nothing was "
        "changed. Read the file again.",
    )
