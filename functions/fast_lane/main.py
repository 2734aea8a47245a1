"""The fast lane: a job for a text file brings the index in step with the bucket."""

import functions_framework
from flask import Request, Response

from ragbase.domain.routing import Lane
from ragbase.interfaces.http.push import answer_push, open_envelope
from ragbase.interfaces.http.start import start
from ragbase.job_message import decode_job

profile = start(index="filled")


@functions_framework.http
def fast_lane(request: Request) -> Response:
    return answer_push(lambda: process(request))


def process(request: Request) -> None:
    message = open_envelope(request.get_data())
    profile.process(decode_job(message.payload), Lane.FAST)
