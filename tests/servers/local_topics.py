"""The bucket, the topics and the push subscriptions of the local cloud, made over the emulators' REST interfaces."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any

from tests.servers.local_parts import BUCKET, PROJECT, UPLOADS, Layout

MAX_DELIVERIES = 20
"""A lane gives a document up by itself after 4 attempts. This is for what cannot even be recorded, and it must outlast
the leases of crashed workers: a delivery that finds the document in another worker's hands counts here as any other."""
BACKOFF = {"minimumBackoff": "20s", "maximumBackoff": "600s"}
"""A lane tries 3 times more. From 10 s on, Pub/Sub's own default, that is through within 55 s on the emulator, and a
service that is away for a minute costs documents."""
UPLOADS_GIVEN_UP = f"{UPLOADS}-dead-letter"
"""Notifications that the router could not take are no jobs, so they have a topic of their own, and wait there."""

_DONE, _THERE = 200, 409


@dataclass(frozen=True, slots=True)
class _Push:
    """A subscription that pushes a topic's messages to a function, which has `seconds` to answer."""

    function: str
    topic: str
    seconds: int
    dead_letter: str | None


def provision(layout: Layout) -> None:
    """Make what is missing."""
    topics, pubsub, storage = layout.config(), layout.port("pubsub"), layout.port("storage")
    pushes = [
        _Push("router", UPLOADS, 60, UPLOADS_GIVEN_UP),
        _Push("fast_lane", topics.fast_topic, 120, topics.dead_letter_topic),
        _Push("heavy_lane", topics.heavy_topic, 600, topics.dead_letter_topic),
        _Push("dead_letter", topics.dead_letter_topic, 60, None),
    ]
    root = f"projects/{PROJECT}"
    for topic in (*(push.topic for push in pushes), UPLOADS_GIVEN_UP):
        _make(pubsub, "PUT", f"/v1/{root}/topics/{topic}", {})
    for push in pushes:
        subscription: dict[str, Any] = {
            "topic": f"{root}/topics/{push.topic}",
            "pushConfig": {"pushEndpoint": layout.url(push.function)},
            "ackDeadlineSeconds": push.seconds,
            "retryPolicy": BACKOFF,
        }
        if push.dead_letter:
            target = {"deadLetterTopic": f"{root}/topics/{push.dead_letter}", "maxDeliveryAttempts": MAX_DELIVERIES}
            subscription["deadLetterPolicy"] = target
        _make(pubsub, "PUT", f"/v1/{root}/subscriptions/{push.topic}", subscription)
    kept = {"topic": f"{root}/topics/{UPLOADS_GIVEN_UP}"}
    _make(pubsub, "PUT", f"/v1/{root}/subscriptions/{UPLOADS_GIVEN_UP}", kept)
    _make(storage, "POST", f"/storage/v1/b?project={PROJECT}", {"name": BUCKET})


def _make(port: int, method: str, path: str, body: Mapping[str, Any]) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, path, json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        said = answer.read().decode(errors="replace")
        if answer.status not in (_DONE, _THERE):
            raise RuntimeError(f"{method} {path} on port {port}: {answer.status} {said[:500]}")
    finally:
        connection.close()
