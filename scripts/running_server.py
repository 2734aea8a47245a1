"""`ragbase serve` in a process of its own, and what the system says of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

RAGBASE = (sys.executable, "-P", "-m", "ragbase.interfaces.cli.main")
"""The command `ragbase` with this Python."""
_ENDS_WITHIN = 60
"""Seconds."""


@dataclass(frozen=True)
class RunningServer:
    """`url` is where it answers queries."""

    url: str
    process: int

    @property
    def origin(self) -> str:
        """The address of the whole server."""
        return self.url.removesuffix("/api/query")

    def memory_mib(self, what: str = "RssAnon") -> float:
        """Of the process, by its name in /proc: now without the pages of files that are mapped, which the system takes
        back when it needs them; or VmHWM, the most so far with these."""
        lines = Path("/proc", str(self.process), "status").read_text(encoding="ascii").splitlines()
        (line,) = [line for line in lines if line.startswith(f"{what}:")]
        return round(int(line.split()[1]) / 1024, 1)


def with_settings(settings: Mapping[str, str]) -> dict[str, str]:
    """The environment with these variables, and none of ragbase's that were there."""
    return {name: of for name, of in os.environ.items() if not name.startswith("RAGBASE_")} | dict(settings)


@contextmanager
def running_server(settings: Mapping[str, str], log: Path, folder: Path | None = None) -> Iterator[RunningServer]:
    """A server on a free port with these variables in its environment. It writes its log there, and its current folder
    is `folder`."""
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            [*RAGBASE, "serve", "--port", "0", "--json"],
            env=with_settings(settings),
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=errors,
        ) as process,
    ):
        assert process.stdout is not None
        try:
            yield RunningServer(json.loads(process.stdout.readline())["url"], process.pid)
        finally:
            process.terminate()
            process.wait(_ENDS_WITHIN)
