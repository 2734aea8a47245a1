"""An answer as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flask import Response

from ragbase import telemetry
from ragbase.messages.json_model import JsonModel

EVENT_STREAM = "text/event-stream"

BEAT = b": beat\n\n"
"""A comment, which clients leave out. It keeps a silent connection, and finds out that one is gone."""

RETRY_SOON = b"retry: 300\n\n"
"""A browser connects again after so many milliseconds, and not after the seconds that it would choose itself."""


@dataclass(frozen=True, slots=True)
class Event:
    """`id` is what a browser sends as Last-Event-ID when it connects again."""

    name: str
    data: JsonModel
    id: str = ""

    def encoded(self) -> bytes:
        """The event with the empty line that ends it. JSON has no line break, so its data is one line."""
        id = b"id: %s\n" % self.id.encode() if self.id else b""
        return b"%sevent: %s\ndata: %s\n\n" % (id, self.name.encode(), self.data.to_json())


def event_stream(events: Iterator[Event | bytes]) -> Response:
    """Each event is sent as soon as it is there. Bytes are no event, such as BEAT."""
    named = _named(telemetry.request_id.get(), telemetry.caller_id.get(), telemetry.trace.get(), events)
    response = Response(named, mimetype=EVENT_STREAM)
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"  # nginx would collect the events
    response.vary.add("Accept")
    return response


def _named(
    request_id: str, caller_id: str, trace: telemetry.Trace | None, events: Iterator[Event | bytes]
) -> Iterator[bytes]:
    """The request is over before its events are read: the log has its name, caller and trace while they are made.

    (Flask's stream_with_context does not work in a function: functions-framework has a context of its own around ours.)
    """
    telemetry.request_id.set(request_id)
    telemetry.caller_id.set(caller_id)
    try:
        with telemetry.traced(trace):
            for event in events:
                yield event if isinstance(event, bytes) else event.encoded()
    finally:
        telemetry.request_id.set("")
        telemetry.caller_id.set("")
