"""Who comes while a thread is idle is not refused, however long that thread takes to wake up."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event

import pytest

from ragbase.interfaces.http.body_limit import Line
from ragbase.interfaces.http.threads import ANSWERS, Threads

MANY = 200


@dataclass
class Request:
    """One that holds its thread until it is told to end."""

    end: Event
    is_refused: bool = False
    line: Line = Line.ANSWERS

    def refuse_for_now(self) -> None:
        self.is_refused = True

    def service(self) -> None:
        self.end.wait()

    def cancel(self) -> None:
        pass


@pytest.mark.slow
def test_only_who_comes_beyond_the_threads_is_refused() -> None:
    for _ in range(MANY):
        threads = Threads(longest_wait=0)
        end = Event()
        requests = [Request(end) for _ in range(ANSWERS + 2)]
        for request in requests:
            threads.add_task(request)
        end.set()
        threads.shutdown()
        assert [request.is_refused for request in requests] == [False] * (ANSWERS + 1) + [True]
