"""Uploads: a file in a form, or an address for a file of any size in a request of its own (sent_files.py)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from flask import Blueprint, Response, request, url_for
from werkzeug.datastructures import FileStorage

from ragbase.access.daily_limits import Limited
from ragbase.domain.identity import document_id
from ragbase.domain.job import OCR_LANGUAGES_KEY, OCR_MODE_KEY
from ragbase.interfaces.api.callers_documents import name_of
from ragbase.interfaces.api.guard import current_caller
from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.api.stored_file import (
    already_exists,
    check_length,
    content_type_of,
    refuse_program_file,
    store,
    uploaded,
)
from ragbase.interfaces.api.upload_address import Promise, sign
from ragbase.interfaces.http.body import json_body, texts
from ragbase.interfaces.http.errors import Refused
from ragbase.interfaces.http.json_answer import json_answer
from ragbase.interfaces.http.unknown_fields import no_fields
from ragbase.ports import SignedRequest

if TYPE_CHECKING:
    from ragbase.access.access import Access
    from ragbase.bootstrap.profile import Profile
    from ragbase.interfaces.wire.documents import UploadForm, UploadUrlRequest

SIGNED_SECONDS = 3600
"""How long an address for an upload can be used."""
SIGNED_BY_BUCKET_SECONDS = 900
"""The same for one that the bucket signs: it goes on when its key is revoked."""
IN_PARTS_BY_BUCKET_SECONDS = 7 * 86_400
"""The same for one of the bucket that takes parts (https://cloud.google.com/storage/docs/resumable-uploads)."""
PART_SIZE = 4 * 1024 * 1024
"""Bytes. Cloud Storage takes multiples of 256 KiB."""


def uploads(profile: Profile, access: Access) -> Blueprint:
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
        added = store(
            name,
            file.read(),
            content_type=content_type_of(file.mimetype),
            metadata=_metadata(wanted),
            replace=wanted.replace == "true",
            profile=profile,
            before=partial(_count, access),
        )
        return json_answer(uploaded(added), 202 if added.is_new else 200)

    @route(blueprint, operation("beginUpload"))
    def begin() -> Response:
        from ragbase.interfaces.wire.documents import UploadUrlRequest
        from ragbase.messages.api.documents import UploadUrlResponse

        wanted = json_body(UploadUrlRequest, example='{"path": "guides/backup.pdf", "size": 41943040}')
        name = name_of(wanted.path, "path")
        refuse_program_file(name, profile)
        check_length(wanted.size)
        content_type = content_type_of(wanted.content_type or "")
        metadata = _metadata(wanted)
        live = profile.bucket.stat(name)
        if live is not None and not wanted.replace:
            raise already_exists(
                f"There is a document {name}. Send replace=true to replace it, or choose another path."
            )
        _count(access, wanted.size)
        promise = _Wanted(
            name, wanted.size, content_type, metadata, replace=wanted.replace, replaces=live.generation if live else 0
        )
        address = (_in_parts(promise, profile) if wanted.in_parts else None) or _in_one(promise, profile)
        return json_answer(
            UploadUrlResponse(
                id=document_id(profile.bucket.name, name),
                method=address.request.method,
                url=address.request.url,
                headers=dict(address.request.headers),
                expires_at=profile.clock.now() + timedelta(seconds=address.seconds),
                part_size=address.part_size,
            ),
            201,
        )

    return blueprint


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A file that somebody wants to send. `replaces` is the generation that is live now; 0 if there is none."""

    name: str
    size: int
    content_type: str
    metadata: Mapping[str, str]
    replace: bool
    replaces: int


@dataclass(frozen=True, slots=True)
class _Address:
    """Where to send it, for how many seconds, and in parts of which size, if at all."""

    request: SignedRequest
    seconds: int
    part_size: int | None = None


def _in_parts(wanted: _Wanted, profile: Profile) -> _Address | None:
    """None if it has to come in one request."""
    if not wanted.size:
        return None
    if profile.unfinished_files is not None:
        return replace(_own(wanted, profile), part_size=PART_SIZE)
    url = profile.bucket.begin_upload(
        wanted.name,
        size=wanted.size,
        content_type=wanted.content_type,
        metadata=wanted.metadata,
        replaces=wanted.replaces,
        origin=request.headers.get("Origin"),
    )
    if url is None:
        return None
    return _Address(SignedRequest(method="PUT", url=url, headers={}), IN_PARTS_BY_BUCKET_SECONDS, PART_SIZE)


def _in_one(wanted: _Wanted, profile: Profile) -> _Address:
    signed = profile.bucket.sign_upload(
        wanted.name,
        size=wanted.size,
        content_type=wanted.content_type,
        metadata=wanted.metadata,
        replaces=wanted.replaces,
        seconds=SIGNED_BY_BUCKET_SECONDS,
    )
    return _Address(signed, SIGNED_BY_BUCKET_SECONDS) if signed is not None else _own(wanted, profile)


def _own(wanted: _Wanted, profile: Profile) -> _Address:
    """An address of this server."""
    from ragbase.formats.content_type import UNKNOWN

    until = profile.clock.now() + timedelta(seconds=SIGNED_SECONDS)
    basis = current_caller().basis
    promise = Promise(wanted.name, wanted.size, wanted.metadata, wanted.replace, until.timestamp(), basis)
    token = sign(promise, profile.upload_key)
    public_url = profile.config.public_url  # without it, what the request says: its `Host`, and http
    url = public_url + url_for("sent_files.receive", token=token, _external=not public_url)
    headers = {"Content-Type": wanted.content_type or UNKNOWN}
    return _Address(SignedRequest(method="PUT", url=url, headers=headers), SIGNED_SECONDS)


def _count(access: Access, size: int) -> None:
    """A file of so many bytes is sent, now or to an address. Raises TooManyRequests."""
    caller = current_caller()
    access.use.look(caller, Limited.UPLOADS)
    access.use.take(caller, Limited.BYTES, size)
    access.use.take(caller, Limited.UPLOADS)  # last: a file that is too large uses none up


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


def _metadata(wanted: UploadForm | UploadUrlRequest) -> dict[str, str]:
    asked = {OCR_MODE_KEY: wanted.ocr_mode, OCR_LANGUAGES_KEY: wanted.ocr_languages}
    return {key: str(value) for key, value in asked.items() if value is not None}
