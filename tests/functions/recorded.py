"""Recorded requests, and how a test adapts one to an object of its own."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragbase.domain.job import Job
from ragbase.messages.job_message import encode_job
from ragbase.ports import StoredObject

FOLDER = Path(__file__).parents[1] / "data" / "events"


@dataclass(frozen=True)
class Recorded:
    headers: dict[str, str]
    body: Any

    @property
    def data(self) -> bytes:
        return json.dumps(self.body).encode()


def recorded(name: str) -> Recorded:
    return Recorded(**json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8")))


def push(payload: bytes, attributes: dict[str, str] | None = None) -> Recorded:
    """A Pub/Sub push of a message."""
    message = {"data": base64.b64encode(payload).decode(), "attributes": attributes or {}, "messageId": "1"}
    return Recorded({"Content-Type": "application/json"}, {"message": message, "subscription": "projects/p/s"})


def job_push(job: Job) -> Recorded:
    return push(encode_job(job))


def notification(name: str, stored: StoredObject) -> Recorded:
    """A recorded Pub/Sub notification, as it would have come for another object."""
    message = recorded(name).body["message"]
    attributes = {
        **message["attributes"],
        "bucketId": stored.bucket,
        "objectId": stored.name,
        "objectGeneration": str(stored.generation),
    }
    return push(json.dumps(json.loads(base64.b64decode(message["data"])) | _resource(stored)).encode(), attributes)


def cloud_event(name: str, stored: StoredObject) -> Recorded:
    """A recorded CloudEvent in binary mode, as it would have come for another object."""
    event = recorded(name)
    return Recorded(event.headers, event.body | _resource(stored))


def _resource(stored: StoredObject) -> dict[str, object]:
    return {
        "bucket": stored.bucket,
        "name": stored.name,
        "generation": str(stored.generation),
        "size": str(stored.size),
        "md5Hash": base64.b64encode(bytes.fromhex(stored.md5)).decode(),
        "contentType": stored.content_type,
        "metadata": dict(stored.metadata),
    }
