"""Read and answer a Pub/Sub push delivery.

204  done, or nothing to do: Pub/Sub drops the message
400  not a message of this topic: delivered again, then taken by the subscription's dead-letter policy
503  it may work later: delivered again, with the subscription's backoff
500  an error of ours: delivered again, and logged with its traceback

All that is logged meanwhile belongs to the trace of the message. A message that has none, such as a bucket's
notification, begins one: that of the request that delivers it.
"""

from __future__ import annotations

import base64
import logging
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from flask import Request, Response

from ragbase import telemetry
from ragbase.domain.errors import MalformedMessage, TransientError
from ragbase.interfaces.http.errors import error_response, internal_error
from ragbase.interfaces.http.request_ids import trace_of
from ragbase.messages.job_message import TRACE_ATTRIBUTE
from ragbase.messages.json_model import JsonModel, read_json


class PushMessage(JsonModel):
    """The message of a push envelope. `data` is base64. It is empty if the message has only attributes. `publish_time`
    is when Pub/Sub took the message; it stays the same if it is delivered again."""

    attributes: Mapping[str, str] = {}
    data: str = ""
    publish_time: str = ""

    @property
    def payload(self) -> bytes:
        """Raises MalformedMessage if `data` is not base64."""
        try:
            return base64.b64decode(self.data, validate=True)
        except ValueError as error:
            raise MalformedMessage(f"message.data is not base64: {error}.") from error


class _Envelope(JsonModel):
    message: PushMessage


def open_envelope(body: bytes) -> PushMessage:
    """The message in the body of a (wrapped) push request. Raises MalformedMessage."""
    return read_json(_Envelope, body, "Pub/Sub push envelope").message


def answer_push(request: Request, handle: Callable[[Request], object]) -> Response:
    """Do the work of a delivery. The status of the answer decides what Pub/Sub does with the message."""
    message = _message_in(request.get_data())
    trace = telemetry.Trace.read(message.attributes.get(TRACE_ATTRIBUTE, ""))
    with telemetry.traced(trace or trace_of(request.headers)):
        return _answer(request, handle, message)


def _message_in(body: bytes) -> PushMessage:
    try:
        return open_envelope(body)
    except MalformedMessage:  # `handle` answers it, or reads another form
        return PushMessage()


def _since(published: str) -> float | None:
    """The seconds since Pub/Sub took the message. None if there is no such time."""
    try:
        since = datetime.fromisoformat(published)
    except ValueError:
        return None
    return round((datetime.now(UTC) - since).total_seconds(), 1) if since.tzinfo else None


def _answer(request: Request, handle: Callable[[Request], object], message: PushMessage) -> Response:
    try:
        handle(request)
    except MalformedMessage as error:
        telemetry.log("push.malformed", level=logging.WARNING, reason=str(error))
        return error_response(400, "MALFORMED_MESSAGE", str(error))
    except TransientError as error:
        telemetry.log("push.postponed", level=logging.WARNING, reason=str(error))
        return error_response(503, "UNAVAILABLE", str(error))
    except Exception as error:  # noqa: BLE001 - answered with 500, so Pub/Sub delivers again; logged with its traceback
        return internal_error("push.failed", error)
    if (seconds := _since(message.publish_time)) is not None:
        telemetry.log("push.done", seconds=seconds)  # terraform/log_metrics.tf: is an upload searchable in time?
    return Response(status=204)
