"""Store an uploaded file, however it was sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ragbase.domain.errors import AlreadyExists, ErrorCode, InvalidObject, PermanentError
from ragbase.interfaces.http.errors import Refused

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.messages.api.documents import UploadResponse
    from ragbase.pipeline.add_document import Added


def store(
    name: str,
    data: bytes,
    *,
    content_type: str,
    metadata: Mapping[str, str],
    replace: bool,
    profile: Profile,
    before: Callable[[int], object] = lambda _: None,
) -> Added:
    """Store the file. `before` may refuse it, by its size."""
    from ragbase.formats.table import format_of
    from ragbase.pipeline.add_document import add_document

    refuse_program_file(name, profile)
    promised = format_of(name, content_type)
    try:
        profile.extractor.detect(data, promised.name if promised is not None else None)
    except PermanentError as error:
        if error.code is ErrorCode.UNSUPPORTED_FORMAT:  # a lane records any other fault
            raise Refused(400, "INVALID_FORMAT", error.reason) from None
    check_length(len(data))
    before(len(data))
    try:
        return add_document(name, data, content_type=content_type, metadata=metadata, replace=replace, ports=profile)
    except AlreadyExists as error:
        raise already_exists(str(error)) from None
    except InvalidObject as error:
        raise Refused(400, "INVALID_PATH", str(error)) from None


def refuse_program_file(name: str, profile: Profile) -> None:
    """Raise Refused for a file that a program keeps for itself, before anybody looks at its content."""
    from ragbase.domain.identity import document_id
    from ragbase.pipeline.add_document import check_program_file

    id = document_id(profile.bucket.name, name)
    try:
        check_program_file(name, id, profile.documents, profile.program_files)
    except InvalidObject as error:
        raise Refused(400, "INVALID_PATH", str(error)) from None


def content_type_of(given: str) -> str:
    """Empty if it says nothing: then the name decides, or the content."""
    from ragbase.formats.content_type import UNKNOWN

    return "" if given == UNKNOWN else given


def check_length(size: int) -> None:
    from ragbase.formats.table import check_size

    try:
        check_size(size)
    except PermanentError as error:
        raise Refused(400, "FILE_TOO_LARGE", error.reason) from None


def already_exists(message: str) -> Refused:
    return Refused(409, "ALREADY_EXISTS", message)


def uploaded(added: Added) -> UploadResponse:
    """A new file is PENDING, as the contract says: a lane may have it by now."""
    from ragbase.domain.document import Status
    from ragbase.interfaces.wire.documents import upload_response

    return upload_response(added.document, status=Status.PENDING if added.is_new else added.document.status)
