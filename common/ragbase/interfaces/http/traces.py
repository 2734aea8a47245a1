"""The trace that a request belongs to. Cloud Run gives each request one (https://cloud.google.com/run/docs/trace)."""

from __future__ import annotations

import re

from werkzeug.datastructures import Headers

from ragbase.telemetry import Trace

_CLOUD = re.compile(r"([0-9a-f]{32})/([0-9]{1,20})(?:;o=([01]))?")
"""Google's own header: the span is decimal (https://cloud.google.com/trace/docs/trace-context#legacy-http-header)."""


def trace_of(headers: Headers) -> Trace | None:
    """The trace of `traceparent`, or else of `X-Cloud-Trace-Context`. None if neither has one."""
    return Trace.read(headers.get("traceparent", "")) or _of_cloud(headers.get("X-Cloud-Trace-Context", ""))


def _of_cloud(header: str) -> Trace | None:
    found = _CLOUD.fullmatch(header)
    return Trace.read(f"00-{found[1]}-{int(found[2]):016x}-0{found[3] or 0}") if found else None
