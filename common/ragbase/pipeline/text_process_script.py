"""The script that reads and cuts files for another process (text_process.py).

Its arguments are file descriptors of connections. Over the first one it gets what it works with, and says that it is
ready. Then it answers each file on the connection that it came over. It ends when the other process closes them, or
dies.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from threading import Thread
from typing import TYPE_CHECKING

from ragbase.pipeline.cut_text import CutText, FileToCut, cut_file

if TYPE_CHECKING:
    from ragbase.pipeline.cut_text import Parts


def answer(connections: Sequence[Connection]) -> None:
    parts: Parts = connections[0].recv()
    connections[0].send(None)
    for connection in connections:  # in threads, so that a long text keeps nobody waiting
        Thread(target=_answer, args=(connection, parts)).start()


def _answer(connection: Connection, parts: Parts) -> None:
    with suppress(EOFError, OSError):
        while True:
            connection.send(_cut(connection.recv(), parts))


def _cut(file: FileToCut, parts: Parts) -> CutText | None:
    try:
        return cut_file(file, parts)
    except Exception:  # noqa: BLE001 - the other process does it again, and so gets the error as its own
        return None


if __name__ == "__main__":
    answer([Connection(int(descriptor)) for descriptor in sys.argv[1:]])
