"""Who did what over HTTP: every request has its caller in the log, and its entry in the audit log.

The port that does the work makes the entries (access/audit.py). Here is the net below them: an operation with an action
leaves an entry whatever its answer is, and so does every refusal. If the entry cannot be written, the answer is 503."""

from __future__ import annotations

import logging
import re
from http import HTTPStatus
from typing import TYPE_CHECKING

from flask import Flask, Request, Response, g, request

from ragbase import telemetry
from ragbase.access.audit import NOBODY, entered
from ragbase.access.token import TokenKind
from ragbase.domain.audit import Action, AuditOutcome
from ragbase.domain.errors import ConfigurationError, TransientError
from ragbase.interfaces.api.google_account import named
from ragbase.interfaces.api.guard import token_of
from ragbase.interfaces.api.operation import Operation
from ragbase.interfaces.api.route import operation_of
from ragbase.interfaces.api.session_cookie import kept_token
from ragbase.interfaces.http.client_address import client_address
from ragbase.interfaces.http.errors import internal_error, unavailable_response
from ragbase.messages.api.error import ErrorBody

if TYPE_CHECKING:
    from ragbase.access.audit import Audit
    from ragbase.access.caller import Caller
    from ragbase.bootstrap.profile import Profile

_UNRECORDED = ErrorBody(error="UNAVAILABLE", message="The audit log takes no entry. Try again in a moment.")
_ID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
REFUSALS = frozenset({401, 403, 429})
"""Answers that refuse somebody, and not something."""


def record_requests(app: Flask, profile: Profile) -> None:
    """Call it before the guard, whose refusals are recorded, too."""
    proxies = profile.config.trusted_proxies

    @app.before_request
    def begin() -> None:
        telemetry.client_address.set(client_address(request, proxies))
        telemetry.caller_id.set("")
        entered.set(set())

    @app.after_request
    def end(response: Response) -> Response:
        if request.url_rule is None or request.method == "OPTIONS":
            return response
        asked = operation_of(app, request.url_rule, request.method)
        try:
            _record(asked, response.status_code, profile.audit)
        except (TransientError, ConfigurationError) as error:
            telemetry.log("audit.unavailable", level=logging.ERROR, reason=str(error))
            response.close()
            return unavailable_response(_UNRECORDED)
        except Exception as error:  # noqa: BLE001 - Flask has no handler of ours for what goes wrong here
            response.close()
            return internal_error("audit.failed", error)
        return response

    @app.teardown_request
    def forget(_: BaseException | None) -> None:
        telemetry.client_address.set("")
        telemetry.caller_id.set("")
        entered.set(None)


def name_callers(app: Flask) -> None:
    """Call it after the guard, which knows the caller."""

    @app.before_request
    def name() -> None:
        caller: Caller | None = g.get("caller")
        if caller is not None:
            telemetry.caller_id.set(named(caller, request))


def _record(asked: Operation, status: int, audit: Audit) -> None:
    entries = entered.get() or set()
    known: Caller | None = g.get("caller")  # also of a request that the guard has refused
    caller = telemetry.caller_id.get() or (known.id if known is not None else "")
    if status == HTTPStatus.PERMANENT_REDIRECT:
        return  # a part of a file: the last one is recorded
    details = _details(status, asked.id, _shown_id(request))
    if asked.action is not None and not entries:
        outcome = _outcome(status)
        if outcome is AuditOutcome.REFUSED and not caller:
            audit.refused(details, action=asked.action)
            return
        deed = audit.deed(
            asked.action,
            outcome,
            document_id=_document_id(request),
            tenant=known.tenant if known is not None else None,
            caller=caller or NOBODY,
            details=details,
        )
        audit.record(deed)
    elif status in REFUSALS and Action.REFUSE not in entries:
        audit.refused(details, caller=caller or NOBODY)


def _outcome(status: int) -> AuditOutcome:
    if status < HTTPStatus.BAD_REQUEST:
        return AuditOutcome.DONE
    return AuditOutcome.REFUSED if status < HTTPStatus.INTERNAL_SERVER_ERROR else AuditOutcome.FAILED


def _details(status: int, operation: str, shown: str) -> dict[str, str]:
    details = {"status": str(status), "operation": operation, "shown": shown}
    return {name: value for name, value in details.items() if value}


def _document_id(request: Request) -> str:
    """The id in the path. What a client writes there is an id only if it has the form of one."""
    id = str((request.view_args or {}).get("id", ""))
    return id if _ID.fullmatch(id) else ""


def _shown_id(request: Request) -> str:
    """The id of the key or session whose token the request shows. Only a caller has proven that it is theirs."""
    token = token_of(request) or kept_token(request)
    if token is None:
        return ""
    return f"{'key' if token.kind is TokenKind.KEY else 'session'}:{token.id}"
