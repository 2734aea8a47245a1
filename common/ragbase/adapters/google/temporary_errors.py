"""Which faults of Google's clients are temporary, and how long a call is tried again before the queue takes over.

After a short fault the call is tried again here, because a redelivery comes 10 seconds later at the earliest. A longer
fault goes to the queue, which waits longer than a request may.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ragbase.domain.errors import Unavailable

if TYPE_CHECKING:
    from google.api_core.retry import Retry

PATIENCE = 4.0
"""Seconds in which a failing call is tried again: a query must answer within 5 s, even if only with an error."""


@contextmanager
def passing_faults(service: str) -> Iterator[None]:
    """Raise Unavailable for a temporary fault; let every other error through."""
    try:
        yield
    except Exception as error:
        if not _is_temporary(error):
            raise
        raise Unavailable(f"{service} did not answer: {error}") from error


def patient_retry() -> Retry:
    """Tries a call again after temporary faults, with random waits of up to 0.1, 0.2, 0.4 and then 0.8 seconds."""
    from google.api_core.retry import Retry

    return Retry(predicate=_is_temporary, initial=0.1, multiplier=2.0, maximum=0.8, timeout=PATIENCE)


def contention_retry() -> Retry:
    """Tries a compare-and-set again after a conflict, with shorter waits: the other writer is soon done.

    It has twice the patience, because Firestore accepts about one write a second to a document that many write.
    """
    from google.api_core.retry import Retry

    return Retry(predicate=_is_temporary_or_conflict, initial=0.01, multiplier=1.5, maximum=0.8, timeout=2 * PATIENCE)


def _is_temporary(error: BaseException) -> bool:
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


def _is_temporary_or_conflict(error: BaseException) -> bool:
    from google.api_core.exceptions import AlreadyExists, FailedPrecondition

    return isinstance(error, (AlreadyExists, FailedPrecondition)) or _is_temporary(error)
