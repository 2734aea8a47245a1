"""Turns to compute: a question goes before the texts of documents, because a person waits for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Condition


class Turns:
    """Texts of documents give way to questions. A text waits at most `patience` seconds, so that many questions hold no
    document up for ever. Any thread may call it."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._questions = 0
        self._no_question = Condition()

    @contextmanager
    def question(self) -> Iterator[None]:
        """While it is entered, the next text of a document waits."""
        with self._no_question:
            self._questions += 1
        try:
            yield
        finally:
            with self._no_question:
                self._questions -= 1
                if not self._questions:
                    self._no_question.notify_all()

    def wait_for_questions(self) -> None:
        """Return when no question is being answered, or after `patience` seconds."""
        with self._no_question:
            self._no_question.wait_for(lambda: not self._questions, self._patience)


PATIENCE = 0.2
"""Seconds that a text of a document waits for questions, each of which takes some milliseconds."""


@cache
def turns_of_process() -> Turns:
    """Those of all models of this process: they share its processors."""
    return Turns(PATIENCE)
