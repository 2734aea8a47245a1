"""A server is asked for the current index once in a while, however many threads want to know it."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from ragbase.adapters.remembered_index import SECONDS, RememberedIndex
from ragbase.domain.errors import Unavailable
from ragbase.domain.index import Index


class Server:
    """Names another index each time."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self) -> Index | None:
        self.asked += 1
        return Index(name=f"index{self.asked}", model="model", dimension=2, language="english")


def test_the_index_is_remembered_for_a_moment() -> None:
    server, now = Server(), [0.0]
    remembered = RememberedIndex(lambda: now[0])
    first = remembered.get(server)
    now[0] = SECONDS * 0.9
    assert remembered.get(server) is first
    now[0] = SECONDS
    assert remembered.get(server) is not first
    assert server.asked == 2


def test_a_change_by_this_process_is_seen_at_once() -> None:
    server, remembered = Server(), RememberedIndex(lambda: 0.0)
    first = remembered.get(server)
    remembered.forget()
    assert remembered.get(server) is not first


def test_that_there_is_no_index_is_not_remembered() -> None:
    server, remembered = Server(), RememberedIndex(lambda: 0.0)
    assert remembered.get(lambda: None) is None
    assert remembered.get(server) is not None


def test_an_error_is_raised_and_not_kept() -> None:
    def fails() -> Index | None:
        raise Unavailable("away")

    server, remembered = Server(), RememberedIndex(lambda: 0.0)
    with pytest.raises(Unavailable):
        remembered.get(fails)
    assert remembered.get(server) is not None


def test_all_who_ask_at_once_are_one_request() -> None:
    server, remembered, released = Server(), RememberedIndex(lambda: 0.0), threading.Event()
    began = threading.Event()

    def slow() -> Index | None:
        began.set()
        assert released.wait(60)
        return server()

    with ThreadPoolExecutor(3) as threads:
        first = threads.submit(remembered.get, slow)
        assert began.wait(60)
        others = [threads.submit(remembered.get, server) for _ in range(2)]
        released.set()
        found = first.result()
        assert [other.result() for other in others] == [found, found]
    assert server.asked == 1


def test_who_asks_after_a_change_does_not_wait_for_an_older_answer() -> None:
    server, remembered, released = Server(), RememberedIndex(lambda: 0.0), threading.Event()
    began = threading.Event()

    def slow() -> Index | None:
        began.set()
        assert released.wait(60)
        return None

    with ThreadPoolExecutor(1) as threads:
        older = threads.submit(remembered.get, slow)
        assert began.wait(60)
        remembered.forget()
        try:
            newer = remembered.get(server)
        finally:
            released.set()
        assert older.result() is None
    assert remembered.get(server) is newer
