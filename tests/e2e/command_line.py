"""`ragbase` as a user calls it, with a data folder of its own."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from ragbase.bootstrap.local_models import LOCAL_MODELS
from ragbase.interfaces.cli.application import application
from tests.e2e.put_back import put_back
from tests.models import model_folder
from tests.warm import FRESH, warm

COMMON = Path(__file__).resolve().parents[2] / "common"
TIMEOUT = 300
"""Seconds after which a command is stuck. All of them take a few; at a load of 20 a reindex took more than 60."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True, slots=True)
class CommandLine:
    """Calls of `ragbase` on the data folder `home`. It has the hashing embedder where meaning does not matter."""

    home: Path
    embedder: str = "hashing"
    is_fresh: bool = False
    """Whether each process starts an interpreter, which imports everything itself."""

    def call(self, *arguments: str | Path, given: str | None = None) -> Ended:
        """Run a command inside this process, which is quickest. `given` is its standard input."""
        with put_back():
            result = CliRunner().invoke(
                application,
                list(map(str, arguments)),
                input=given,
                prog_name="ragbase",
                env=self._settings(),
                catch_exceptions=False,
            )
        return Ended(result.exit_code, result.stdout, result.stderr)

    def run(self, *arguments: str | Path, before: Callable[[], None] | None = None) -> Ended:
        """Run a command in a process of its own to its end. `before` is called first, in that which stands for it."""
        done = subprocess.run(
            self._command(arguments),
            env=self.environment(),
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
            preexec_fn=before,
        )
        return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(self, *arguments: str | Path, **options: Any) -> subprocess.Popen[bytes]:
        """Start a command. `options` are those of Popen; without any, both outputs are pipes."""
        usual = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "preexec_fn": _listen_to_interruptions}
        return subprocess.Popen(self._command(arguments), **{"env": self.environment(), **usual, **options})

    def _command(self, arguments: tuple[str | Path, ...]) -> list[str]:
        return [*(FRESH if self.is_fresh else warm()), *map(str, arguments)]

    def environment(self) -> dict[str, str]:
        """The environment of a process that works on the data folder."""
        others = {name: value for name, value in os.environ.items() if not name.startswith("RAGBASE_")}
        model = {name: value for name, value in os.environ.items() if name == "RAGBASE_MODEL_FOLDER"}
        return {**others, **model, **self._settings(), "PYTHONPATH": str(COMMON)}

    def _settings(self) -> dict[str, str]:
        if self.embedder in LOCAL_MODELS and "RAGBASE_MODEL_FOLDER" not in os.environ:
            model_folder(self.embedder)  # what it says while it prepares a model is for a test of that
        return {"RAGBASE_HOME": str(self.home), "RAGBASE_EMBEDDER": self.embedder}


def _listen_to_interruptions() -> None:
    """Shells make background commands ignore Ctrl-C, and the children of those commands inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def obey_permissions() -> None:
    """Root may read and write every file, by two capabilities. Without them the permissions of a file count.

    Give it to `CommandLine.run` as `before`.
    """
    override, read_and_search = 1, 2  # linux/capability.h
    drop_capabilities(override, read_and_search)


def own_nothing_of_others() -> None:
    """Root may also change the modes of all files. Without this, those of other users are not its own."""
    override, read_and_search, owner = 1, 2, 3
    drop_capabilities(override, read_and_search, owner)


def drop_capabilities(*capabilities: int) -> None:
    """The program that is started next does not have them. A user that is not root has none."""
    if os.geteuid() != 0:
        return
    drop_from_bounding_set = 24  # linux/prctl.h
    libc = ctypes.CDLL(None)
    for capability in capabilities:
        if libc.prctl(drop_from_bounding_set, capability, 0, 0, 0) != 0:
            raise OSError("root cannot give up a capability here: run the tests as another user")


def read_all(terminal: int) -> str:
    """What was written to a terminal whose other end is closed. Linux reports the end as an error."""
    parts = []
    try:
        while part := os.read(terminal, 65536):
            parts.append(part)
    except OSError:
        pass
    finally:
        os.close(terminal)
    return b"".join(parts).decode()
