"""The fast lane: processes a job for a text file, so that the index agrees with the bucket."""

import functions_framework
from flask import Request, Response

import ragbase.interfaces.http.cold_start  # noqa: F401 - importing it is its use
from ragbase.domain.lane import Lane
from ragbase.interfaces.http.start import start
from ragbase.interfaces.push.delivery import answer_push, open_envelope
from ragbase.messages.job_message import decode_job
from ragbase.pipeline.process import process

profile = start(index="filled")


@functions_framework.http
def fast_lane(request: Request) -> Response:
    return answer_push(request, handle)


def handle(request: Request) -> None:
    message = open_envelope(request.get_data())
    process(decode_job(message.payload), profile.worker(Lane.FAST))
