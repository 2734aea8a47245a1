"""A user's machine: a home folder, `ragbase` on PATH, and a shell that runs what an example's README tells to paste."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from scripts.local_cloud.user import eventually

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
TIMEOUT = 300
"""Seconds after which a command is stuck."""


@dataclass(frozen=True)
class Machine:
    """`home` is the user's home folder, with the data folder where it is without a setting. The embedder is the quick
    one."""

    home: Path
    variables: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        programs = self.home / "bin"
        programs.mkdir(parents=True)
        command = programs / "ragbase"
        command.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m ragbase.interfaces.cli.main "$@"\n')
        command.chmod(0o755)
        paths = (str(programs), str(Path(sys.executable).parent), "/usr/bin", "/bin")
        self.variables.update(
            PATH=":".join(paths), HOME=str(self.home), PYTHONPATH=str(ROOT / "common"), RAGBASE_EMBEDDER="hashing"
        )

    def run(self, script: str, folder: Path | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a script to its end, in this folder or at home. What it has started ends with it."""
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", f"trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n{script}"],
            cwd=folder or self.home,
            env=self.variables | variables,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )

    def done(self, script: str, folder: Path | None = None, **variables: str) -> str:
        """What a script prints that succeeds."""
        ended = self.run(script, folder, **variables)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout

    @property
    def log(self) -> str:
        """What the script has said that goes on."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    @property
    def _log(self) -> Path:
        return self.home / "log"

    @contextmanager
    def running(self, script: str, folder: Path, *ports: int, **variables: str) -> Iterator[None]:
        """A script that goes on, from when these ports answer. In the end, it is killed with all that it started."""
        with self._log.open("wb") as file:
            process = subprocess.Popen(
                ["bash", "-euo", "pipefail", "-c", script],
                cwd=folder,
                env=self.variables | variables,
                stdout=file,
                stderr=file,
                start_new_session=True,
            )
        try:
            for port in ports:
                eventually(partial(answers, port, process, self))
            yield
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def answers(port: int, process: subprocess.Popen[bytes], machine: Machine) -> bool:
    """Whether a server of this machine listens there. The process that starts it has to go on."""
    assert process.poll() is None, machine.log
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def replaced(text: str, changes: Mapping[str, str]) -> str:
    """The text with what is another one here. Each has to be in it."""
    for old, new in changes.items():
        assert old in text, (old, text)
        text = text.replace(old, new)
    return text
