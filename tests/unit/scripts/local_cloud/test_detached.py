"""Processes that keep running when the one that started them ends."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from scripts.local_cloud import detached

SLEEP = [sys.executable, "-S", "-c", "import time; time.sleep(60)"]


def test_a_process_is_seen_as_soon_as_it_was_started(tmp_path: Path) -> None:
    for _ in range(10):
        id = detached.start(SLEEP, {}, tmp_path / "log")
        try:
            assert detached.running({id: SLEEP}) == {id}
        finally:
            detached.end({id: SLEEP})


def test_a_process_inherits_no_open_file(tmp_path: Path) -> None:
    """`flock LOCK scripts/dev up` would keep the lock as long as a part runs."""
    listed = [sys.executable, "-S", "-c", "import os; print(*sorted(map(int, os.listdir('/dev/fd')))[:-1])"]
    with (tmp_path / "lock").open("w") as lock:
        os.set_inheritable(lock.fileno(), True)
        id = detached.start(listed, {}, tmp_path / "log")
        os.waitid(os.P_PID, id, os.WEXITED | os.WNOWAIT)
        detached.end({id: listed})
    assert (tmp_path / "log").read_text().split() == ["0", "1", "2"]


def test_a_command_that_ends_at_once_is_not_waited_for(tmp_path: Path) -> None:
    ended = [sys.executable, "-S", "-c", "raise SystemExit(3)"]

    id = detached.start(ended, {}, tmp_path / "log")

    detached.end({id: ended})
    assert detached.running({id: ended}) == set()
