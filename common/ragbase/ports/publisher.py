"""How jobs get to the lanes."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ragbase.domain.job import Job


class Topic(StrEnum):
    FAST = "fast-lane"
    HEAVY = "heavy-lane"
    DEAD_LETTER = "dead-letter"


class Publisher(Protocol):
    def publish(self, topic: Topic, job: Job, *, reason: str = "") -> None:
        """Put a job on a topic, durably; it is delivered at least once. `reason` says why it is a dead letter.

        Raises PermanentError for a message that it will never take, such as one that is too large, and Unavailable if
        it is away.
        """
        ...
