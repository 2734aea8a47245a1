"""A publisher that keeps all messages in memory."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass

from ragbase.domain.job import Job
from ragbase.ports import Topic


@dataclass(frozen=True, slots=True)
class Published:
    topic: Topic
    job: Job
    reason: str = ""


class MemoryPublisher:
    """Implements the Publisher port. Iterate over it to get all that was published so far, in order."""

    def __init__(self) -> None:
        self._published: list[Published] = []
        self._lock = threading.Lock()

    def publish(self, topic: Topic, job: Job, *, reason: str = "") -> None:
        with self._lock:
            self._published.append(Published(topic, job, reason))

    def take(self) -> list[Published]:
        """Remove and return all that was published since the last time."""
        with self._lock:
            published, self._published = self._published, []
            return published

    def __iter__(self) -> Iterator[Published]:
        with self._lock:
            return iter(tuple(self._published))

    def __len__(self) -> int:
        with self._lock:
            return len(self._published)
