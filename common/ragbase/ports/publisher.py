"""Jobs on their way to the lanes."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Protocol

from ragbase.domain.job import Job


class Topic(StrEnum):
    FAST = "fast-lane"
    HEAVY = "heavy-lane"
    DEAD_LETTER = "dead-letter"


class Publisher(Protocol):
    def publish(self, topic: Topic, job: Job, *, reason: str = "") -> None:
        """Hand a job to a topic, durably; it is delivered at least once. `reason` tells why it is a dead letter."""
        ...


Handler = Callable[[Job], None]
"""What a lane does with a job: returning acknowledges it, raising gives it back to the queue."""
