"""Create the buckets, the topics and the subscriptions of the local cloud, through the emulators' REST APIs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http.client import HTTPConnection
from typing import Any

from scripts.local_cloud.wiring import BUCKET, KEPT, PROJECT, Wiring

MAX_DELIVERIES = 100
"""How often Pub/Sub delivers a message before it gives it to the function dead_letter: its maximum. A lane itself stops
after 4 attempts. Deliveries also count while a service is away or another worker has the document. For a document that
has attempts left, the function publishes the message again."""

_DONE, _THERE = 200, 409


def provision(wiring: Wiring) -> None:
    """Create what does not exist yet. The subscriptions are pull subscriptions: pusher.py pushes their messages."""
    pubsub, storage = wiring.hosts["pubsub"], wiring.hosts["storage"]
    subscriptions = wiring.subscriptions()
    root = f"projects/{PROJECT}"
    for topic in (*(subscription.topic for subscription in subscriptions), KEPT):
        _make(pubsub, "PUT", f"/v1/{root}/topics/{topic}", {})
    for subscription in subscriptions:
        settings = {
            "topic": f"{root}/topics/{subscription.topic}",
            "ackDeadlineSeconds": subscription.seconds,
            "deadLetterPolicy": {
                "deadLetterTopic": f"{root}/topics/{subscription.dead_letter}",
                "maxDeliveryAttempts": MAX_DELIVERIES,
            },
        }
        _make(pubsub, "PUT", f"/v1/{root}/subscriptions/{subscription.topic}", settings)
    kept = {"topic": f"{root}/topics/{KEPT}"}
    _make(pubsub, "PUT", f"/v1/{root}/subscriptions/{KEPT}", kept)
    for bucket in (BUCKET, f"{BUCKET}-texts", f"{BUCKET}-sources"):
        _make(storage, "POST", f"/storage/v1/b?project={PROJECT}", {"name": bucket})


def _make(host: str, method: str, path: str, body: Mapping[str, Any]) -> None:
    connection = HTTPConnection(host, timeout=10)
    try:
        connection.request(method, path, json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read().decode(errors="replace")
        if answer.status not in (_DONE, _THERE):
            raise RuntimeError(f"{method} {path} on {host}: {answer.status} {text[:500]}")
    finally:
        connection.close()
