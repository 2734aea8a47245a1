"""What comes to the dead_letter function: messages of any topic that nobody could deal with, and why."""

from __future__ import annotations

from dataclasses import dataclass

from werkzeug.datastructures import Headers

from ragbase.domain.dead_letter import Message, UnreadMessage
from ragbase.domain.errors import MalformedMessage
from ragbase.interfaces.http.events import decode_event
from ragbase.interfaces.http.push import PushMessage, open_envelope
from ragbase.job_message import decode_job


@dataclass(frozen=True, slots=True)
class GivenUp:
    """A message, the reason why it was given up, and how often it was delivered."""

    message: Message
    reason: str
    deliveries: int


def decode_given_up(body: bytes) -> GivenUp | None:
    """What is in the body of a push request; None for an event that changes nothing here.

    Bytes that nothing reads are kept as they are: refused, they would come again for ever. Raises MalformedMessage for
    what is no push.
    """
    pushed = open_envelope(body)
    message: Message | None
    try:
        is_event = "eventType" in pushed.attributes  # a bucket's notification, which the router could not take
        message, flaw = decode_event(Headers(), body) if is_event else decode_job(pushed.payload), ""
    except MalformedMessage as error:
        message, flaw = _unread(pushed), f" {error}"
    return GivenUp(message, _reason(pushed) + flaw, _deliveries(pushed)) if message is not None else None


def _unread(pushed: PushMessage) -> UnreadMessage:
    try:
        return UnreadMessage.of(pushed.payload, pushed.attributes)
    except MalformedMessage:
        return UnreadMessage.of(pushed.data.encode(), pushed.attributes)


def _reason(pushed: PushMessage) -> str:
    """The lane said so, or Pub/Sub's own policy took the message after its last delivery."""
    attributes = pushed.attributes
    if reason := attributes.get("reason"):
        return reason
    source = attributes.get("CloudPubSubDeadLetterSourceSubscription", "its subscription")
    return f"The queue gave up: {source} delivered the message in vain, {_deliveries(pushed) or 'several'} times."


def _deliveries(pushed: PushMessage) -> int:
    """0 where Pub/Sub does not say: it counts for its own policy alone."""
    count = pushed.attributes.get("CloudPubSubDeadLetterSourceDeliveryCount", "")
    return int(count) if count.isdecimal() else 0
