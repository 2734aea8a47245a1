"""The process that has imported what commands need, and forks a child for each of them."""

from __future__ import annotations

import atexit
import ctypes
import gc
import importlib
import io
import json
import os
import pkgutil
import resource
import selectors
import shutil
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, cast

from click.testing import CliRunner

from ragbase.interfaces import api, http, mcp
from ragbase.interfaces.cli import commands
from ragbase.interfaces.cli.application import application

OF_THE_INTERPRETER = ("PYTHON", "LD_")
"""How the variables begin that an interpreter reads when it starts."""
FOLLOWED = ("PYTHONPATH", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE")
"""Those that a child follows itself, or need not follow: the server has imported what it needs."""
PLAIN_LOCALES = ("C", "POSIX", "C.UTF-8", "C.utf8")
"""With them, Python takes and gives bytes that are no UTF-8 (PEP 538)."""
TRIED = ("ingest a.md", "query ferry", "ask ferry", "list", "explain ferry --document a.md", "audit list", "doctor")


def main(address: str) -> None:
    import_what_commands_import()
    gc.collect()
    gc.freeze()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(64)
    os.write(1, b"ready\n")
    Server(listener).run()
    shutil.rmtree(Path(address).parent)


def import_what_commands_import() -> None:
    """A child runs some commands, and tells what that has imported. Nothing else of them comes to this process."""
    for package in (commands, api, http, mcp):
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{package.__name__}.{module.name}")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        run_some_commands()
        with os.fdopen(writing, "w", encoding="utf-8") as told:
            json.dump([name for name, module in sys.modules.items() if getattr(module, "__spec__", None)], told)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as told:
        names = json.load(told)
    os.waitpid(child, 0)
    for name in names:
        importlib.import_module(name)
    assert len([*Path("/proc/self/task").iterdir()]) == 1, "a process with threads cannot be forked"


def run_some_commands() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("a.md").write_text("The ferry leaves at seven.\n", encoding="utf-8")
        settings = {"RAGBASE_HOME": f"{folder}/home", "RAGBASE_EMBEDDER": "hashing"}
        for call in TRIED:
            CliRunner().invoke(application, call.split(), env=settings)
        os.chdir("/")


class Server:
    """It answers each connection with a child, which is the command, and with how the child has ended."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._children: dict[int, socket.socket] = {}
        self._woken, waking = os.pipe()
        for end in (self._woken, waking):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(waking)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._selector = selectors.DefaultSelector()
        for source in (0, self._woken, listener):
            self._selector.register(source, selectors.EVENT_READ)

    def run(self) -> None:
        """Until standard input ends."""
        while True:
            for key, _ in self._selector.select():
                if key.fileobj == 0:
                    self._end()
                    return
                if key.fileobj == self._woken:
                    self._reap()
                elif key.fileobj is self._listener:
                    self._start(self._listener.accept()[0])
                else:
                    self._pass_on(key.data, self._children.get(key.data))

    def _start(self, connection: socket.socket) -> None:
        size, files, _, _ = socket.recv_fds(connection, 4, 4)
        text = b""
        while len(text) < int.from_bytes(size, "big") and (piece := connection.recv(1 << 16)):
            text += piece
        asked = json.loads(text)
        if not is_for_us(asked["environment"]):
            connection.send(b"-")
            connection.close()
        elif (child := os.fork()) == 0:
            self._selector.close()
            for one in (self._listener, connection, *self._children.values()):
                one.detach()  # their numbers are free from here on
            become(asked, files)
        else:
            self._children[child] = connection
            self._selector.register(connection, selectors.EVENT_READ, child)
            connection.send(b"+")
        for file in files:
            os.close(file)

    def _pass_on(self, child: int, connection: socket.socket | None) -> None:
        """Signals to the command. Nobody stands for it any more if the connection is closed."""
        if connection is None:
            return
        signals = b""
        with suppress(OSError):
            signals = connection.recv(100)
        for number in signals or (signal.SIGKILL,):
            os.kill(child, number)
        if not signals:
            self._selector.unregister(connection)

    def _reap(self) -> None:
        with suppress(BlockingIOError):
            os.read(self._woken, 4096)
        while self._children:
            child, status = os.waitpid(-1, os.WNOHANG)
            if child == 0:
                return
            connection = self._children.pop(child)
            with suppress(KeyError):
                self._selector.unregister(connection)
            with suppress(OSError), connection:
                connection.send(str(status).encode())

    def _end(self) -> None:
        for child in self._children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def is_for_us(environment: dict[str, str]) -> bool:
    """Whether an interpreter would start as this one with these variables."""
    of_the_interpreter = {name for name, value in environment.items() if name.startswith(OF_THE_INTERPRETER) and value}
    name = locale_of(environment)
    is_utf8 = name in PLAIN_LOCALES or name.lower().endswith(("utf-8", "utf8"))
    return is_utf8 and of_the_interpreter <= {*FOLLOWED}


def locale_of(environment: Mapping[str, str]) -> str:
    return next(filter(None, map(environment.get, ("LC_ALL", "LC_CTYPE", "LANG"))), "C")


class Child(BaseException):
    """Leaves everything that the server does. What comes after it ends as a program ends."""


def become(asked: dict[str, Any], files: list[int]) -> NoReturn:
    """In a child: take over everything that the command has from the process that stands for it."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number in asked["ignored"]:
        signal.signal(number, signal.SIG_IGN)
    if asked["session"]:
        os.setsid()
    folder, *streams = files
    os.fchdir(folder)
    for number in range(3):
        os.close(number)
    for number, file in zip(asked["streams"], streams, strict=True):
        os.dup2(file, number)
    os.closerange(3, 1024)
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.umask(asked["umask"])
    for limit, *wanted in asked["limits"]:
        if resource.getrlimit(limit) != tuple(wanted):
            resource.setrlimit(limit, tuple(wanted))
    keep_capabilities(asked["capabilities"])
    open_streams(asked["streams"])
    places = [place for place in asked["environment"].get("PYTHONPATH", "").split(os.pathsep) if place]
    sys.path[:0] = [place for place in places if place not in sys.path]
    sys.argv = ["ragbase", *asked["arguments"]]
    raise Child


def open_streams(numbers: list[int]) -> None:
    """As an interpreter does when it starts."""
    is_unbuffered = bool(os.environ.get("PYTHONUNBUFFERED"))
    lenient = "surrogateescape" if locale_of(os.environ) in PLAIN_LOCALES else "strict"
    for number, (name, mode) in enumerate({"stdin": "r", "stdout": "w", "stderr": "w"}.items()):
        stream = None
        if number in numbers:
            at_once = is_unbuffered and mode == "w"
            file = open(number, f"{mode}b", buffering=0 if at_once else -1, closefd=False)  # noqa: SIM115 - it stays
            stream = io.TextIOWrapper(
                cast(BinaryIO, file),
                "utf-8",
                "backslashreplace" if name == "stderr" else lenient,
                line_buffering=name == "stderr" or (mode == "w" and file.isatty()),
                write_through=at_once,
            )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def keep_capabilities(wanted: int) -> None:
    """Only these, for this process and for those that it starts."""
    libc = ctypes.CDLL(None)
    drop_from_bounding_set, version_3 = 24, 0x20080522  # linux/prctl.h, linux/capability.h
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    has = next(int(line.split()[1], 16) for line in status.splitlines() if line.startswith("CapEff:"))
    lost = has & ~wanted
    if not lost:
        return
    for capability in range(64):
        if lost >> capability & 1 and libc.prctl(drop_from_bounding_set, capability, 0, 0, 0) != 0:
            raise OSError("a capability cannot be given up")
    low, high = wanted & 0xFFFFFFFF, wanted >> 32
    header = (ctypes.c_uint32 * 2)(version_3, 0)
    sets = (ctypes.c_uint32 * 6)(low, low, 0, high, high, 0)  # effective, permitted, inheritable
    if libc.capset(header, sets) != 0:
        raise OSError("a capability cannot be given up")


def end(code: object) -> None:
    """As an interpreter ends, but without taking apart what the server has imported, which takes longer than most
    commands. Where that would be seen, on an output that takes nothing more, the interpreter itself ends."""
    if code is not None and not isinstance(code, int):
        return
    threading._shutdown()  # type: ignore[attr-defined]  # what an interpreter calls; the typing does not show it
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            return
    os._exit(code or 0)


if __name__ == "__main__":
    try:
        main(sys.argv[1])
        os._exit(0)
    except Child:
        pass
    from ragbase.interfaces.cli.main import main as command

    try:
        command()
    except SystemExit as ended:
        end(ended.code)
        raise
