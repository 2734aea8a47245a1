"""The router: turns an event of the bucket into a record and, if there is work to do, a job on a lane."""

import functions_framework
from flask import Request, Response

import ragbase.interfaces.http.cold_start  # noqa: F401 - importing it is its use
from ragbase.interfaces.http.start import start
from ragbase.interfaces.push.bucket_notification import decode_event
from ragbase.interfaces.push.delivery import answer_push
from ragbase.pipeline.route import route

profile = start()


@functions_framework.http
def router(request: Request) -> Response:
    return answer_push(request, handle)


def handle(request: Request) -> None:
    event = decode_event(request.headers, request.get_data())
    if event is not None:
        route(event, profile)
