"""Every notification of a bucket becomes the right event; everything else is malformed, and nothing else."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from werkzeug.datastructures import Headers

from ragbase.domain.errors import MalformedMessage
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.interfaces.push.bucket_notification import decode_event
from tests.functions.recorded import push, recorded

NAME = "guides/backup.md"
METADATA = {"ragbase-source": NAME}
WRITTEN = b"# Backups\n\nThe nightly backup starts at 02:30 and is kept for ninety days in a second region.\n"
"""What was uploaded when the events were recorded."""


def decode(name: str) -> ObjectEvent | None:
    request = recorded(name)
    return decode_event(Headers(request.headers), request.data)


def generation(name: str) -> int:
    return int(recorded(name).body["message"]["attributes"]["objectGeneration"])


@pytest.mark.parametrize("name", ["pubsub_finalize", "eventarc_finalized", "eventarc_finalized_structured"])
def test_a_finalised_object_comes_with_all_that_is_known_of_it(name: str) -> None:
    assert decode(name) == ObjectEvent(
        kind=EventKind.FINALISED,
        bucket="uploads",
        name=NAME,
        generation=generation("pubsub_finalize"),
        size=len(WRITTEN),
        md5=hashlib.md5(WRITTEN).hexdigest(),
        content_type="text/markdown",
        metadata=METADATA,
    )


def test_an_overwrite_is_a_new_generation_and_the_end_of_the_old_one() -> None:
    new, old = decode("pubsub_overwrite_finalize"), decode("pubsub_overwrite_delete")
    assert new is not None
    assert (new.kind, new.size, new.metadata) == (EventKind.FINALISED, 47, {})
    assert old == ObjectEvent(
        kind=EventKind.DELETED, bucket="uploads", name=NAME, generation=generation("pubsub_finalize"), overwritten=True
    )
    assert new.generation != old.generation


@pytest.mark.parametrize("name", ["pubsub_delete", "eventarc_deleted", "eventarc_archived"])
def test_a_deleted_or_archived_object_is_deleted(name: str) -> None:
    event = decode(name)
    assert event is not None
    assert (event.kind, event.bucket, event.name, event.overwritten) == (EventKind.DELETED, "uploads", NAME, False)


def test_a_deletion_needs_no_payload() -> None:
    request = recorded("pubsub_delete")
    del request.body["message"]["data"]
    assert decode_event(Headers(request.headers), request.data) == decode("pubsub_delete")


@pytest.mark.parametrize("name", ["pubsub_metadata_update", "eventarc_metadataUpdated"])
def test_new_metadata_is_no_event(name: str) -> None:
    assert decode(name) is None


def test_a_finalised_object_without_payload_says_how_to_set_up_the_notification() -> None:
    with pytest.raises(MalformedMessage, match="payload format JSON_API_V1"):
        decode("pubsub_finalize_without_payload")


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        ("eventType", None, "eventType"),
        ("eventType", "OBJECT_MOVED", "OBJECT_FINALIZE"),
        ("bucketId", None, "bucketId"),
        ("bucketId", "", "bucketId"),
        ("objectId", None, "objectId"),
        ("objectId", "n" * 1025, "objectId"),
        ("objectGeneration", None, "objectGeneration"),
        ("objectGeneration", "-1", "objectGeneration"),
        ("objectGeneration", "1.5", "objectGeneration"),
        ("objectGeneration", "newest", "objectGeneration"),
        ("objectGeneration", str(2**63), "objectGeneration"),
        ("objectGeneration", 7, "objectGeneration"),
    ],
)
def test_an_attribute_that_is_missing_or_wrong_is_named(field: str, value: object, named: str) -> None:
    request = recorded("pubsub_finalize")
    request.body["message"]["attributes"][field] = value
    if value is None:
        del request.body["message"]["attributes"][field]
    with pytest.raises(MalformedMessage, match=named):
        decode_event(Headers(request.headers), request.data)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("size", None),
        ("size", "-1"),
        ("size", str(2**63)),
        ("size", "large"),
        ("md5Hash", "StpWSPSsmadwt2+VEEpth"),
        ("md5Hash", "c2hvcnQ="),
        ("md5Hash", "ümläut"),
        ("md5Hash", 1),
        ("contentType", 1),
        ("metadata", {"key": 1}),
        ("metadata", "none"),
    ],
)
def test_a_resource_with_a_wrong_field_names_it(field: str, value: object) -> None:
    body = recorded("eventarc_finalized").body | {field: value}
    with pytest.raises(MalformedMessage, match=field):
        decode_event(Headers(recorded("eventarc_finalized").headers), json.dumps(body).encode())
    attributes = recorded("pubsub_finalize").body["message"]["attributes"]
    request = push(json.dumps(body).encode(), attributes)
    with pytest.raises(MalformedMessage, match=field):
        decode_event(Headers(request.headers), request.data)


def test_a_composite_object_has_no_md5() -> None:
    event = recorded("eventarc_finalized")
    del event.body["md5Hash"]
    decoded = decode_event(Headers(event.headers), event.data)
    assert decoded is not None
    assert decoded.md5 == ""


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"message": null}',
        b'{"message": {"attributes": []}}',
        b'{"message": {"data": 5}}',
        b'{"message": {"data": "e30=", "attributes": {"eventType": "\\ud800"}}}',
    ],
)
def test_a_body_that_is_no_envelope_is_malformed(body: bytes) -> None:
    with pytest.raises(MalformedMessage, match="Pub/Sub push envelope"):
        decode_event(Headers(), body)


@pytest.mark.parametrize("data", ["not base64!", "e30", "ü", base64.b64encode(b"{").decode(), "e30="])
def test_a_payload_that_is_no_object_is_malformed(data: str) -> None:
    request = recorded("pubsub_finalize")
    request.body["message"]["data"] = data
    with pytest.raises(MalformedMessage):
        decode_event(Headers(request.headers), request.data)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else ()
    return [path, *(found for key, child in inner for found in paths(child, (*path, key)))]


@given(
    name=st.sampled_from(["pubsub_finalize", "pubsub_delete", "eventarc_finalized", "eventarc_finalized_structured"]),
    draw=st.data(),
)
def test_a_message_is_malformed_or_a_sound_event_whatever_is_wrong_in_it(name: str, draw: st.DataObject) -> None:
    request = recorded(name)
    body = {"root": copy.deepcopy(request.body)}
    *above, last = draw.draw(st.sampled_from(paths(body)[1:]))
    parent: Any = body
    for key in above:
        parent = parent[key]
    parent[last] = draw.draw(json_values)
    try:
        event = decode_event(Headers(request.headers), json.dumps(body["root"]).encode())
    except MalformedMessage:
        return
    assert event is not None
    assert 0 <= event.generation < 2**63
    assert 0 <= event.size < 2**63
    assert event.bucket
    assert event.name.encode()


@given(body=st.binary(max_size=200), type=st.sampled_from(["application/json", "application/cloudevents+json", ""]))
def test_bytes_that_mean_nothing_are_malformed(body: bytes, type: str) -> None:
    with pytest.raises(MalformedMessage):
        decode_event(Headers({"Content-Type": type}), body)
