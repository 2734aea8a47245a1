"""A Cloud Storage bucket and what its notification says of it."""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Mapping, Sequence

from google.cloud.storage import Client  # type: ignore[import-untyped]  # the package says nothing of types
from google.pubsub_v1 import PubsubMessage
from werkzeug.datastructures import Headers

from ragbase.adapters.google.bucket import CloudStorageBucket
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.interfaces.push.bucket_notification import decode_event
from ragbase.ports import StoredObject
from ragbase.ports.bucket import DelegatingBucket
from tests.contract.subscription import Subscription

PATIENCE = 10.0
"""Seconds within which an announcement comes."""


class AnnouncedBucket(DelegatingBucket):
    """Passes everything to a bucket, and keeps what it must announce.

    The service announces in its own time and in no order. So `events` waits for as many announcements as there were
    changes, and puts them into the order of the changes; what no change explains comes last. The deletion of a
    generation that was overwritten is left out, as other buckets do not report it.
    """

    def __init__(self, bucket: CloudStorageBucket, notifications: Subscription) -> None:
        Client(project=None).create_bucket(bucket.name, project="contract")
        super().__init__(bucket)
        self._notifications = notifications
        self._due: list[ObjectEvent] = []
        self._lock = threading.Lock()

    def put(
        self,
        name: str,
        data: bytes,
        *,
        content_type: str = "",
        metadata: Mapping[str, str] | None = None,
        replaces: int | None = None,
    ) -> StoredObject:
        stored = super().put(name, data, content_type=content_type, metadata=metadata, replaces=replaces)
        with self._lock:
            self._due.append(stored.event(EventKind.FINALISED))
        return stored

    def delete_many(self, generations: Mapping[str, int | None]) -> Mapping[str, StoredObject]:
        removed = super().delete_many(generations)
        with self._lock:
            self._due.extend(stored.event(EventKind.DELETED) for stored in removed.values())
        return removed

    def events(self) -> Sequence[ObjectEvent]:
        with self._lock:
            due, self._due = self._due, []
        said: dict[tuple[EventKind, str, int], ObjectEvent] = {}
        deadline = time.monotonic() + PATIENCE
        while True:
            for message in self._notifications.take():
                event = _decoded(message)
                if event is not None and not event.overwritten:
                    said[_key(event)] = event
            if len(said) >= len(due) or time.monotonic() > deadline:
                break
            time.sleep(0.01)
        in_order = [_whole(said.pop(_key(change)), change) for change in due if _key(change) in said]
        return [*in_order, *said.values()]


def _decoded(message: PubsubMessage) -> ObjectEvent | None:
    """The event as the router reads it from a push."""
    envelope = {
        "message": {
            "data": base64.b64encode(message.data).decode(),
            "attributes": dict(message.attributes),
            "messageId": message.message_id,
        },
        "subscription": "uploads",
    }
    return decode_event(Headers(), json.dumps(envelope).encode())


def _key(event: ObjectEvent) -> tuple[EventKind, str, int]:
    return (event.kind, event.name, event.generation)


def _whole(said: ObjectEvent, change: ObjectEvent) -> ObjectEvent:
    """The announcement of a deletion names only the generation: the rest is what the bucket reported."""
    return change if said.kind is EventKind.DELETED else said
