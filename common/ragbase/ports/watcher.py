"""A folder that is watched."""

from __future__ import annotations

from typing import Protocol


class Watcher(Protocol):
    """Turns changes of the bucket's folder into object events, from `start` until `stop`."""

    def start(self) -> None: ...

    def stop(self) -> None: ...
