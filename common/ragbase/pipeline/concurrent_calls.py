"""Several calls of the embedder at the same time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

from ragbase.ports import Embeddings

Call = Callable[[], Embeddings]
Outcome = Embeddings | Exception
CallConcurrently = Callable[[Sequence[Call]], Sequence[Outcome]]


def call_concurrently(calls: Sequence[Call]) -> list[Outcome]:
    """What each call answers or raises, in the order of the calls. It returns when all have ended.

    A single call runs in this thread. Several have a thread each, with the deadline and the trace of this one.
    """
    if len(calls) <= 1:
        return [outcome_of(call) for call in calls]
    with ThreadPoolExecutor(len(calls), thread_name_prefix="embed") as threads:
        outcomes = [threads.submit(copy_context().run, outcome_of, call) for call in calls]
    return [outcome.result() for outcome in outcomes]


def outcome_of(call: Call) -> Outcome:
    """What it answers or raises."""
    try:
        return call()
    except Exception as error:  # noqa: BLE001 - who has asked decides what becomes of it
        return error
