"""What a caller sees of the changes of documents, as server-sent events.

A stream sends what is new at most twice a second, each document once and as it is then, and at most 50 of them: a
storm of changes is a few events with `more`, and a stream is never behind. It ends after some time, so that its client
asks again: a function has 60 s for a request, and another client gets the place.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ragbase.domain.errors import NotSignedIn, TransientError
from ragbase.engine.changed_documents import changed_documents
from ragbase.interfaces.api.change_id import change_id, number_of
from ragbase.interfaces.http.errors import internal_error_body, unavailable
from ragbase.interfaces.http.event_stream import BEAT, RETRY_SOON, Event
from ragbase.interfaces.wire.events import changes_response
from ragbase.messages.api.error import ErrorBody

if TYPE_CHECKING:
    from ragbase.access.caller import Caller
    from ragbase.bootstrap.profile import Profile
    from ragbase.interfaces.http.streams import Streams
    from ragbase.messages.api.events import ChangesResponse

_LOOK_AGAIN = 0.1
"""Seconds between two looks for a change."""

_APART = 0.5
"""Seconds between two events at least."""

_BEAT_EVERY = 3.0
"""Seconds without an event after which the stream shows that it lives. Then, too, it finds out that its client is gone,
or may not ask any more."""

_LONGEST = 45.0
"""Seconds that a stream lasts. The function `api` has 60 for a request (terraform/functions.tf)."""


class SeenChanges:
    """What a caller has seen of the changes."""

    def __init__(self, profile: Profile, caller: Caller) -> None:
        self._profile = profile
        self._caller = caller
        self._number: int | None = None
        self._has_asked = False

    def begin(self, id: str | None) -> None:
        """Go on after this change. An id that is not of this deployment is none."""
        self._number = number_of(id, self._profile.upload_key) if id else None

    def changes(self) -> ChangesResponse:
        """What is new."""
        profile, caller = self._profile, self._caller
        changed = changed_documents(
            self._number,
            profile.changes,
            profile.documents,
            profile.config.tenancy,
            tenant=caller.tenant,
            reach=caller.reach,
        )
        self._number, self._has_asked = changed.number, True
        return changes_response(changed, next=change_id(changed.number, profile.upload_key))

    @property
    def may_have_changed(self) -> bool:
        """Whether anything has, of whomever. It is cheap to ask, but for the first time."""
        return not self._has_asked or self._profile.changes.latest() > (self._number or 0)


def change_events(seen: SeenChanges, streams: Streams, may_ask: Callable[[], bool]) -> Iterator[Event | bytes]:
    """An error is the last event."""
    try:
        yield RETRY_SOON
        yield from _changes(seen, streams, may_ask)
    except NotSignedIn as error:
        yield Event("error", ErrorBody(error="UNAUTHORIZED", message=str(error)))
    except TransientError as error:
        yield Event("error", unavailable(error))
    except Exception as error:  # noqa: BLE001 - the status is sent already; the stream says that it failed
        yield Event("error", internal_error_body("api.failed", error))


def _changes(seen: SeenChanges, streams: Streams, may_ask: Callable[[], bool]) -> Iterator[Event | bytes]:
    end = time.monotonic() + _LONGEST
    beat_at = 0.0  # at once: the client sees that the stream is there
    while time.monotonic() < end:
        pause = _LOOK_AGAIN
        if seen.may_have_changed:
            changes = seen.changes()
            if not changes.is_empty:  # of changes of others, not even a longer pause tells
                pause = _APART
                _check(may_ask)
                beat_at = time.monotonic() + _BEAT_EVERY
                yield Event("changes", changes, id=changes.next)
        if time.monotonic() >= beat_at:
            _check(may_ask)
            beat_at = time.monotonic() + _BEAT_EVERY
            yield BEAT
        if not streams.rest(pause):
            return


def _check(may_ask: Callable[[], bool]) -> None:
    if not may_ask():
        raise NotSignedIn("The key or the sign-in of this stream is over, or may do something else now. Sign in again.")
