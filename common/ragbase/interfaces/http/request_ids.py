"""A name for each request, in its answer and in every line that it logs, and the trace that it belongs to. Cloud Run
gives each request a trace (https://cloud.google.com/run/docs/trace)."""

from __future__ import annotations

import re
import uuid

from flask import Flask, Response, request
from werkzeug.datastructures import Headers

from ragbase import telemetry
from ragbase.telemetry import Trace

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


_CLOUD = re.compile(r"([0-9a-f]{32})/([0-9]{1,20})(?:;o=([01]))?")
"""Google's own header: the span is decimal (https://cloud.google.com/trace/docs/trace-context#legacy-http-header)."""


def trace_of(headers: Headers) -> Trace | None:
    """The trace of `traceparent`, or else of `X-Cloud-Trace-Context`. None if neither has one."""
    return Trace.read(headers.get("traceparent", "")) or _of_cloud(headers.get("X-Cloud-Trace-Context", ""))


def _of_cloud(header: str) -> Trace | None:
    found = _CLOUD.fullmatch(header)
    return Trace.read(f"00-{found[1]}-{int(found[2]):016x}-0{found[3] or 0}") if found else None
