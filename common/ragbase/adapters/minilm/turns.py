"""Whose turn it is to compute: a person waits for a question, and nobody for a batch of documents."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, Lock


class Turns:
    """Batches of documents give way to questions, and go one after another. A batch waits at most `patience` seconds
    for questions, so that many of them hold no document up for ever. Any thread may call it."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._questions = 0
        self._no_question = Condition()
        self._batch = Lock()

    @contextmanager
    def question(self) -> Iterator[None]:
        """While it is entered, the next batch waits."""
        with self._no_question:
            self._questions += 1
        try:
            yield
        finally:
            with self._no_question:
                self._questions -= 1
                if not self._questions:
                    self._no_question.notify_all()

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Wait for the turn of a batch. It ends with the context."""
        with self._batch:
            with self._no_question:
                self._no_question.wait_for(lambda: not self._questions, self._patience)
            yield
