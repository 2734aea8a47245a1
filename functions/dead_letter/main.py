"""Dead letters: the document of a job that the queue gave up on is FAILED, with the reason."""

import functions_framework
from flask import Request, Response

from ragbase.interfaces.http.push import answer_push, dead_letter_reason, open_envelope
from ragbase.interfaces.http.start import start
from ragbase.job_message import decode_job

profile = start()


@functions_framework.http
def dead_letter(request: Request) -> Response:
    return answer_push(lambda: record(request))


def record(request: Request) -> None:
    message = open_envelope(request.get_data())
    profile.dead_letter(decode_job(message.payload), dead_letter_reason(message))
