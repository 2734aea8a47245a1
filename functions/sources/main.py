"""The scheduled sources: a scheduler calls it, and it syncs what is due for as long as it has time."""

import functions_framework
from flask import Request, Response

import ragbase.interfaces.http.cold_start  # noqa: F401 - importing it is its use
from ragbase.interfaces.http.request_ids import trace_of
from ragbase.interfaces.http.sources import answer_sources
from ragbase.interfaces.http.start import start
from ragbase.telemetry import traced

profile = start()


@functions_framework.http
def sources(request: Request) -> Response:
    with traced(trace_of(request.headers)):
        return answer_sources(profile)
