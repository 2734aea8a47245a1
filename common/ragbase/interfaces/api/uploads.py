"""Uploads: a file in a form, or a file of any size in a request of its own."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

from flask import Blueprint, Response, request, url_for
from werkzeug.datastructures import FileStorage

from ragbase.domain.errors import AlreadyExists, ErrorCode, InvalidObject, PermanentError
from ragbase.domain.identity import document_id
from ragbase.domain.job import OCR_LANGUAGES_KEY, OCR_MODE_KEY
from ragbase.interfaces.api.callers_documents import name_of
from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.api.upload_address import Promise, promise_of, sign
from ragbase.interfaces.http.body import json_body, texts
from ragbase.interfaces.http.json_answer import json_answer
from ragbase.interfaces.http.refused import Refused
from ragbase.interfaces.http.unknown_fields import no_fields

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.interfaces.wire.documents import UploadForm, UploadUrlRequest
    from ragbase.messages.api.documents import UploadResponse
    from ragbase.pipeline.add_document import Added

SIGNED_SECONDS = 3600
"""How long an address for an upload can be used."""


def uploads(profile: Profile) -> Blueprint:
    blueprint = Blueprint("uploads", __name__)

    @blueprint.teardown_request
    def close_files(_: BaseException | None) -> None:
        request.close()

    @route(blueprint, operation("uploadDocument"))
    def upload() -> Response:
        from ragbase.interfaces.wire.documents import UploadForm

        if request.mimetype != "multipart/form-data":
            raise Refused(
                415,
                "UNSUPPORTED_MEDIA_TYPE",
                "The body is no form with a file. Send it as multipart/form-data: curl -F file=@report.pdf",
            )
        file = _only_file()
        wanted = texts(UploadForm, dict(request.form.lists()))
        name = name_of(wanted.path or _basename_of(file.filename or ""), "path" if wanted.path else "file")
        added = _added(
            name,
            file.read(),
            content_type=_content_type(file.mimetype),
            metadata=_metadata(wanted),
            replace=wanted.replace == "true",
            profile=profile,
        )
        return json_answer(_uploaded(added), 202 if added.is_new else 200)

    @route(blueprint, operation("beginUpload"))
    def begin() -> Response:
        from ragbase.formats.content_type import UNKNOWN
        from ragbase.interfaces.wire.documents import UploadUrlRequest
        from ragbase.messages.api.documents import UploadUrlResponse

        wanted = json_body(UploadUrlRequest, example='{"path": "guides/backup.pdf", "size": 41943040}')
        name = name_of(wanted.path, "path")
        _check_size(wanted.size)
        content_type = _content_type(wanted.content_type or "")
        metadata = _metadata(wanted)
        live = profile.bucket.stat(name)
        if live is not None and not wanted.replace:
            raise _exists(f"There is a document {name}. Send replace=true to replace it, or choose another path.")
        expires_at = profile.clock.now() + timedelta(seconds=SIGNED_SECONDS)
        signed = profile.bucket.sign_upload(
            name,
            size=wanted.size,
            content_type=content_type,
            metadata=metadata,
            replaces=live.generation if live else 0,
            seconds=SIGNED_SECONDS,
        )
        if signed is not None:
            method, url, headers = signed.method, signed.url, dict(signed.headers)
        else:
            promise = Promise(name, wanted.size, metadata, wanted.replace, until=expires_at.timestamp())
            token = sign(promise, profile.checkpoints)
            public_url = profile.config.public_url  # without it, what the request says: its `Host`, and http
            method, url = "PUT", public_url + url_for("uploads.receive", token=token, _external=not public_url)
            headers = {"Content-Type": content_type or UNKNOWN}
        return json_answer(
            UploadUrlResponse(
                id=document_id(profile.bucket.name, name),
                method=method,
                url=url,
                headers=headers,
                expires_at=expires_at,
            ),
            201,
        )

    @route(blueprint, operation("receiveUpload"))
    def receive(token: str) -> Response:
        """The address is the right to do it: it was signed for this file alone."""
        promise = promise_of(token, profile.checkpoints)
        if promise is None:
            raise Refused(404, "NOT_FOUND", "No upload has this address. POST /api/uploads gives one.")
        if profile.clock.now().timestamp() > promise.until:
            raise Refused(404, "NOT_FOUND", "The time of this upload is over. POST /api/uploads gives a new address.")
        data = request.get_data()
        if len(data) != promise.size:
            raise Refused(
                400,
                "INVALID_REQUEST",
                f"The file has {len(data)} bytes, but the upload was to have {promise.size}. Send the whole file.",
            )
        added = _added(
            promise.name,
            data,
            content_type=_content_type(request.mimetype),
            metadata=promise.metadata,
            replace=promise.replace,
            profile=profile,
        )
        return json_answer(_uploaded(added), 202 if added.is_new else 200)

    return blueprint


def _added(
    name: str, data: bytes, *, content_type: str, metadata: Mapping[str, str], replace: bool, profile: Profile
) -> Added:
    from ragbase.formats.table import format_of
    from ragbase.pipeline.add_document import add_document

    promised = format_of(name, content_type)
    try:
        profile.extractor.detect(data, promised.name if promised is not None else None)
    except PermanentError as error:
        if error.code is ErrorCode.UNSUPPORTED_FORMAT:  # a lane records any other fault
            raise Refused(400, "INVALID_FORMAT", error.reason) from None
    _check_size(len(data))
    try:
        return add_document(name, data, content_type=content_type, metadata=metadata, replace=replace, ports=profile)
    except AlreadyExists as error:
        raise _exists(str(error)) from None
    except InvalidObject as error:
        raise Refused(400, "INVALID_PATH", str(error)) from None


def _only_file() -> FileStorage:
    files = request.files.getlist("file")
    if len(files) != 1:
        raise Refused(
            400, "INVALID_REQUEST", f"`file`: {len(files)} files. Send one file in the field `file`: curl -F file=@a.md"
        )
    if others := [name for name in request.files if name != "file"]:
        raise Refused(400, "INVALID_REQUEST", no_fields("An upload", others, "file in another field than `file`"))
    return files[0]


def _basename_of(filename: str) -> str:
    """Some browsers send the whole path of the user's own machine."""
    return filename.replace("\\", "/").rpartition("/")[2]


def _content_type(given: str) -> str:
    """Empty if it says nothing: then the name decides, or the content."""
    from ragbase.formats.content_type import UNKNOWN

    return "" if given == UNKNOWN else given


def _metadata(wanted: UploadForm | UploadUrlRequest) -> dict[str, str]:
    asked = {OCR_MODE_KEY: wanted.ocr_mode, OCR_LANGUAGES_KEY: wanted.ocr_languages}
    return {key: str(value) for key, value in asked.items() if value is not None}


def _check_size(size: int) -> None:
    from ragbase.formats.table import check_size

    try:
        check_size(size)
    except PermanentError as error:
        raise Refused(400, "FILE_TOO_LARGE", error.reason) from None


def _exists(message: str) -> Refused:
    return Refused(409, "ALREADY_EXISTS", message)


def _uploaded(added: Added) -> UploadResponse:
    """A new file is PENDING, as the contract says: a lane may have it by now."""
    from ragbase.domain.document import Status
    from ragbase.interfaces.wire.documents import upload_response

    return upload_response(added.document, status=Status.PENDING if added.is_new else added.document.status)
