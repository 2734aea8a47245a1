"""The whole cloud on this machine: start it in the background, look at its health, restart single parts, stop it.

A folder keeps everything about it: state.json, a log for each part, the staged functions, and Weaviate's data. Any
process that knows the folder can use the same local cloud. Two clouds in two folders are independent.
"""

from __future__ import annotations

import fcntl
import json
import shutil
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, Literal

from scripts.local_cloud import detached
from scripts.local_cloud.free_ports import NoFreePorts, free_ports
from scripts.local_cloud.local_parts import (
    FUNCTIONS,
    PORTS,
    SERVERS,
    Check,
    Layout,
    Part,
    log_file,
    origin,
)
from scripts.local_cloud.provision import provision
from scripts.local_cloud.stage import stage
from scripts.local_cloud.wiring import DEFAULT_DATABASE, Service
from tests.doubles.cohere_answers import Vectors

START_SECONDS = 90
"""How long a part may take to start, on a busy machine."""

Health = Literal["healthy", "unhealthy", "stopped"]


class NotUp(Exception):
    """The local cloud, or one of its parts, is not up. The message says what to do."""


@dataclass(frozen=True, slots=True)
class PartStatus:
    name: str
    pid: int | None
    port: int
    health: Health


class LocalCloud:
    """The local cloud in one folder. It calls `say` with one line for each step."""

    def __init__(self, folder: Path, say: Callable[[str], None] = lambda line: None) -> None:
        self._folder = folder
        self._say = say

    def up(self, vectors: Vectors | None = None, rate: int | None = None, service: Service | None = None) -> None:
        """Start every part that does not run, and wait until all parts are healthy.

        Without `vectors` it keeps the vectors of the running cloud, or takes minilm. Without `rate` it keeps the limit
        of the running cloud's embedding server, or sets none. Without `service` it keeps who embeds, or takes Cohere.
        Raises NotUp when a part does not start, and when the running cloud has other vectors or another service,
        because an index cannot mix two kinds, or another limit. Raises Missing.
        """
        with self._held():
            state = _State.read(self._folder) or _State(
                _free_ports(), vectors or "minilm", rate or 0, {}, service=service or "cohere"
            )
            if service not in (None, state.service):
                raise NotUp(f"It is up with {state.service}. To change that: `scripts/dev down`, then `up`.")
            if rate not in (None, state.rate):
                raise NotUp(f"It is up with the rate {state.rate}. To change that: `scripts/dev down`, then `up`.")
            if vectors not in (None, state.vectors):
                raise NotUp(f"It is up with {state.vectors} vectors. To change that: `scripts/dev down`, then `up`.")
            layout = state.layout(self._folder)
            self._start(layout.servers, state)
            provision(layout.wiring)
            self._start(FUNCTIONS, state)

    def down(self) -> None:
        """Stop every part and delete its data. The logs stay."""
        with self._held():
            state = _State.read(self._folder)
            if state is None:
                return
            self._end(state, [name for name in FUNCTIONS if name in state.processes])
            self._end(state, list(state.processes))
            state.forget(self._folder)
            for folder in (state.layout(self._folder).data, state.layout(self._folder).staged):
                shutil.rmtree(folder, ignore_errors=True)

    def restart(self, name: str) -> None:
        """Stop one part and start it again on the same port. A function is staged again. Raises NotUp, Missing."""
        with self._held():
            state = self._state()
            self._end(state, [name])
            layout = state.layout(self._folder)
            self._start([name], state)
            # A restarted emulator has lost everything.
            provision(layout.wiring)

    def stop(self, name: str) -> None:
        """Let one part end as in a shutdown. `up` starts it again. Raises NotUp."""
        with self._held():
            self._end(self._state(), [name])

    def use_database(self, name: str) -> None:
        """Let all functions keep the records in this database of Firestore: start each one again. Raises NotUp."""
        with self._held():
            state = self._state()
            self._end(state, [one for one in FUNCTIONS if one in state.processes])
            state.database = name
            state.write(self._folder)
            self._start(FUNCTIONS, state)

    @property
    def data(self) -> Path:
        """The folder with Weaviate's data. Raises NotUp."""
        return self._state().layout(self._folder).data

    def status(self) -> Sequence[PartStatus]:
        """The status of every part. Empty when the local cloud is down."""
        state = _State.read(self._folder)
        if state is None:
            return []
        layout, alive = state.layout(self._folder), detached.running(dict(state.processes.values()))

        def of(name: str) -> PartStatus:
            check, (pid, _) = layout.check(name), state.processes.get(name, (None, []))
            if pid not in alive:
                return PartStatus(name, None, check.port, "stopped")
            return PartStatus(name, pid, check.port, "healthy" if _healthy(check) else "unhealthy")

        return [of(name) for name in (*layout.servers, *FUNCTIONS)]

    def settings(self) -> dict[str, str]:
        """The environment variables of a process that uses the local cloud. Raises NotUp."""
        return self._state().layout(self._folder).wiring.settings()

    def log(self, name: str) -> Path:
        """The file with a part's output since its first start. Raises NotUp."""
        log = log_file(self._folder, name)
        if not log.exists():
            raise NotUp(f"{name} has no log yet. Start the local cloud: `scripts/dev up`.")
        return log

    def _state(self) -> _State:
        state = _State.read(self._folder)
        if state is None:
            raise NotUp("The local cloud is not up. Start it: `scripts/dev up`.")
        return state

    def _start(self, names: Sequence[str], state: _State) -> None:
        """Start all parts that do not run, at the same time, and wait until all `names` are healthy."""
        alive = detached.running(dict(state.processes.values()))
        missing = [name for name in names if state.processes.get(name, (None,))[0] not in alive]
        layout = state.layout(self._folder)
        self._stage([name for name in missing if name in FUNCTIONS], layout.staged)
        for name in missing:
            if name in SERVERS:
                self._say(f"{name}: {origin(name)}")
            part = layout.part(name)
            _await_free(part)
            state.processes[name] = (
                detached.start(part.command, part.environment, log_file(self._folder, name)),
                part.command,
            )
            state.write(self._folder)
        for name in names:
            self._await_health(name, layout.check(name), state, log_file(self._folder, name))

    def _stage(self, names: Sequence[str], folder: Path) -> None:
        if names:
            stage(folder, names)
            self._say(f"functions: staged {', '.join(names)}")

    def _await_health(self, name: str, check: Check, state: _State, log: Path) -> None:
        pid, command = state.processes[name]

        def healthy() -> bool:
            if _healthy(check):
                return True
            if not detached.running({pid: command}):
                raise NotUp(f"{name} stopped at once. The end of its log, {log}:\n{_tail(log)}")
            return False

        _await(healthy, f"{name} is not healthy after {START_SECONDS} s. Look at its log: {log}.")

    def _end(self, state: _State, names: Sequence[str]) -> None:
        detached.end(dict(state.processes.pop(name) for name in names if name in state.processes))
        state.write(self._folder)

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Lock the folder: another process that wants to start or stop parts has to wait."""
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


@dataclass(slots=True)
class _State:
    """The content of state.json: the ports, the vectors, the rate, each part's process with its id and its command
    line, the database with the records, and who embeds."""

    first_port: int
    vectors: Vectors
    rate: int
    processes: dict[str, tuple[int, Sequence[str]]]
    database: str = DEFAULT_DATABASE
    service: Service = "cohere"

    @classmethod
    def read(cls, folder: Path) -> _State | None:
        try:
            state: dict[str, Any] = json.loads((folder / "state.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        return cls(
            state["first_port"],
            state["vectors"],
            state.get("rate", 0),
            {name: (pid, command) for name, (pid, command) in state["processes"].items()},
            state.get("database", DEFAULT_DATABASE),
            state.get("service", "cohere"),
        )

    def write(self, folder: Path) -> None:
        state = {
            "first_port": self.first_port,
            "vectors": self.vectors,
            "rate": self.rate,
            "processes": self.processes,
            "database": self.database,
            "service": self.service,
        }
        new = folder / "state.json.new"
        new.write_text(json.dumps(state, indent=1), encoding="utf-8")
        new.replace(folder / "state.json")

    def forget(self, folder: Path) -> None:
        (folder / "state.json").unlink()

    def layout(self, folder: Path) -> Layout:
        return Layout(folder, self.first_port, self.vectors, self.rate, self.database, self.service)


def _healthy(check: Check) -> bool:
    connection = HTTPConnection("127.0.0.1", check.port, timeout=5)
    try:
        connection.request("GET", check.path)
        return connection.getresponse().status == check.status
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _await_free(part: Part) -> None:
    """Wait until the port is free. After a part was killed, one of its workers may keep the port for a moment."""
    _await(
        lambda: not _listening(part.check.port),
        f"Another program uses port {part.check.port}, which {part.name} needs.",
    )


def _await(done: Callable[[], bool], otherwise: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not done():
        if time.monotonic() > deadline:
            raise NotUp(otherwise)
        time.sleep(0.05)


def _listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _free_ports() -> int:
    try:
        return free_ports(PORTS)
    except NoFreePorts as error:
        raise NotUp(str(error)) from error


def _tail(log: Path) -> str:
    return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:])
