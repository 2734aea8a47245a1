"""Items of a service that may be slow, or say nothing for ever, by the time that is left for them."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from queue import Empty, Full, Queue
from time import monotonic
from typing import TypeVar

from ragbase.adapters.backoff import Unreachable
from ragbase.domain.errors import Unavailable

_Item = TypeVar("_Item")
_AHEAD = 64
"""Items that wait for whoever reads them. The service waits, too, if there are more."""
_LOOK = 0.5
"""Seconds after which the thread looks whether anybody still reads."""


@dataclass(frozen=True, slots=True)
class _Failed:
    error: BaseException


class _End:
    """After the last item."""


def in_time(
    items: Callable[[threading.Event], Iterator[_Item]], service: str, *, quiet: float, ends: float
) -> Generator[_Item]:
    """The items, which a thread of their own gets: nothing that a server does can hold up this one, not even a header
    that comes byte by byte.

    `items` gets the event that is set when nobody reads any more. It looks at it (`while_read`) while the server sends
    what is no item: its thread would stay as long as such a server likes.

    Raises Unreachable if none comes for `quiet` seconds, Unavailable if they are not all there at the time `ends` (of
    `monotonic`), and what `items` raises. The thread ends when nobody reads any more.
    """
    queue: Queue[_Item | _Failed | type[_End]] = Queue(_AHEAD)
    over = threading.Event()

    def put(item: _Item | _Failed | type[_End]) -> bool:
        while not over.is_set():
            try:
                queue.put(item, timeout=_LOOK)
            except Full:
                continue
            return True
        return False

    def get_all() -> None:
        try:
            for item in items(over):
                if not put(item):
                    return
            put(_End)
        except BaseException as error:  # noqa: BLE001 - it is raised where the items are read
            put(_Failed(error))

    context = contextvars.copy_context()
    threading.Thread(target=context.run, args=(get_all,), name="chat", daemon=True).start()
    try:
        while True:
            item = _next(queue, service, quiet, ends)
            if isinstance(item, _Failed):
                raise item.error
            if item is _End:
                return
            yield item  # type: ignore[misc]
    finally:
        over.set()


def while_read(pieces: Iterable[bytes], over: threading.Event) -> Iterator[bytes]:
    """The pieces of a body, as long as somebody reads what they become."""
    for piece in pieces:
        if over.is_set():
            return
        yield piece


def _next(queue: Queue[_Item | _Failed | type[_End]], service: str, quiet: float, ends: float) -> object:
    left = ends - monotonic()
    try:
        if left > 0:
            return queue.get(timeout=min(quiet, left))
    except Empty:
        if left > quiet:
            raise Unreachable(f"{service} said nothing for {quiet:g} seconds.") from None
    raise Unavailable(f"{service}'s answer takes too long. It was stopped.")
