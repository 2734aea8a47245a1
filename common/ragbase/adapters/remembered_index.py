"""The current index as a server has named it, remembered for a moment: every query and every document asks for it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import Future
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.domain.index import Index

SECONDS = 0.5
"""For how long. To ask Weaviate takes about 2 ms."""


_NOTHING: tuple[float, Future[Index | None]] = (-math.inf, Future())


class RememberedIndex:
    """What a server answered to the question for the current index, less than SECONDS after it was asked.

    If several threads ask at once, one of them asks the server, and the others get what it gets, also its error. An
    error is not kept, nor that there is no index. Any thread may use it.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """`now` is a clock in seconds."""
        self._now = now
        self._changing = Lock()
        self._asked: tuple[float, Future[Index | None]] = _NOTHING
        """When the server was asked, and its answer."""

    def get(self, ask: Callable[[], Index | None]) -> Index | None:
        """The current index, which `ask` gets from the server if it is not known."""
        now = self._now()
        mine: Future[Index | None] | None = None
        with self._changing:
            since, answer = self._asked
            if now - since >= SECONDS:
                mine = answer = Future()
                self._asked = (now, mine)
        if mine is not None:
            self._settle(mine, ask)
        return answer.result()

    def forget(self) -> None:
        """This process has changed, or is about to change, which index is current."""
        with self._changing:
            self._asked = _NOTHING

    def _settle(self, answer: Future[Index | None], ask: Callable[[], Index | None]) -> None:
        try:
            index = ask()
            if index is None:
                self._drop(answer)
            answer.set_result(index)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the others must not wait for ever
            self._drop(answer)
            answer.set_exception(error)

    def _drop(self, answer: Future[Index | None]) -> None:
        with self._changing:
            if self._asked[1] is answer:
                self._asked = _NOTHING
