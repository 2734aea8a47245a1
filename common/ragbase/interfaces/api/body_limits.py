"""How long the body of a request may be. The server knows it before it reads the body."""

from __future__ import annotations

from ragbase.domain.limits import MAX_FILE_SIZE
from ragbase.interfaces.api.access import ANSWER, EXPLAIN, HEALTH
from ragbase.interfaces.http.body_limit import BodyLimit, Line
from ragbase.interfaces.http.refused import Refused

SMALL = 64 * 1024
"""Bytes. The longest query takes 12 KB: 1,000 characters, each escaped as two UTF-16 units."""
CALLBACK = 16 * 1024 * 1024
"""Bytes. A callback has the text of a document."""
FORM = 64 * 1024
"""Bytes of a form beside its file."""

_FILE_TOO_LARGE = Refused(
    400,
    "FILE_TOO_LARGE",
    f"The body is over the limit of {MAX_FILE_SIZE // 1048576} MB a file. Split the file into smaller ones.",
)


def _too_large(most: int) -> Refused:
    return Refused(
        413, "REQUEST_ENTITY_TOO_LARGE", f"The body is over the limit of {most:,} bytes. Send a shorter one."
    )


MAX_FORM_PARTS = 20
MAX_FORM_FIELD = 500_000
"""Bytes. The longest field that means something is a path."""

FORM_TOO_LARGE = Refused(
    413,
    "REQUEST_ENTITY_TOO_LARGE",
    f"The form has more than {MAX_FORM_PARTS} fields, or one of more than {MAX_FORM_FIELD:,} bytes that is no file. "
    "Leave out the fields that an upload does not have.",
)


def body_limit(method: str, path: str) -> BodyLimit:
    if method == "POST" and path == "/api/documents":
        return BodyLimit(MAX_FILE_SIZE + FORM, _FILE_TOO_LARGE, line=Line.UPLOADS)
    if method == "PUT" and path.startswith("/api/uploads/"):
        return BodyLimit(MAX_FILE_SIZE, _FILE_TOO_LARGE, line=Line.UPLOADS)
    if (method, path) == ("POST", "/internal/callback"):
        return BodyLimit(CALLBACK, _too_large(CALLBACK))
    if method == "POST" and path in (ANSWER, EXPLAIN):
        return BodyLimit(SMALL, _too_large(SMALL), line=Line.WRITERS)
    return BodyLimit(SMALL, _too_large(SMALL), line=Line.HEALTH if path in HEALTH else Line.ANSWERS)
