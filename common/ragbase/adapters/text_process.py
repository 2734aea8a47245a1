"""Small files are read and cut in a process beside this one. Here, that would hold the interpreter's lock, for which
the threads that route, write and answer wait. The process is locked up as those are that read one file
(formats/sandbox/run.py), but without limits of memory and time: it reads what this process would read, too."""

from __future__ import annotations

import io
import logging
import pickle
import resource
import subprocess
import threading
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from ragbase import telemetry
from ragbase.adapters import text_process_script
from ragbase.formats.sandbox.run import environment, locked_up

if TYPE_CHECKING:
    from ragbase.pipeline.cut_text import Cutter, CutText, FileToCut

SCRIPT = Path(text_process_script.__file__)
FILES_BEFORE = 8
"""So many files this process reads itself before it starts the other one: to start it costs as much as to read 100.
None of them, if more than that are known to come."""

LONGEST = 512 * 1024 * 1024
"""Bytes: a text of 4 MB in passages of 50 characters has 80,000 vectors of 1.5 KB."""

OF_AN_ANSWER = {
    ("array", "_array_reconstructor"),
    ("array", "array"),
    ("numpy", "dtype"),
    ("numpy", "ndarray"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("numpy.core.multiarray", "_reconstruct"),
    ("ragbase.domain.chunk", "Passage"),
    ("ragbase.domain.extraction", "Extraction"),
    ("ragbase.domain.extraction", "Section"),
    ("ragbase.domain.left_out", "LeftOut"),
    ("ragbase.domain.metadata", "DocumentMetadata"),
    ("ragbase.pipeline.cut_text", "CutText"),
}
"""All that is called to make one: values, lists of numbers, and nothing that does anything."""


class TextProcess:
    """Implements `CutInTextProcess` with one process, which is started when there is work for it, and ends with this
    one.

    Nothing depends on it: what it has not done, for whatever reason, the caller does. It is not started again, should
    it die.
    """

    def __init__(self, cutter: Cutter, callers: int) -> None:
        """The process works with a copy of `cutter`. So many `callers` may wait for it at the same time."""
        self._cutter = cutter
        self._callers = callers
        self._free = SimpleQueue[Connection]()  # a caller has a connection to itself
        self._lock = threading.Lock()
        self._files = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._is_started = False
        self._closed = False

    @property
    def pid(self) -> int | None:
        """The id of the process; None while it is not started."""
        return self._process.pid if self._process is not None else None

    def cut(self, file: FileToCut) -> CutText | None:
        """What the process makes of the file; None if the caller has to do it: no process is there, all of it is in
        use, or it could not do it, either. Then the caller finds out why."""
        try:
            connection = self._free.get_nowait()
        except Empty:
            self._start_when_due()
            return None
        try:
            connection.send(file)
            cut = _receive(connection)
        except (EOFError, OSError, pickle.UnpicklingError):
            connection.close()
            if not self._closed:
                telemetry.log("text_process.lost", level=logging.WARNING, reason="It has ended. Its work is done here.")
            return None
        except BaseException:  # whose answer comes next is not known
            connection.close()
            raise
        self._free.put(connection)
        return cut

    def expect(self, files: int) -> None:
        """Start the process if it is worth it for so many files."""
        if files > FILES_BEFORE:
            self.start()

    def start(self) -> None:
        """Start the process. It takes files when it is ready."""
        with self._lock:
            if self._is_started or self._closed:
                return
            self._is_started = True
            started = threading.Event()
            threading.Thread(target=self._run, args=(started,), name="text-process", daemon=True).start()
            started.wait()

    def close(self) -> None:
        """End the process. A caller that waits for it does the work itself."""
        with self._lock:
            self._closed = True
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        with suppress(Empty):
            while True:
                self._free.get_nowait().close()

    def _start_when_due(self) -> None:
        if self._is_started:
            return
        with self._lock:
            self._files += 1
            is_due = self._files > FILES_BEFORE
        if is_due:
            self.start()

    def _run(self, started: threading.Event) -> None:
        """The life of the process, in one thread: it dies with the thread that started it."""
        pairs = [Pipe() for _ in range(self._callers)]
        try:
            self._process = process = _started([their.fileno() for _, their in pairs])
        except OSError as error:
            _log_not_started(error)
            return
        finally:
            started.set()
            for _, their in pairs:
                their.close()
        self._give_out([our for our, _ in pairs])
        process.wait()

    def _give_out(self, connections: list[Connection]) -> None:
        """The connections are free as soon as the process is ready."""
        first = connections[0]
        try:
            first.send(self._cutter)
            _receive(first)
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            for connection in connections:
                connection.close()
            if not self._closed:
                _log_not_started(error)
            return
        for connection in connections:
            self._free.put(connection)


def _started(descriptors: list[int]) -> subprocess.Popen[bytes]:
    unlimited = resource.RLIM_INFINITY
    return subprocess.Popen(  # noqa: S603 - our own interpreter on our own script
        locked_up(SCRIPT, list(map(str, descriptors)), (unlimited, 0, unlimited)),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,  # what a file makes it say is not for our log
        env=environment(OPENBLAS_NUM_THREADS="1"),  # NumPy's threads would run in circles, and have nothing to do
        pass_fds=descriptors,
        start_new_session=True,  # Ctrl-C is for this process, which ends the other
    )


def _log_not_started(error: Exception) -> None:
    reason = f"{type(error).__name__}: {error}"
    telemetry.log("text_process.not_started", level=logging.WARNING, reason=reason)


def _receive(connection: Connection) -> CutText | None:
    """What the text process answers, taken with care: a file may have taken it over, and a pickle can call anything.

    Raises UnpicklingError for what is no answer, OSError for one that is too long, and EOFError at the end."""
    try:
        answer = _Answer(io.BytesIO(connection.recv_bytes(LONGEST))).load()
    except (EOFError, OSError, pickle.UnpicklingError):
        raise
    except Exception as error:  # a pickle can be wrong in every way
        raise pickle.UnpicklingError(f"It is no answer: {type(error).__name__}") from error
    from ragbase.pipeline.cut_text import CutText

    if answer is not None and not isinstance(answer, CutText):
        raise pickle.UnpicklingError(f"It is no text: {type(answer).__name__}")
    return answer


class _Answer(pickle.Unpickler):
    def find_class(self, module: str, name: str, /) -> Any:
        if (module, name) not in OF_AN_ANSWER:
            raise pickle.UnpicklingError(f"An answer has no {module}.{name}.")
        return super().find_class(module, name)
