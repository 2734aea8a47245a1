"""The threads that answer requests, and who may wait for one."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Protocol

from waitress.task import ThreadedTaskDispatcher  # type: ignore[import-untyped]  # waitress has no types

from ragbase.interfaces.http.body_limit import Line
from ragbase.interfaces.http.streams import STREAMS

ANSWERS = 8
"""Requests answered at once; uploads, GET /api/events and POST /api/answer not counted. A search releases the
interpreter's lock most of the time. With fewer threads, those that process uploads take more of the processor: in 12 s,
8 threads answered 540 and 610 queries, 3 threads 370 and 420, 2 threads 260 and 300 (bench/http with minilm, on 2 busy
cores)."""

STRANGERS = 4
"""Requests of strangers answered at once: the API's description, sign-ins, and queries where the setting public_query
lets everybody ask."""

UPLOADS = 4
"""Uploads answered at once. Each holds its file in memory. Those that wait are on the disk."""

WRITERS = 4
"""Questions answered in sentences at once (POST /api/answer). Each may wait for a hosted model for 40 s, and must not
hold a thread that a search needs."""

EVENTS = STREAMS + 2
"""Requests for changes answered at once. While all streams are open, there are threads for those who only ask."""

FILES = 4
"""Files of the console sent at once."""

LOOKS = 2
"""Requests whose sender is looked at once their headers are there, at the same time. That reads the database. So it may
wait for the disk, and the one thread that reads and writes all connections must not."""

LONGEST_WAIT = 0.05
"""Seconds. If the first in the line has waited longer for a thread, who comes now is refused at once. A line of a fixed
length is short on a fast machine, and holds everybody up for seconds on a busy one."""

WAITING = 16
"""The most requests that wait for a thread, uploads not counted, however short their wait: many may come at once."""

WAITING_FILES = 64
"""As above. Each takes a millisecond, so they may wait as long as a busy machine takes."""

WAITING_UPLOADS = 32
"""As above. Nobody watches an upload as closely as a question, so it may wait as long as it takes."""


class ThreadWork(Protocol):
    """What a thread does: answer a request, or look at its sender."""

    def service(self) -> None:
        """Do it, in the thread that calls this."""

    def cancel(self) -> None:
        """Close the connection without an answer."""


class Arrived(ThreadWork, Protocol):
    """A connection with a request that has arrived."""

    is_refused: bool
    line: Line

    def refuse_for_now(self) -> None:
        """Let the request be answered with 429."""


class Threads:
    """Implements waitress's dispatcher. Uploads, written answers, streams of changes, strangers, files, health checks
    and refusals have threads of their own. So nothing else waits for uploads, for a model that writes, for a stream or
    for strangers, and no refusal and no health check waits for anything."""

    def __init__(self, *, longest_wait: float = LONGEST_WAIT) -> None:
        self._looks = _Waiting(LOOKS)
        self._refusals = _Waiting(1)
        self._lines = {
            Line.ANSWERS: _Waiting(ANSWERS, most=WAITING, longest=longest_wait),
            Line.STRANGERS: _Waiting(STRANGERS, most=WAITING, longest=longest_wait),
            Line.WRITERS: _Waiting(WRITERS, most=WAITING, longest=longest_wait),
            Line.EVENTS: _Waiting(EVENTS, most=WAITING, longest=longest_wait),
            Line.FILES: _Waiting(FILES, most=WAITING_FILES),
            Line.UPLOADS: _Waiting(UPLOADS, most=WAITING_UPLOADS),
            Line.HEALTH: _Waiting(1),
        }

    def add_task(self, connection: Arrived) -> None:
        if not connection.is_refused and self.is_full(connection.line):
            connection.refuse_for_now()
        (self._refusals if connection.is_refused else self._lines[connection.line]).add(connection)

    def look(self, task: ThreadWork) -> None:
        """Look at who sends a request."""
        self._looks.add(task)

    def is_full(self, line: Line) -> bool:
        return self._lines[line].is_full

    def shutdown(self) -> None:
        for waiting in (*self._lines.values(), self._refusals, self._looks):
            waiting.shutdown()


class _Waiting:
    """Some threads, and the requests that wait for one of them."""

    def __init__(self, threads: int, *, most: float = math.inf, longest: float = math.inf) -> None:
        """`most` counts requests, `longest` is in seconds: one more is refused."""
        self._threads = threads
        self._most = most
        self._longest = longest
        self._unanswered = 0
        self._dispatcher = ThreadedTaskDispatcher()
        self._dispatcher.queue_logger.disabled = True  # a short line is nothing to report, and a long one is refused
        self._dispatcher.set_thread_count(threads)

    def add(self, task: ThreadWork) -> None:
        self._dispatcher.add_task(_Turn(task, self._end))
        with self._dispatcher.lock:  # after that: those who wait are all in the queue
            self._unanswered += 1

    @property
    def is_full(self) -> bool:
        """On a busy machine, an idle thread takes a while to wake up. Who waits for that does not wait for others."""
        with self._dispatcher.lock:
            waiting = self._unanswered - self._threads
            first: _Turn | None = self._dispatcher.queue[-waiting] if waiting > 0 else None
        return first is not None and (waiting >= self._most or first.waited >= self._longest)

    def shutdown(self) -> None:
        self._dispatcher.shutdown()

    def _end(self) -> None:
        with self._dispatcher.lock:
            self._unanswered -= 1


class _Turn:
    """What waits for a thread."""

    def __init__(self, task: ThreadWork, end: Callable[[], None]) -> None:
        self._since = time.monotonic()
        self._task = task
        self._end = end
        self.cancel = task.cancel

    def service(self) -> None:
        try:
            self._task.service()
        finally:
            self._end()

    @property
    def waited(self) -> float:
        """Seconds."""
        return time.monotonic() - self._since
