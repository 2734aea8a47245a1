"""The router: an event of the bucket becomes a record and, where there is work to do, a job on a lane."""

import functions_framework
from flask import Request, Response

from ragbase.interfaces.http.events import decode_event
from ragbase.interfaces.http.push import answer_push
from ragbase.interfaces.http.start import start

profile = start()


@functions_framework.http
def router(request: Request) -> Response:
    return answer_push(lambda: route(request))


def route(request: Request) -> None:
    event = decode_event(request.headers, request.get_data())
    if event is not None:
        profile.route(event)
