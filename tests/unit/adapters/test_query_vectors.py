"""The same question is embedded once in a while."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ragbase.adapters.query_vectors import LONGEST, MOST, QueryVectors
from ragbase.domain.errors import Unavailable

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector


class Service:
    """Counts what it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self) -> Vector:
        self.asked += 1
        return np.full(2, self.asked, np.float32)


def test_the_same_question_is_asked_once() -> None:
    service, vectors = Service(), QueryVectors()
    assert vectors.vector("ships", service) is vectors.vector("ships", service)
    vectors.vector("Ships", service)
    assert service.asked == 2


def test_nobody_can_change_what_others_get() -> None:
    with pytest.raises(ValueError, match="read-only"):
        QueryVectors().vector("ships", Service())[0] = 3


def test_an_old_vector_is_asked_for_again() -> None:
    service, now = Service(), [0.0]
    vectors = QueryVectors(lambda: now[0])
    vectors.vector("ships", service)
    now[0] = LONGEST - 1
    vectors.vector("ships", service)
    assert service.asked == 1
    now[0] = LONGEST
    vectors.vector("ships", service)
    assert service.asked == 2


def test_the_questions_that_nobody_has_asked_for_longest_are_forgotten() -> None:
    service, vectors = Service(), QueryVectors()
    for number in range(MOST):
        vectors.vector(str(number), service)
    vectors.vector("0", service)
    vectors.vector("one more", service)
    assert service.asked == MOST + 1
    vectors.vector("0", service)
    assert service.asked == MOST + 1
    vectors.vector("1", service)
    assert service.asked == MOST + 2


def test_an_error_is_raised_and_not_kept() -> None:
    def fails() -> Vector:
        raise Unavailable("away")

    service, vectors = Service(), QueryVectors()
    with pytest.raises(Unavailable):
        vectors.vector("ships", fails)
    vectors.vector("ships", service)
    assert service.asked == 1


def test_two_who_ask_at_once_are_one_call() -> None:
    service, vectors = Service(), QueryVectors()
    began, released = threading.Event(), threading.Event()

    def slow() -> Vector:
        began.set()
        assert released.wait(10)
        return service()

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(vectors.vector, "ships", slow)
        assert began.wait(10)
        second = pool.submit(vectors.vector, "ships", service)
        released.set()
        assert second.result(10) is first.result(10)
    assert service.asked == 1
