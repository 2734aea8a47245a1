"""Questions before batches of documents."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from ragbase.adapters.minilm.turns import Turns

LONG = 60.0


def test_a_batch_waits_until_no_question_is_left() -> None:
    turns, done = Turns(LONG), list[str]()

    def batch() -> None:
        with turns.batch():
            done.append("batch")

    with ThreadPoolExecutor() as threads:
        with turns.question():
            with turns.question():
                waiting = threads.submit(batch)
                done.append("first question")
            done.append("second question")
        waiting.result()
    assert done == ["first question", "second question", "batch"]


def test_questions_do_not_wait_for_a_batch_nor_for_each_other() -> None:
    turns = Turns(LONG)
    with turns.batch(), turns.question(), turns.question():
        pass


def test_a_batch_that_has_waited_long_enough_goes_on() -> None:
    turns = Turns(0)
    with turns.question(), turns.batch():
        pass


def test_batches_go_one_after_another() -> None:
    turns, inside, second = Turns(LONG), list[str](), Event()

    def batch() -> None:
        second.set()
        with turns.batch():
            inside.append("second")

    with ThreadPoolExecutor() as threads:
        with turns.batch():
            waiting = threads.submit(batch)
            second.wait(LONG)
            inside.append("first")
        waiting.result()
    assert inside == ["first", "second"]


def test_a_question_that_fails_holds_nobody_up() -> None:
    turns = Turns(LONG)
    with pytest.raises(ValueError, match="no text"), turns.question():
        raise ValueError("no text")
    with turns.batch():
        pass
