"""The time by which the work in this thread must have ended. Adapters wait no longer than that."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

_DEADLINE: ContextVar[datetime | None] = ContextVar("deadline", default=None)


@contextmanager
def work_until(deadline: datetime | None) -> Iterator[None]:
    """Set the deadline of this thread's work. With None it has no deadline."""
    token = _DEADLINE.set(deadline)
    try:
        yield
    finally:
        _DEADLINE.reset(token)


def deadline() -> datetime | None:
    """When this thread's work must have ended. None if it has no deadline."""
    return _DEADLINE.get()


def seconds_left() -> float:
    """Seconds until the deadline, negative after it. Infinity if this thread's work has none."""
    end = _DEADLINE.get()
    return (end - datetime.now(UTC)).total_seconds() if end is not None else float("inf")
