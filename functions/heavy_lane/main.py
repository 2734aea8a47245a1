"""The heavy lane: processes a job for a PDF, so that the index agrees with the bucket."""

import os
from pathlib import Path

import functions_framework
from flask import Request, Response

import ragbase.interfaces.http.cold_start  # noqa: F401 - importing it is its use
from ragbase.domain.lane import Lane
from ragbase.interfaces.http.start import start
from ragbase.interfaces.push.delivery import answer_push, open_envelope
from ragbase.messages.job_message import decode_job
from ragbase.pipeline.process import process

MODELS = Path(__file__).with_name("models")
"""What was staged with this function: the data of OCR's languages."""
if MODELS.is_dir():
    os.environ.setdefault("RAGBASE_MODEL_FOLDER", str(MODELS))

profile = start(index="filled")


@functions_framework.http
def heavy_lane(request: Request) -> Response:
    return answer_push(request, handle)


def handle(request: Request) -> None:
    message = open_envelope(request.get_data())
    process(decode_job(message.payload), profile.worker(Lane.HEAVY))
