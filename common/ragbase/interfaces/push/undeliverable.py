"""What the dead_letter function receives: an undeliverable message of any topic, and the reason."""

from __future__ import annotations

from dataclasses import dataclass

from werkzeug.datastructures import Headers

from ragbase.domain.dead_letter import Message, UnreadMessage
from ragbase.domain.errors import MalformedMessage
from ragbase.interfaces.push.delivery import PushMessage, open_envelope
from ragbase.messages.job_message import decode_job


@dataclass(frozen=True, slots=True)
class Undeliverable:
    """A message, why it is undeliverable, and how often it was delivered."""

    message: Message
    reason: str
    deliveries: int


def decode_undeliverable(body: bytes) -> Undeliverable | None:
    """Read the body of a push request; None for an event that changes nothing for ragbase.

    Bytes that ragbase cannot read are kept as they are. If they were refused, Pub/Sub would deliver them again for
    ever. Raises MalformedMessage if the body is not a push.
    """
    pushed = open_envelope(body)
    problem = ""
    try:
        message = _event(body) if "eventType" in pushed.attributes else decode_job(pushed.payload)
    except MalformedMessage as error:
        message, problem = _unread(pushed), f" {error}"
    return Undeliverable(message, _reason(pushed) + problem, _deliveries(pushed)) if message is not None else None


def _event(body: bytes) -> Message | None:
    """A bucket's notification that the router could not handle."""
    from ragbase.interfaces.push.bucket_notification import decode_event  # most messages are jobs: a quicker start

    return decode_event(Headers(), body)


def _unread(pushed: PushMessage) -> UnreadMessage:
    try:
        return UnreadMessage.of(pushed.payload, pushed.attributes)
    except MalformedMessage:
        return UnreadMessage.of(pushed.data.encode(), pushed.attributes)


def _reason(pushed: PushMessage) -> str:
    """The lane's reason; without one, Pub/Sub's own policy took the message after its last delivery."""
    attributes = pushed.attributes
    if reason := attributes.get("reason"):
        return reason
    source = attributes.get("CloudPubSubDeadLetterSourceSubscription", "its subscription")
    return (
        f"The queue gave up: {source} delivered the message {_deliveries(pushed) or 'several'} times without success."
    )


def _deliveries(pushed: PushMessage) -> int:
    """0 if Pub/Sub does not say: it counts only for its own policy."""
    count = pushed.attributes.get("CloudPubSubDeadLetterSourceDeliveryCount", "")
    return int(count) if count.isdecimal() else 0
