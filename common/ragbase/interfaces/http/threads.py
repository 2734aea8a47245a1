"""The threads that answer requests, and who may wait for one."""

from __future__ import annotations

from typing import Protocol

from waitress.task import ThreadedTaskDispatcher  # type: ignore[import-untyped]  # waitress has no types

ANSWERS = 8
"""Requests answered at once, uploads not counted. A search releases the interpreter's lock most of the time."""

UPLOADS = 4
"""Uploads answered at once. Each holds its file in memory. Those that wait are on the disk."""

WAITING = 16
"""The most requests that wait for a thread, uploads not counted. Who comes then is refused at once: in a longer line,
everybody would wait longer. Measured with 200 clients on 2 busy cores (bench/http): 95 to 100 queries a second are
answered either way."""

WAITING_UPLOADS = 32
"""As above. Nobody watches an upload as closely as a question."""


class Connection(Protocol):
    """A connection with a request that has arrived."""

    is_refused: bool
    is_upload: bool

    def refuse_for_now(self) -> None:
        """Let the request be answered with 429."""


class Threads:
    """Implements waitress's dispatcher. Uploads and refusals have threads of their own, so that nothing waits for
    uploads, and no refusal waits for anything."""

    def __init__(self) -> None:
        self._answers, self._uploads, self._refusals = (_started(threads) for threads in (ANSWERS, UPLOADS, 1))

    def add_task(self, connection: Connection) -> None:
        if not connection.is_refused and self.is_full(uploads=connection.is_upload):
            connection.refuse_for_now()
        if connection.is_refused:
            self._refusals.add_task(connection)
        else:
            self._for(uploads=connection.is_upload).add_task(connection)

    def is_full(self, *, uploads: bool) -> bool:
        return len(self._for(uploads=uploads).queue) >= (WAITING_UPLOADS if uploads else WAITING)

    def shutdown(self) -> None:
        for threads in (self._answers, self._uploads, self._refusals):
            threads.shutdown()

    def _for(self, *, uploads: bool) -> ThreadedTaskDispatcher:
        return self._uploads if uploads else self._answers


def _started(threads: int) -> ThreadedTaskDispatcher:
    dispatcher = ThreadedTaskDispatcher()
    dispatcher.queue_logger.disabled = True  # a short line is nothing to report, and a long one is refused
    dispatcher.set_thread_count(threads)
    return dispatcher
