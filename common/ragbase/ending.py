"""Whether this process is about to end. Work that takes long then stops where another attempt can take it up."""

from __future__ import annotations

import threading

from ragbase.domain.errors import Busy

_ENDING = threading.Event()


def end_work() -> None:
    """Let all work of this process that takes long stop, for good. It is handed back, and counts as no attempt."""
    _ENDING.set()


def check_not_ending() -> None:
    """Raises Busy if this process is about to end."""
    if _ENDING.is_set():
        raise Busy("The process is about to end.")
