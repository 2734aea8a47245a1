"""GET /api/events: which documents have changed, once or as a stream of events. A client without a place for a stream
asks again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Blueprint, Response, request

from ragbase.domain.errors import TooManyRequests
from ragbase.interfaces.api.guard import current_caller, may_still_ask
from ragbase.interfaces.api.route import operation, route
from ragbase.interfaces.http.body import parameters
from ragbase.interfaces.http.event_stream import EVENT_STREAM, event_stream
from ragbase.interfaces.http.json_answer import json_answer
from ragbase.interfaces.http.streams import STREAMS, STREAMS_OF_ONE

if TYPE_CHECKING:
    from ragbase.bootstrap.profile import Profile
    from ragbase.interfaces.http.streams import Streams

_ASK_AGAIN = 2
"""Seconds after which a client without a place asks again."""

_JSON = "application/json"


def events(profile: Profile, streams: Streams) -> Blueprint:
    blueprint = Blueprint("events", __name__)

    @route(blueprint, operation("followChanges"))
    def follow() -> Response:
        from ragbase.interfaces.api.change_events import SeenChanges, change_events
        from ragbase.interfaces.wire.events import ChangesRequest

        wanted = parameters(ChangesRequest)
        seen = SeenChanges(profile, current_caller())
        seen.begin(request.headers.get("Last-Event-ID") or wanted.after)
        wants_stream = request.accept_mimetypes.best_match([_JSON, EVENT_STREAM]) == EVENT_STREAM
        if request.method == "HEAD" or not wants_stream:
            response = json_answer(seen.changes())
            response.headers["Cache-Control"] = "no-store"
            response.vary.add("Accept")
            return response
        place = streams.take(current_caller().basis)
        if place is None:
            raise TooManyRequests(
                f"Only {STREAMS} streams, and {STREAMS_OF_ONE} of one caller, are open at once. Ask without "
                "Accept: text/event-stream every few seconds, or close another stream.",
                _ASK_AGAIN,
            )
        stream = event_stream(change_events(seen, streams, may_still_ask()))
        stream.call_on_close(place.leave)  # also if nobody has read anything of it
        return stream

    return blueprint
