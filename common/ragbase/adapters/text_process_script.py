"""The script that reads and cuts files for another process (text_process.py).

Its arguments are file descriptors of connections. Over the first one it gets its cutter, and says that it is ready.
Then it answers each file on the connection that it came over. It ends when the other process closes them, or dies.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from threading import Lock, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.pipeline.cut_text import Cutter, CutText, FileToCut

LONGEST_WAIT = 0.1
"""Seconds. One file after the other takes nine tenths of the time of all at once, but none waits for a long one."""


def answer(connections: Sequence[Connection]) -> None:
    cutter: Cutter = connections[0].recv()
    connections[0].send(None)
    turn = Lock()
    for connection in connections:
        Thread(target=_answer, args=(connection, cutter, turn)).start()


def _answer(connection: Connection, cutter: Cutter, turn: Lock) -> None:
    with suppress(EOFError, OSError):
        while True:
            file = connection.recv()
            has_turn = turn.acquire(timeout=LONGEST_WAIT)
            try:
                cut = _cut(file, cutter)
            finally:
                if has_turn:
                    turn.release()
            connection.send(cut)


def _cut(file: FileToCut, cutter: Cutter) -> CutText | None:
    try:
        return cutter.cut(file)
    except Exception:  # noqa: BLE001 - the other process does it again, and so gets the error as its own
        return None


def _in_memory(*_: object, **__: object) -> io.BytesIO:
    return io.BytesIO()


if __name__ == "__main__":
    tempfile.TemporaryFile = _in_memory  # type: ignore[assignment]  # no file is written here; py3langid unpacks its model
    answer([Connection(int(descriptor)) for descriptor in sys.argv[1:]])
