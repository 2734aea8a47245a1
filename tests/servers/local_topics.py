"""The bucket, the topics and the subscriptions of the local cloud, made over the emulators' REST interfaces."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http.client import HTTPConnection
from typing import Any

from tests.servers.local_parts import BUCKET, KEPT, PROJECT, Layout

MAX_DELIVERIES = 20
"""A lane gives a document up by itself after 4 attempts. Deliveries that find it in the hands of another worker count
too, so they have to outlast the leases of workers that died."""

_DONE, _THERE = 200, 409


def provision(layout: Layout) -> None:
    """Make what is missing. The subscriptions are for pulling: tests/servers/pusher.py does the rest."""
    pubsub, storage = layout.port("pubsub"), layout.port("storage")
    subscriptions = layout.subscriptions()
    root = f"projects/{PROJECT}"
    for topic in (*(subscription.topic for subscription in subscriptions), KEPT):
        _make(pubsub, "PUT", f"/v1/{root}/topics/{topic}", {})
    for subscription in subscriptions:
        told = {
            "topic": f"{root}/topics/{subscription.topic}",
            "ackDeadlineSeconds": subscription.seconds,
            "deadLetterPolicy": {
                "deadLetterTopic": f"{root}/topics/{subscription.dead_letter}",
                "maxDeliveryAttempts": MAX_DELIVERIES,
            },
        }
        _make(pubsub, "PUT", f"/v1/{root}/subscriptions/{subscription.topic}", told)
    kept = {"topic": f"{root}/topics/{KEPT}"}
    _make(pubsub, "PUT", f"/v1/{root}/subscriptions/{KEPT}", kept)
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
