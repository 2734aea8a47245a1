"""How long the body of a request may be. The server knows it before it reads the body, and before Flask finds the
route."""

from __future__ import annotations

import re

from ragbase.interfaces.api.operation import SMALL, too_large
from ragbase.interfaces.api.operations import OPERATIONS
from ragbase.interfaces.http.body_limit import BodyLimit
from ragbase.interfaces.http.refused import Refused

MAX_FORM_PARTS = 20
MAX_FORM_FIELD = 500_000
"""Bytes. The longest field that means something is a path."""

FORM_TOO_LARGE = Refused(
    413,
    "REQUEST_ENTITY_TOO_LARGE",
    f"The form has more than {MAX_FORM_PARTS} fields, or one of more than {MAX_FORM_FIELD:,} bytes that is no file. "
    "Leave out the fields that an upload does not have.",
)

_OTHER = BodyLimit(SMALL, too_large(SMALL))
_OF_PATHS = {(one.method, one.path): one.body_limit for one in OPERATIONS if "{" not in one.path}
_OF_PATTERNS = [
    (one.method, re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(one.path))), one.body_limit)
    for one in OPERATIONS
    if "{" in one.path
]


def body_limit(method: str, path: str) -> BodyLimit:
    """That of the operation, or for a request that is none, that of a small one."""
    method = "GET" if method == "HEAD" else method
    limit = _OF_PATHS.get((method, path))
    if limit is not None:
        return limit
    matching = (limit for of, pattern, limit in _OF_PATTERNS if of == method and pattern.fullmatch(path))
    return next(matching, _OTHER)
