"""Dead letters: what the queue gave up on is kept for a person to decide; its document is FAILED with the reason."""

import functions_framework
from flask import Request, Response

from ragbase.interfaces.http.dead_letters import decode_given_up
from ragbase.interfaces.http.push import answer_push
from ragbase.interfaces.http.start import start

profile = start()


@functions_framework.http
def dead_letter(request: Request) -> Response:
    return answer_push(lambda: keep(request))


def keep(request: Request) -> None:
    given_up = decode_given_up(request.get_data())
    if given_up is not None:
        profile.dead_letter(given_up.message, given_up.reason, deliveries=given_up.deliveries)
