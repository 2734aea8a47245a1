"""Which faults of Google's clients pass by themselves, and how long a call is tried again before the queue is asked to.

A blip is tried again here, as a redelivery costs the document an attempt. A fault that lasts goes to the queue, which
backs off for longer than a request may wait.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ragbase.domain.errors import TransientError

if TYPE_CHECKING:
    from google.api_core.retry import Retry

PATIENCE = 4.0
"""Seconds in which a failing call is tried again: a query has to answer within 5 s, also that something is away."""


@contextmanager
def passing_faults(service: str) -> Iterator[None]:
    """Raise TransientError for a fault that passes; let every other error through."""
    try:
        yield
    except Exception as error:
        if not _passes(error):
            raise
        raise TransientError(f"{service} did not answer: {error}") from error


def patient_retry() -> Retry:
    """Tries a call again after faults that pass, at random times of up to 0.1, 0.2, 0.4 and then 0.8 seconds."""
    from google.api_core.retry import Retry

    return Retry(predicate=_passes, initial=0.1, multiplier=2.0, maximum=0.8, timeout=PATIENCE)


def contention_retry() -> Retry:
    """Tries a compare-and-set again after a conflict, sooner than a service that is away: the winner is done by then.

    Twice the patience, as Firestore takes about one write a second to the same document when many want it.
    """
    from google.api_core.retry import Retry

    return Retry(predicate=_passes_or_conflicts, initial=0.01, multiplier=1.5, maximum=0.8, timeout=2 * PATIENCE)


def _passes(error: BaseException) -> bool:
    from google.api_core import exceptions
    from google.auth.exceptions import TransportError
    from requests import exceptions as http

    return isinstance(
        error,
        (
            exceptions.RetryError,
            exceptions.TooManyRequests,
            exceptions.ServerError,
            exceptions.Aborted,
            exceptions.Cancelled,
            TransportError,
            http.ConnectionError,
            http.Timeout,
            http.ChunkedEncodingError,
        ),
    )


def _passes_or_conflicts(error: BaseException) -> bool:
    from google.api_core.exceptions import AlreadyExists, FailedPrecondition

    return isinstance(error, (AlreadyExists, FailedPrecondition)) or _passes(error)
