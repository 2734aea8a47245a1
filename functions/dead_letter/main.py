"""Keeps undeliverable messages as dead letters until a person decides. Their documents are FAILED with the reason."""

import functions_framework
from flask import Request, Response

import ragbase.interfaces.http.cold_start  # noqa: F401 - importing it is its use
from ragbase.interfaces.http.start import start
from ragbase.interfaces.push.delivery import answer_push
from ragbase.interfaces.push.undeliverable import decode_undeliverable
from ragbase.upkeep.dead_letters.keep import keep_dead_letter

profile = start()


@functions_framework.http
def dead_letter(request: Request) -> Response:
    return answer_push(request, handle)


def handle(request: Request) -> None:
    undeliverable = decode_undeliverable(request.get_data())
    if undeliverable is not None:
        keep_dead_letter(
            undeliverable.message,
            undeliverable.reason,
            profile,
            deliveries=undeliverable.deliveries,
            longest_wait=profile.longest_wait,
        )
