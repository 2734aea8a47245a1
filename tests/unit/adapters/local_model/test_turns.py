"""Questions before texts of documents."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from ragbase.adapters.local_model.turns import Turns

LONG = 60.0


def test_a_text_waits_until_no_question_is_left() -> None:
    turns, done = Turns(LONG), list[str]()

    def text() -> None:
        turns.wait_for_questions()
        done.append("text")

    with ThreadPoolExecutor() as threads:
        with turns.question():
            with turns.question():
                waiting = threads.submit(text)
                done.append("first question")
            done.append("second question")
        waiting.result()
    assert done == ["first question", "second question", "text"]


def test_questions_do_not_wait_for_each_other() -> None:
    turns = Turns(LONG)
    with turns.question(), turns.question():
        pass


def test_a_text_that_has_waited_long_enough_goes_on() -> None:
    turns = Turns(0)
    with turns.question():
        turns.wait_for_questions()


def test_a_question_that_fails_holds_nobody_up() -> None:
    turns = Turns(LONG)
    with pytest.raises(ValueError, match="no text"), turns.question():
        raise ValueError("no text")
    turns.wait_for_questions()
