"""The heavy lane: a job for a PDF brings the index in step with the bucket."""

import functions_framework
from flask import Request, Response

from ragbase.domain.routing import Lane
from ragbase.interfaces.http.push import answer_push, open_envelope
from ragbase.interfaces.http.start import start
from ragbase.job_message import decode_job

profile = start(index="filled")


@functions_framework.http
def heavy_lane(request: Request) -> Response:
    return answer_push(lambda: process(request))


def process(request: Request) -> None:
    message = open_envelope(request.get_data())
    profile.process(decode_job(message.payload), Lane.HEAVY)
