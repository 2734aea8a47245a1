"""An undeliverable message, kept until a person decides what to do with it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from ragbase.domain.errors import ErrorCode
from ragbase.domain.identity import dead_letter_id, document_id
from ragbase.domain.job import Job
from ragbase.domain.object_event import ObjectEvent

MAX_PAYLOAD = 65_536
"""How many bytes of an unreadable message are kept: enough to see what it is. A Firestore document holds 1 MiB."""

MAX_REASON = 2_000
"""How many characters of a reason are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadMessage:
    """A message that ragbase cannot read: the first MAX_PAYLOAD bytes of its payload in base64, and its attributes.

    `size` (in bytes) and `sha256` are those of the whole payload.
    """

    payload: str
    size: int
    sha256: str
    attributes: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, payload: bytes, attributes: Mapping[str, str]) -> UnreadMessage:
        return cls(
            payload=base64.b64encode(payload[:MAX_PAYLOAD]).decode(),
            size=len(payload),
            sha256=hashlib.sha256(payload).hexdigest(),
            attributes=attributes,
        )


Message = Job | ObjectEvent | UnreadMessage
"""A job of a lane, an event for the router, or neither."""


class MessageKind(StrEnum):
    JOB = "job"
    EVENT = "event"
    UNREAD = "unread"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """An undeliverable message, and why it is undeliverable.

    `attempts` is the number in the document's record if the message is a job and has a record; otherwise it is the
    number of the queue's deliveries. If the message becomes undeliverable again, it is the same dead letter:
    `first_seen` stays, and everything else is from the last time.
    """

    message: Message
    attempts: int
    code: ErrorCode
    reason: str
    first_seen: datetime
    last_seen: datetime

    @property
    def kind(self) -> MessageKind:
        if isinstance(self.message, Job):
            return MessageKind.JOB
        return MessageKind.EVENT if isinstance(self.message, ObjectEvent) else MessageKind.UNREAD

    @property
    def id(self) -> str:
        """Derived from the message, so that a message that fails twice leaves one dead letter."""
        message = self.message
        if isinstance(message, Job):
            return dead_letter_id("job", message.document_id, message.generation, message.part)
        if isinstance(message, ObjectEvent):
            return dead_letter_id("event", message.kind, message.bucket, message.name, message.generation)
        attributes = (part for pair in sorted(message.attributes.items()) for part in pair)
        return dead_letter_id("unread", message.sha256, *attributes)

    @property
    def document_id(self) -> str | None:
        """The document that the message is about; None if ragbase cannot read the message."""
        message = self.message
        if isinstance(message, Job):
            return message.document_id
        return document_id(message.bucket, message.name) if isinstance(message, ObjectEvent) else None

    @property
    def name(self) -> str | None:
        """The document's name in its bucket."""
        return None if isinstance(self.message, UnreadMessage) else self.message.name

    @property
    def generation(self) -> int | None:
        return None if isinstance(self.message, UnreadMessage) else self.message.generation


def shortened(reason: str) -> str:
    """At most MAX_REASON characters of the reason. Characters that UTF-8 cannot encode are replaced."""
    text = reason if len(reason) <= MAX_REASON else f"{reason[: MAX_REASON - 1]}…"
    return text.encode(errors="replace").decode()
