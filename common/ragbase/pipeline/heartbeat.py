"""A heartbeat keeps the lease of a long attempt. If the worker dies, it stops, and the lease soon runs out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_MOMENT = 0.1
"""Seconds: the thread of a heartbeat ends at once, unless it is beating."""


@contextmanager
def heartbeat(beat: Callable[[], bool], *, every: float) -> Iterator[None]:
    """Call `beat` every so many seconds, in a thread of its own, until it returns False or the context ends.

    Work that ends within `every` seconds costs no beat. A beat that is running when the context ends is not waited for.
    """
    over = threading.Event()

    def run() -> None:
        while not over.wait(every):
            if not beat():
                return

    thread = threading.Thread(target=run, name="heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(_MOMENT)
