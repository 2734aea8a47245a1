"""A limit of inputs a minute, as strict as a service can have: no 60 seconds hold more."""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping
from typing import Any

MINUTE = 60.0


class InputLimit:
    """Counts the inputs of calls, and refuses those that would exceed `inputs` a minute. With 0 it refuses none."""

    def __init__(self, inputs: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit = inputs
        self._clock = clock
        self._lock = threading.Lock()
        self.reset()

    def reset(self) -> None:
        """Forget all calls."""
        self._recent: deque[tuple[float, int]] = deque()
        self._in_window = 0
        self._began: float | None = None
        self._minutes: Counter[int] = Counter()
        self._refused: Counter[str] = Counter()

    def takes(self, inputs: int, input_type: str) -> bool:
        """Whether a call may have so many inputs now. Refused inputs do not count."""
        with self._lock:
            now = self._clock()
            while self._recent and self._recent[0][0] <= now - MINUTE:
                self._in_window -= self._recent.popleft()[1]
            if self._limit and self._in_window + inputs > self._limit:
                self._refused[input_type] += 1
                return False
            self._recent.append((now, inputs))
            self._in_window += inputs
            self._began = now if self._began is None else self._began
            self._minutes[int((now - self._began) // MINUTE)] += inputs
            return True

    def stats(self) -> Mapping[str, Any]:
        """The inputs of each minute since the first call, the last and incomplete one included, and the refused calls
        by input type."""
        with self._lock:
            minutes = [self._minutes[minute] for minute in range(max(self._minutes, default=-1) + 1)]
            return {"limit": self._limit, "minutes": minutes, "refused": dict(self._refused)}
