"""PUT /api/uploads/…: the file of an upload that was announced (uploads.py)."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from flask import Blueprint, Response, request

from ragbase import telemetry
from ragbase.access.caller import caller_id_of
from ragbase.access.single_use import SingleUse, Use
from ragbase.domain.identity import document_id
from ragbase.engine.seen_document import seen_document
from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.api.stored_file import content_type_of, store, uploaded
from ragbase.interfaces.api.upload_address import Promise, promise_of
from ragbase.interfaces.http.content_range import content_range
from ragbase.interfaces.http.errors import Refused
from ragbase.interfaces.http.json_answer import json_answer

if TYPE_CHECKING:
    from ragbase.access.access import Access
    from ragbase.bootstrap.profile import Profile
    from ragbase.pipeline.add_document import Added


def sent_files(profile: Profile, access: Access) -> Blueprint:
    blueprint = Blueprint("sent_files", __name__)
    single_use = SingleUse(lambda: profile.checkpoints, profile.clock)

    def promised(token: str) -> Promise:
        """What this address was signed for. It ends with the key or sign-in of who asked for it. Raises Refused (404,
        400), for a wrong length before the body is read."""
        promise = promise_of(token, profile.upload_key)
        if promise is None:
            raise Refused(404, "NOT_FOUND", "No upload has this address. POST /api/uploads gives one.")
        if profile.clock.now().timestamp() > promise.until:
            raise Refused(404, "NOT_FOUND", "The time of this upload is over. POST /api/uploads gives a new address.")
        if not access.may_still_upload(promise.basis, promise.name):
            raise Refused(
                404,
                "NOT_FOUND",
                "This upload address is over: the key or sign-in that asked for it was revoked, is over, or may not "
                "write this document any more. POST /api/uploads gives a new address.",
            )
        if request.content_length is not None:
            part = content_range(request.headers.get("Content-Range"), promise.size)
            _check_length(request.content_length, promise.size if part is None else part.length)
        return promise

    @route(blueprint, operation("receiveUpload"), look=promised)
    def receive(token: str) -> Response:
        """The address is the right to do it: it was signed for this file alone, and works once.

        A transfer that fails does not use it up. The first bytes that have come whole do: the same ones may come again,
        as an answer may be lost, and are answered without another write. Others are refused.
        """
        promise = promised(token)
        data = request.get_data()
        promised(token)  # a file takes long to come: the key may be revoked meanwhile
        telemetry.caller_id.set(caller_id_of(promise.basis))
        part = content_range(request.headers.get("Content-Range"), promise.size)
        if part is None or profile.unfinished_files is None:
            return stored(promise, data)
        _check_length(len(data), part.length)
        size = profile.unfinished_files.append(promise.unfinished_name, part.start, data)
        if size < promise.size:
            return _incomplete(size)
        try:
            answer = stored(promise, profile.unfinished_files.read(promise.unfinished_name))
        except Refused:
            profile.unfinished_files.remove(promise.unfinished_name)
            raise
        profile.unfinished_files.remove(promise.unfinished_name)
        return answer

    def stored(promise: Promise, data: bytes) -> Response:
        """Take the whole file."""
        _check_length(len(data), promise.size)
        use = promise.nonce, promise.until, sha256(data).hexdigest()
        match single_use.begin(*use):
            case Use.REFUSED:
                raise _used("This upload address was used for another file.")
            case Use.REPEATED:
                return json_answer(uploaded(_known(promise.name, profile)), 200)
        added = store(
            promise.name,
            data,
            content_type=content_type_of(request.mimetype),
            metadata=promise.metadata,
            replace=promise.replace,
            profile=profile,
        )
        single_use.end(*use)
        return json_answer(uploaded(added), 202 if added.is_new else 200)

    return blueprint


def _known(name: str, profile: Profile) -> Added:
    """The document that an address was used for, as it is now."""
    from ragbase.pipeline.add_document import Added

    id = document_id(profile.bucket.name, name)
    record = seen_document(id, profile.documents, profile.config.tenancy, tenant=None)
    if record is None:
        raise _used("This upload address was used, and its document is deleted.")
    return Added(record, is_new=False)


def _used(message: str) -> Refused:
    return Refused(404, "NOT_FOUND", f"{message} POST /api/uploads gives a new address.")


def _incomplete(size: int) -> Response:
    """So many bytes have come. The status is that of Cloud Storage: its "Resume Incomplete" redirects nowhere."""
    return Response(status=308, headers={"Range": f"bytes=0-{size - 1}"} if size else {})


def _check_length(length: int, size: int) -> None:
    if length != size:
        raise Refused(
            400,
            "INVALID_REQUEST",
            f"The file has {length} bytes, but the upload was to have {size}. Send the whole file.",
        )
