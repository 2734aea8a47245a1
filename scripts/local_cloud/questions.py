"""Somebody who asks a question again and again, whatever else happens."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from scripts.local_cloud.user import User


@dataclass
class Asked:
    """The status of each answer, and how many seconds it took."""

    statuses: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    @property
    def answered(self) -> int:
        return self.statuses.count(200)


@contextmanager
def asking(user: User, question: str, *, every: float = 1.0) -> Iterator[Asked]:
    """Ask the question in another thread until the context ends: `every` seconds after each answer."""
    asked, ended = Asked(), threading.Event()

    def ask() -> None:
        while not ended.wait(every):
            began = time.perf_counter()
            asked.statuses.append(user.query(question, 5).status)
            asked.seconds.append(time.perf_counter() - began)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield asked
    finally:
        ended.set()
        thread.join()
