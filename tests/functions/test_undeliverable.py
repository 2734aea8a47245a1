"""What the dead_letter function reads of what is pushed to it."""

from __future__ import annotations

import json

import pytest

from ragbase.domain.dead_letter import UnreadMessage
from ragbase.domain.errors import MalformedMessage
from ragbase.domain.identity import document_id
from ragbase.domain.job import Job
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.interfaces.push.undeliverable import decode_undeliverable
from ragbase.messages.job_message import encode_job
from tests.functions.recorded import push, recorded

JOB = Job(document_id=document_id("bucket", "a.md"), bucket="bucket", name="a.md", generation=1)
BY_POLICY = {
    "CloudPubSubDeadLetterSourceDeliveryCount": "20",
    "CloudPubSubDeadLetterSourceSubscription": "ragbase-fast-lane",
    "CloudPubSubDeadLetterSourceSubscriptionProject": "p",
    "CloudPubSubDeadLetterSourceTopicPublishTime": "2025-06-01T09:30:00.000+00:00",
}


def test_a_lane_reports_its_reason() -> None:
    given_up = decode_undeliverable(push(encode_job(JOB), {"reason": "Gave up after 3 retries."}).data)
    assert given_up is not None
    assert (given_up.message, given_up.reason, given_up.deliveries) == (JOB, "Gave up after 3 retries.", 0)


def test_the_subscriptions_own_policy_says_who_and_how_often() -> None:
    given_up = decode_undeliverable(push(encode_job(JOB), BY_POLICY).data)
    assert given_up is not None
    assert (given_up.message, given_up.deliveries) == (JOB, 20)
    assert given_up.reason == "The queue gave up: ragbase-fast-lane delivered the message 20 times without success."


def test_without_attributes_it_is_given_up_all_the_same() -> None:
    given_up = decode_undeliverable(push(encode_job(JOB)).data)
    assert given_up is not None
    assert given_up.reason == "The queue gave up: its subscription delivered the message several times without success."


@pytest.mark.parametrize(
    ("name", "kind"), [("pubsub_finalize", EventKind.FINALISED), ("pubsub_delete", EventKind.DELETED)]
)
def test_a_notification_that_the_router_could_not_take_is_an_event(name: str, kind: EventKind) -> None:
    request = recorded(name)
    request.body["message"]["attributes"] |= BY_POLICY
    given_up = decode_undeliverable(request.data)
    assert given_up is not None and isinstance(given_up.message, ObjectEvent)
    assert (given_up.message.kind, given_up.deliveries) == (kind, 20)


def test_new_metadata_is_nothing_to_keep() -> None:
    assert decode_undeliverable(recorded("pubsub_metadata_update").data) is None


@pytest.mark.parametrize(
    ("payload", "attributes"),
    [(b"{", {}), (b"\xff\x00", {}), (b"", {}), (b"{}", {"eventType": "OBJECT_FINALIZE"}), (b"{}", {"eventType": "?"})],
)
def test_what_nothing_reads_is_kept_with_what_is_wrong_with_it(payload: bytes, attributes: dict[str, str]) -> None:
    given_up = decode_undeliverable(push(payload, attributes | BY_POLICY).data)
    assert given_up is not None
    assert given_up.message == UnreadMessage.of(payload, attributes | BY_POLICY)
    assert given_up.reason.startswith(
        "The queue gave up: ragbase-fast-lane delivered the message 20 times without success. T"
    )


def test_data_that_is_no_base64_is_kept_as_it_came() -> None:
    body = json.dumps({"message": {"data": "not base64!", "attributes": {}}}).encode()
    given_up = decode_undeliverable(body)
    assert given_up is not None and given_up.message == UnreadMessage.of(b"not base64!", {})


def test_what_is_no_push_is_refused() -> None:
    with pytest.raises(MalformedMessage):
        decode_undeliverable(b"{")
