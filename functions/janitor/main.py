"""The janitor: a scheduler calls it to find and repair differences between bucket, records and vector store."""

import functions_framework
from flask import Request, Response

import ragbase.interfaces.http.cold_start  # noqa: F401 - importing it is its use
from ragbase.interfaces.http.janitor import answer_janitor
from ragbase.interfaces.http.request_ids import trace_of
from ragbase.interfaces.http.start import start
from ragbase.telemetry import traced

profile = start(index="kept")


@functions_framework.http
def janitor(request: Request) -> Response:
    with traced(trace_of(request.headers)):
        return answer_janitor(profile)
