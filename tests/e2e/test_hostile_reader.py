"""Hostile code in the process that reads a document: it reaches nothing, and the rest goes on."""

from __future__ import annotations

import json
import os
import platform
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ragbase.formats.sandbox import run
from ragbase.formats.sandbox.protections import Kernel, this_kernel
from ragbase.formats.sandbox.run import Crashed, TimedOut, run_sandboxed
from scripts.local_cloud.user import eventually

pytestmark = pytest.mark.slow

LACKS = this_kernel().lacks
whole = pytest.mark.skipif(
    bool(LACKS) and "CI" not in os.environ, reason=f"this system does not protect: {', '.join(LACKS)}"
)
linux = pytest.mark.skipif(sys.platform != "linux" and "CI" not in os.environ, reason="it is Linux that is tested")
HOSTILE = Path(__file__).parent / "hostile_reader.py"
MEMORY, OUTPUT, PATIENCE = 1 << 30, 1 << 20, 60.0


@dataclass
class Machine:
    """What a hostile reader would like to reach."""

    folder: Path
    server: socket.socket
    neighbour: subprocess.Popen[bytes]

    def attacked(self) -> dict[str, dict[str, str]]:
        options = (str(self.folder), str(self.server.getsockname()[1]), str(self.neighbour.pid))
        found: dict[str, dict[str, str]] = json.loads(ran(HOSTILE, *options))
        return found

    def is_well(self) -> bool:
        files = {"ragbase.db", "secret.txt", "socket", "library.so"}
        assert {path.name for path in self.folder.iterdir()} == files
        assert (self.folder / "secret.txt").read_text(encoding="utf-8") == "a secret"
        with pytest.raises(BlockingIOError):
            self.server.accept()
        return self.neighbour.poll() is None


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    monkeypatch.setenv("RAGBASE_COHERE_API_KEY", "a key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a key")
    (tmp_path / "secret.txt").write_text("a secret", encoding="utf-8")
    with sqlite3.connect(tmp_path / "ragbase.db") as database:
        database.execute("CREATE TABLE secrets AS SELECT 'a secret'")
    import _ctypes

    shutil.copy(_ctypes.__file__, tmp_path / "library.so")
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        server.setblocking(False)
        listener.bind(str(tmp_path / "socket"))
        left_open = os.open(tmp_path / "secret.txt", os.O_RDONLY)
        os.set_inheritable(left_open, True)
        with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as neighbour:
            yield Machine(tmp_path, server, neighbour)
            neighbour.kill()
        os.close(left_open)


def ran(script: Path, *options: str, seconds: float = PATIENCE) -> bytes:
    return run_sandboxed(script, b"", memory_bytes=MEMORY, output_bytes=OUTPUT, seconds=seconds, options=options)


def script(folder: Path, text: str) -> Path:
    path = folder / "reader.py"
    path.write_text(text, encoding="utf-8")
    return path


def lost(found: dict[str, str]) -> dict[str, str]:
    """What was not refused."""
    return {name: what for name, what in found.items() if what != "refused"}


def test_nothing_is_lacking_where_the_proofs_run() -> None:
    assert not LACKS or "CI" not in os.environ, LACKS


@whole
def test_every_attempt_is_refused(machine: Machine) -> None:
    found = machine.attacked()
    assert lost(found["found"]) == {}
    assert len(found["found"]) > 70
    assert machine.is_well()


def test_it_sees_no_variable_but_those_of_its_libraries(machine: Machine) -> None:
    seen = set(machine.attacked()["variables"])
    assert seen <= {*run.SEEN_VARIABLES, "PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "MALLOC_ARENA_MAX"}
    assert "PYTHONPATH" in seen


@whole
def test_of_a_folder_on_the_search_path_only_the_packages_are_read(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`python -m` puts the folder there in which somebody works: it may hold the data folder."""
    package = machine.folder / "reads"
    package.mkdir()
    (package / "__init__.py").write_text("found = 'a package'\n", encoding="utf-8")
    (machine.folder / "module.py").write_text("found = 'a module'\n", encoding="utf-8")
    monkeypatch.syspath_prepend(machine.folder)
    reading = script(
        tmp_path,
        "import os, sys, module, reads\n"
        "print(module.found, reads.found)\n"
        "for attempt in (os.listdir, lambda folder: open(folder + '/secret.txt')):\n"
        "    try: print(attempt(sys.argv[1]))\n"
        "    except PermissionError: print('refused')\n",
    )
    assert ran(reading, str(machine.folder)).decode().splitlines() == ["a module a package", "refused", "refused"]


@whole
@pytest.mark.parametrize("kernel", [Kernel(0, has_filters=True), Kernel(1, has_filters=True)], ids=str)
def test_what_the_system_lacks_is_named_and_the_rest_holds(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, kernel: Kernel
) -> None:
    monkeypatch.setattr(run, "this_kernel", lambda: kernel)
    assert {name.split(":")[0] for name in lost(machine.attacked()["found"])} == set(kernel.lacks)
    assert machine.is_well()


@whole
def test_a_system_that_breaks_its_word_reads_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It has Landlock, and then refuses it: a process can be locked up sixteen times."""
    locked = tmp_path / "locked.py"
    locked.write_text(
        "from ragbase.formats.sandbox import kernel, launcher\n"
        "kernel.give_up_privileges()\n"
        "for _ in range(16): kernel.read_only(('/',), 1)\n"
        "launcher.main()\n",
        encoding="utf-8",
    )
    monkeypatch.setattr(run, "START", locked)
    with pytest.raises(RuntimeError, match="Landlock"):
        ran(script(tmp_path, "print('read')"))


@whole
def test_a_disk_is_not_filled(tmp_path: Path) -> None:
    """Into the files that it was started with, it writes no more than an answer may have."""
    endless = script(
        tmp_path,
        "import os\n"
        "for descriptor in (0, 1, 2):\n"
        "    try:\n"
        "        while True: os.write(descriptor, bytes(1 << 16))\n"
        "    except OSError as error:\n"
        "        assert error.errno == 27, error\n"
        "assert [os.fstat(one).st_size for one in (0, 1, 2)] == [1 << 20] * 3\n",
    )
    assert ran(endless) == bytes(OUTPUT)


def test_paths_may_be_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "words").write_text("sail", encoding="utf-8")
    monkeypatch.syspath_prepend("libraries")
    (tmp_path / "libraries").mkdir()
    (tmp_path / "libraries" / "reads.py").write_text("read = lambda path: open(path).read()", encoding="utf-8")
    script(tmp_path, "import sys, reads\nprint(reads.read(sys.argv[1]), end='')")
    found = run_sandboxed(
        Path("reader.py"),
        b"",
        memory_bytes=MEMORY,
        output_bytes=OUTPUT,
        seconds=PATIENCE,
        options=("data/words",),
        readable=(Path("data"),),
    )
    assert found == b"sail"


@whole
def test_threads_without_end_are_ended(tmp_path: Path) -> None:
    many = script(
        tmp_path,
        "import threading, time\n"
        "threading.stack_size(1 << 15)\n"
        "while True: threading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n",
    )
    with pytest.raises(Crashed):
        ran(many)


@whole
def test_a_call_of_another_kind_of_machine_ends_it(tmp_path: Path) -> None:
    """The calls of 32-bit programs have other numbers."""
    if platform.machine() != "x86_64":
        pytest.skip("only this machine takes the calls of an older one")
    old = script(
        tmp_path,
        "import ctypes, mmap\n"
        "place = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)\n"
        "place.write(bytes.fromhex('b814000000cd80c3'))  # mov eax, 20; int 0x80; ret\n"
        "address = ctypes.addressof(ctypes.c_char.from_buffer(place))\n"
        "print(ctypes.CFUNCTYPE(ctypes.c_int)(address)())\n",
    )
    with pytest.raises(Crashed):
        ran(old)


@whole
def test_a_reader_that_hangs_in_every_way_is_dead_afterwards(tmp_path: Path) -> None:
    stubborn = script(
        tmp_path,
        "import os, signal, threading, time\n"
        "for one in range(1, 65):\n"
        "    try: signal.signal(one, signal.SIG_IGN)\n"
        "    except (OSError, ValueError): pass\n"
        "threading.Thread(target=time.sleep, args=(600,)).start()\n"
        "time.sleep(600)\n",
    )
    with pytest.raises(TimedOut):
        ran(stubborn, seconds=1)
    assert running(stubborn) == []


STARTER = """
import sys
from pathlib import Path
from ragbase.formats.sandbox.run import run_sandboxed
run_sandboxed(Path(sys.argv[1]), b"", memory_bytes=1 << 30, output_bytes=1000, seconds=600)
"""


@linux
@pytest.mark.parametrize(
    "text",
    [
        "time.sleep(600)",
        "threading.Thread(target=time.sleep, args=(600,)).start()\nlibc.syscall(EXIT, 0)",
        "libc.prctl(1, 0)\ntime.sleep(600)",
    ],
    ids=["it waits", "its first thread has ended", "it would not"],
)
def test_a_reader_dies_with_its_parent(tmp_path: Path, text: str) -> None:
    exit_thread = 93 if platform.machine() == "aarch64" else 60
    header = f"import ctypes, threading, time\nlibc, EXIT = ctypes.CDLL(None), {exit_thread}\n"
    sleeper = script(tmp_path, header + text)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen([sys.executable, "-P", "-c", STARTER, str(sleeper)], env=environment) as starter:
        try:
            eventually(lambda: running(sleeper), PATIENCE)
        finally:
            starter.kill()
    eventually(lambda: not running(sleeper), PATIENCE)


def running(script: Path) -> list[str]:
    """The threads that run the script, locked up. The first thread of a process may have ended before the others."""
    found = []
    for thread in Path("/proc").glob("[0-9]*/task/*"):
        try:
            arguments = (thread / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if {os.fsencode(script), os.fsencode(run.START)} <= set(arguments):
            found.append(thread.name)
    return found
