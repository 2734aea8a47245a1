"""A Pub/Sub push delivery: what is in it, and how it is answered.

204  done, or nothing to do: Pub/Sub forgets the message
400  not what the topic carries: delivered again, then taken by the subscription's dead-letter policy
503  it may work later: delivered again, with the subscription's backoff
500  a fault of ours: delivered again, and logged with its traceback
"""

from __future__ import annotations

import base64
import logging
from collections.abc import Callable, Mapping

from flask import Response

from ragbase import telemetry
from ragbase.domain.errors import MalformedMessage, TransientError
from ragbase.interfaces.http.errors import error_response, internal_error
from ragbase.wire import Wire, read_message


class PushMessage(Wire):
    """The message of a push envelope. `data` is base64, and empty for a message of attributes alone."""

    attributes: Mapping[str, str] = {}
    data: str = ""

    @property
    def payload(self) -> bytes:
        """Raises MalformedMessage where `data` is not base64."""
        try:
            return base64.b64decode(self.data, validate=True)
        except ValueError as error:
            raise MalformedMessage(f"message.data is not base64: {error}.") from error


class _Envelope(Wire):
    message: PushMessage


def open_envelope(body: bytes) -> PushMessage:
    """The message in the body of a (wrapped) push request. Raises MalformedMessage."""
    return read_message(_Envelope, body, "Pub/Sub push envelope").message


def answer_push(handle: Callable[[], object]) -> Response:
    """Do the work of a delivery, and tell Pub/Sub by the status what to do with the message."""
    try:
        handle()
    except MalformedMessage as error:
        telemetry.log("push.malformed", level=logging.WARNING, reason=str(error))
        return error_response(400, "MALFORMED_MESSAGE", str(error))
    except TransientError as error:
        telemetry.log("push.postponed", level=logging.WARNING, reason=str(error))
        return error_response(503, "UNAVAILABLE", str(error))
    except Exception as error:  # noqa: BLE001 - answered with 500, so Pub/Sub delivers again; logged with its traceback
        return internal_error("push.failed", error)
    return Response(status=204)
