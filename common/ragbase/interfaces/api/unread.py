"""Refuse what a request sends and its operation does not read. The sender means something by it."""

from __future__ import annotations

from flask import current_app, request

from ragbase.interfaces.api.route import operation_of
from ragbase.interfaces.http.refused import Refused
from ragbase.interfaces.http.unknown_fields import no_fields

_NOTHING = (b"", b"{}")
"""Bodies that say nothing. Some clients send an empty object with every POST."""


def refuse_unread() -> None:
    """A before_request: parameters of an operation that has none, and the body of one that has none. The models of the
    others know their fields. Raises Refused (400).

    What anybody may GET takes any parameters: monitors and links to pages add their own.
    """
    if request.url_rule is None or request.method == "OPTIONS":
        return
    asked = operation_of(current_app, request.url_rule, request.method)
    if not asked.needs_caller and asked.method == "GET":
        return
    where = f"{asked.method} {asked.path}"
    if asked.parameters is None and request.args:
        raise Refused(400, "INVALID_REQUEST", no_fields(where, request.args, "parameter of the address"))
    if asked.takes_no_body and request.get_data().strip() not in _NOTHING:
        raise Refused(400, "INVALID_REQUEST", f"{where} reads no body, but there is one. Leave it out.")
