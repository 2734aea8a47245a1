"""Read a bucket's notification: a Pub/Sub push, or an Eventarc CloudEvent.

Pub/Sub push  the attributes say what happened to which generation; the payload is the object (format JSON_API_V1),
              or empty if the notification was set up with payload format NONE
CloudEvent    the type says what happened, the data is the object. In binary mode the type is in the header `ce-type`
              and the data is the body. In structured mode the body has both

A bucket with versioning *archives* the live generation; other buckets delete it. For search both are the same.
New metadata makes no new generation, so search shows the same as before.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Annotated

from pydantic import AfterValidator, Field
from werkzeug.datastructures import Headers

from ragbase import telemetry
from ragbase.domain.errors import MalformedMessage
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.interfaces.push.delivery import open_envelope
from ragbase.messages.json_model import INT64_MAX, JsonModel, read_json

_NOTIFICATIONS = {
    "OBJECT_FINALIZE": EventKind.FINALISED,
    "OBJECT_DELETE": EventKind.DELETED,
    "OBJECT_ARCHIVE": EventKind.DELETED,
    "OBJECT_METADATA_UPDATE": None,
}
_CLOUD_EVENTS = {
    "google.cloud.storage.object.v1.finalized": EventKind.FINALISED,
    "google.cloud.storage.object.v1.deleted": EventKind.DELETED,
    "google.cloud.storage.object.v1.archived": EventKind.DELETED,
    "google.cloud.storage.object.v1.metadataUpdated": None,
}
_STRUCTURED_MODE = "application/cloudevents+json"


def _hex_md5(value: str) -> str:
    digest = base64.b64decode(value, validate=True)
    if len(digest) != 16:  # noqa: PLR2004 - an MD5 has 128 bits
        raise ValueError("Input should be the base64 of 16 bytes")
    return digest.hex()


Name = Annotated[str, Field(min_length=1, max_length=1024)]
Generation = Annotated[int, Field(ge=0, le=INT64_MAX)]


class _Notification(JsonModel):
    """The attributes of a notification's message."""

    event_type: str
    bucket_id: Name
    object_id: Name
    object_generation: Generation
    overwritten_by_generation: Generation | None = None


class _Content(JsonModel):
    """What an object resource says about the bytes. A composite object has no MD5."""

    size: Annotated[int, Field(ge=0, le=INT64_MAX)]
    md5_hash: Annotated[str, AfterValidator(_hex_md5)] = ""
    content_type: str = ""
    metadata: Mapping[str, str] = {}


class _Object(_Content):
    bucket: Name
    name: Name
    generation: Generation


class _StructuredEvent(JsonModel):
    type: str
    data: _Object


def decode_event(headers: Headers, body: bytes) -> ObjectEvent | None:
    """The event in an HTTP request; None if it changes nothing for ragbase. Raises MalformedMessage."""
    if headers.get("content-type", "").startswith(_STRUCTURED_MODE):
        event = read_json(_StructuredEvent, body, "CloudEvent of Cloud Storage")
        return _from_object(event.type, event.data)
    type = headers.get("ce-type", "")
    if type in _CLOUD_EVENTS:
        return _from_object(type, read_json(_Object, body, "object resource of Cloud Storage"))
    return _from_push(body)


def _from_object(type: str, object: _Object) -> ObjectEvent | None:
    kind = _kind(_CLOUD_EVENTS, type)
    return None if kind is None else _event(kind, object.bucket, object.name, object.generation, object)


def _from_push(body: bytes) -> ObjectEvent | None:
    message = open_envelope(body)
    notification = read_json(_Notification, message.attributes, "Cloud Storage notification")
    kind = _kind(_NOTIFICATIONS, notification.event_type)
    if kind is None:
        return None
    if kind is EventKind.DELETED:
        return ObjectEvent(
            kind=kind,
            bucket=notification.bucket_id,
            name=notification.object_id,
            generation=notification.object_generation,
            overwritten=notification.overwritten_by_generation is not None,
        )
    if not message.data:
        raise MalformedMessage(
            "The notification has no payload, so only the object's name is known. "
            "Set up the bucket's notification with payload format JSON_API_V1."
        )
    content = read_json(_Content, message.payload, "object resource of Cloud Storage")
    return _event(kind, notification.bucket_id, notification.object_id, notification.object_generation, content)


def _event(kind: EventKind, bucket: str, name: str, generation: int, content: _Content) -> ObjectEvent:
    return ObjectEvent(
        kind=kind,
        bucket=bucket,
        name=name,
        generation=generation,
        size=content.size,
        md5=content.md5_hash,
        content_type=content.content_type,
        metadata=content.metadata,
    )


def _kind(kinds: Mapping[str, EventKind | None], word: str) -> EventKind | None:
    if word not in kinds:
        raise MalformedMessage(f"The type of the event is unknown. Known types: {', '.join(kinds)}.")
    if kinds[word] is None:
        telemetry.log("event.ignored", event=word)
    return kinds[word]
