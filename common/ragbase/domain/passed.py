"""What may be believed of two times that a clock has given: somebody may have put it right in between, and the machine
may have slept.

No wait ends because the clock was put forward, and none goes on because it was put back. So a time that was noted and
lies too far ahead of now counts for nothing, and time counts as passed only as far as somebody looked now and then.
"""

from __future__ import annotations

from datetime import datetime, timedelta

APART = timedelta(minutes=5)
"""How far the clocks of two machines may be apart. What lies further ahead was noted before a clock was put right."""

BETWEEN_LOOKS = timedelta(minutes=15)
"""The most that counts as passed between two looks at something that waits. The longest backoff of a queue is ten
minutes (Pub/Sub: https://cloud.google.com/pubsub/docs/handling-failures#exponential_backoff), and 75 s on one machine.
Any longer time is that of a clock that was put forward, of a machine that slept, or one in which nobody tried."""


BETWEEN_DEAD_LETTERS = timedelta(hours=4)
"""The same between two dead letters of a document: a queue gives a message up after hours (Pub/Sub, 20 deliveries)."""


def is_ahead(moment: datetime, now: datetime) -> bool:
    """Whether this time, which was once now, cannot have been: the clock was put back since."""
    return moment > now + APART


def passed(last_look: datetime, now: datetime, most: timedelta = BETWEEN_LOOKS) -> timedelta:
    """How much time was seen to pass between two looks, `most` at most."""
    return min(max(now - last_look, timedelta(0)), most)
