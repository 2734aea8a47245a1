"""When to try a call to a hosted model again, and how long to wait first.

| what happened         | documents                         | queries, answers  |
|-----------------------|-----------------------------------|-------------------|
| 429, rate limited     | 5 more, after 1, 2, 4, 8 and 16 s | 1 more, after 1 s |
| no answer (network)   | 2 more, after 2 s each            | 1 more, after 1 s |
| anything else         | none: it is raised at once        | none              |

A rate limit's Retry-After replaces the wait in the table. If it is longer than `longest_wait`, or than the time that is
left for the work (ports/deadline.py), the attempts end: a message can wait in the queue without blocking a worker. The
waits for documents are those of docs/contracts/website-pipeline.md, section 4. A person waits for a query, and learns
within 5 s that the service is away: 1.5 s for each of two calls, and 1 s between them. A model that writes an answer
thinks longer: 15 s may pass until its first word, and between two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from ragbase.domain.errors import Unavailable
from ragbase.ports import seconds_left

Result = TypeVar("Result")
Sleep = Callable[[float], None]
"""Waits that many seconds."""


class Unreachable(Unavailable):
    """The service gave no answer: no connection, a broken one, or silence up to the timeout."""


class RateLimited(Unavailable):
    """The service answered 429. `retry_after` is the wait in seconds that it asks for, if it asks for one."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Patience:
    """The waits before each further attempt, by what happened, and the `timeout` of one call. All in seconds."""

    rate_limited: tuple[float, ...]
    unreachable: tuple[float, ...]
    longest_wait: float
    timeout: float


FOR_DOCUMENTS = Patience(rate_limited=(1, 2, 4, 8, 16), unreachable=(2, 2), longest_wait=60, timeout=30)
FOR_QUERIES = Patience(rate_limited=(1,), unreachable=(1,), longest_wait=1, timeout=1.5)

FOR_ANSWERS = Patience(rate_limited=(1,), unreachable=(1,), longest_wait=1, timeout=15)


def persist(call: Callable[[], Result], patience: Patience, sleep: Sleep) -> Result:
    """The result of `call`, tried again as often as `patience` allows. Raises its last error if no attempt succeeds."""
    waits = {RateLimited: iter(patience.rate_limited), Unreachable: iter(patience.unreachable)}
    while True:
        try:
            return call()
        except (RateLimited, Unreachable) as error:
            wait = next(waits[type(error)], None)
            if wait is None:
                raise
            if isinstance(error, RateLimited) and error.retry_after is not None:
                wait = error.retry_after
            if wait > min(patience.longest_wait, seconds_left()):
                raise
        sleep(wait)
