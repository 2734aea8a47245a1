"""A name for each request, in its answer and in every line that it logs, and the trace that it belongs to."""

from __future__ import annotations

import re
import uuid

from flask import Flask, Response, request

from ragbase import telemetry
from ragbase.interfaces.http.traces import trace_of

HEADER = "X-Request-Id"
_SAFE = re.compile(r"[A-Za-z0-9._-]{1,100}")


def request_id(given: str) -> str:
    """The name that the client gave, if it is safe in a header and a log; else a new one."""
    return given if _SAFE.fullmatch(given) else uuid.uuid4().hex


def name_requests(app: Flask) -> None:
    """Take over the client's name for a request, or make one."""

    @app.before_request
    def begin() -> None:
        telemetry.request_id.set(request_id(request.headers.get(HEADER, "")))
        telemetry.trace.set(trace_of(request.headers))

    @app.after_request
    def end(response: Response) -> Response:
        response.headers[HEADER] = telemetry.request_id.get()
        return response

    @app.teardown_request
    def forget(_: BaseException | None) -> None:
        telemetry.request_id.set("")
        telemetry.trace.set(None)
