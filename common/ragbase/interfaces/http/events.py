"""What a bucket's notification says, however it comes: as a Pub/Sub push or as an Eventarc CloudEvent.

Pub/Sub push      attributes tell what happened to which generation; the payload is the object (JSON_API_V1), or
                  nothing where the notification was made with payload format NONE
CloudEvent        the type tells what happened; the data is the object. Binary mode has the type in the header
                  `ce-type` and the data as the body, structured mode has both in the body

In a bucket with versioning the live generation is *archived* where in others it is deleted: to search it is the same.
A change of an object's metadata makes no new generation and changes nothing that search shows.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from ragbase import telemetry
from ragbase.domain.errors import MalformedMessage
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.interfaces.http.push import open_envelope
from ragbase.wire import INT64_MAX, Wire, read_message

_CLOUD_EVENT_PREFIX = "google.cloud.storage.object.v1."
_STRUCTURED = "application/cloudevents+json"

_NOTIFICATIONS = {
    "OBJECT_FINALIZE": EventKind.FINALISED,
    "OBJECT_DELETE": EventKind.DELETED,
    "OBJECT_ARCHIVE": EventKind.DELETED,
    "OBJECT_METADATA_UPDATE": None,
}
_CLOUD_EVENTS = {
    "finalized": EventKind.FINALISED,
    "deleted": EventKind.DELETED,
    "archived": EventKind.DELETED,
    "metadataUpdated": None,
}


def _hex_md5(value: str) -> str:
    """Cloud Storage gives base64. Composite objects have no MD5."""
    digest = base64.b64decode(value, validate=True)
    if len(digest) not in (0, 16):
        raise ValueError("Input should be the base64 of 16 bytes")
    return digest.hex()
