"""The vectors of the last questions: who asks the same again soon, pays for it once."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector

MOST = 1_000
"""Questions. With 1,024 numbers of 32 bits, their vectors take 4 MB."""
LONGEST = 600.0
"""Seconds. A service may put another model behind the same name."""


_NEVER: tuple[float, None] = (float("-inf"), None)


class QueryVectors:
    """The vectors that one model has made of questions, by the question's text. Any thread may use it.

    If several threads ask the same at once, one of them asks the service, and the others get what it gets, also its
    error. An error is not kept.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """`now` is a clock in seconds."""
        self._now = now
        self._changing = Lock()
        self._kept: OrderedDict[str, tuple[float, Future[Vector]]] = OrderedDict()

    def vector(self, text: str, ask: Callable[[], Vector]) -> Vector:
        """The vector of this text, which `ask` gets from the service if it is not known. It cannot be changed."""
        with self._changing:
            since, known = self._kept.get(text, (0.0, None))
            if known is not None and self._now() - since < LONGEST:
                self._kept.move_to_end(text)
                mine = None
            else:
                mine = known = Future()
                self._kept[text] = (self._now(), mine)
                self._kept.move_to_end(text)
                if len(self._kept) > MOST:
                    self._kept.popitem(last=False)
        if mine is not None:
            self._settle(text, mine, ask)
        return known.result()

    def unknown(self, texts: Sequence[str]) -> list[str]:
        """Those of the texts that no vector is known of, or being made of."""
        with self._changing:
            return [text for text in dict.fromkeys(texts) if self._now() - self._kept.get(text, _NEVER)[0] >= LONGEST]

    def _settle(self, text: str, mine: Future[Vector], ask: Callable[[], Vector]) -> None:
        try:
            vector = ask()
            vector.flags.writeable = False  # several callers have it
            mine.set_result(vector)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the others must not wait for ever
            with self._changing:
                if self._kept.get(text, (0.0, None))[1] is mine:
                    del self._kept[text]
            mine.set_exception(error)
