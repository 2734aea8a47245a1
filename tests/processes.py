"""`--processes N`: divide the tests of a run among N processes, which are forked when all tests are collected.

To import and to collect all tests takes longer than to run many of them. Here this is done once; pytest-xdist does it
in each process. A process takes the next scope (tests/shares.py) before the last test of its own. The first process
hears what the tests did, and reports it as pytest does.

No thread may run at the fork, so nothing that the tests import begins one.
"""

from __future__ import annotations

import atexit
import ctypes
import fcntl
import json
import mmap
import os
import selectors
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from tests.shares import scopes_of

NUMBER = 4
"""The bytes of a scope's number in the pipe. A read of so many is never divided between two processes."""
ROOM = 1 << 20
"""Of the pipe: it holds the numbers of all scopes."""
PR_SET_PDEATHSIG = 1


@dataclass(slots=True)
class Worker:
    process: int
    said: BinaryIO
    taken: list[str] = field(default_factory=list)
    """The tests that it runs, or has yet to run."""
    rest: bytes = field(default=b"", repr=False)


class Processes:
    """Runs the tests that pytest has collected."""

    def __init__(self, config: pytest.Config, count: int) -> None:
        self._config = config
        self._count = count
        self._scopes: list[list[pytest.Item]] = []
        self._taken = 0
        """How many scopes a process has taken, in their order."""
        self._stop = mmap.mmap(-1, 1)
        """Shared by all processes: not 0 when they should end."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        option = session.config.option
        if option.collectonly or (session.testsfailed and not option.continue_on_collection_errors):
            return None
        self._scopes = scopes_of(session.items)
        folder = Path(tempfile.mkdtemp(prefix="tests-", dir=_temporary_folder(session.config)))
        reading, writing = os.pipe()
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, ROOM)
        os.write(writing, b"".join(number.to_bytes(NUMBER) for number in range(len(self._scopes))))
        os.close(writing)
        assert threading.active_count() == 1, [thread.name for thread in threading.enumerate()]
        count = min(self._count, len(self._scopes))
        workers = [self._fork(session, number, reading, folder) for number in range(count)]
        os.close(reading)
        try:
            self._listen(session, workers)
            self._not_run()
        finally:
            self._stop[0] = 1
            for worker in workers:  # each ends its test, and what its fixtures began
                while os.read(worker.said.fileno(), 1 << 16):
                    pass
                worker.said.close()
                os.waitpid(worker.process, 0)
        return True

    def _listen(self, session: pytest.Session, workers: Sequence[Worker]) -> None:
        with selectors.DefaultSelector() as selector:
            for worker in workers:
                selector.register(worker.said, selectors.EVENT_READ, worker)
            while selector.get_map():
                for key, _ in selector.select():
                    worker = key.data
                    told = os.read(worker.said.fileno(), 1 << 16)
                    if not told:
                        selector.unregister(worker.said)
                        self._gone(worker)
                        continue
                    *lines, worker.rest = (worker.rest + told).split(b"\n")
                    for line in lines:
                        self._heard(worker, json.loads(line))
                if session.shouldfail:
                    raise session.Failed(session.shouldfail)

    def _heard(self, worker: Worker, said: dict[str, Any]) -> None:
        hook = self._config.hook
        if "report" in said:
            report = hook.pytest_report_from_serializable(config=self._config, data=said["report"])
            if isinstance(report.longrepr, list):  # where a test was skipped, and why: JSON has no tuples
                report.longrepr = tuple(report.longrepr)
            hook.pytest_runtest_logreport(report=report)
        elif "taken" in said:
            worker.taken += [item.nodeid for item in self._scopes[said["taken"]]]
            self._taken = max(self._taken, said["taken"] + 1)
        else:
            worker.taken.remove(said["ended"])
            hook.pytest_runtest_logfinish(nodeid=said["ended"], location=("", None, ""))

    def _gone(self, worker: Worker) -> None:
        """A process that is gone before it has run its tests was killed, or broke: none of them has passed."""
        for nodeid in worker.taken:
            self._failed(nodeid, f"The process {worker.process} is gone, which had to run this test.")

    def _not_run(self) -> None:
        """All processes are gone. A test that none of them took has not passed, either."""
        for scope in self._scopes[self._taken :]:
            for item in scope:
                self._failed(item.nodeid, "No process was left that could run this test.")

    def _failed(self, nodeid: str, why: str) -> None:
        report = pytest.TestReport(nodeid, (nodeid, None, nodeid), {}, "failed", why, "call")
        self._config.hook.pytest_runtest_logreport(report=report)

    def _fork(self, session: pytest.Session, number: int, reading: int, folder: Path) -> Worker:
        sys.stdout.flush()
        sys.stderr.flush()
        heard, said = os.pipe()
        process = os.fork()
        if process:
            os.close(said)
            return Worker(process, os.fdopen(heard, "rb"))
        os.close(heard)
        code = 1
        try:
            self._work(session, number, reading, folder, os.fdopen(said, "wb", buffering=0))
            code = 0
        except BaseException:  # noqa: BLE001 # the first process says that this one is gone, and this says why
            traceback.print_exc(file=sys.__stderr__)
        finally:
            os._exit(code)

    def _work(self, session: pytest.Session, number: int, reading: int, folder: Path, said: BinaryIO) -> None:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # nobody would hear it
        atexit._clear()  # what the first process does at its end is not this one's to do
        plugins = self._config.pluginmanager
        capture = plugins.getplugin("capturemanager")
        assert capture is not None
        capture.suspend_global_capture(in_=True)
        capture.stop_global_capturing()  # its files are those of the first process
        capture.start_global_capturing()
        plugins.unregister(name="terminalreporter")
        factory = self._config._tmp_path_factory  # type: ignore[attr-defined] # pytest-xdist sets it, too, by an option
        factory._given_basetemp, factory._basetemp = folder / str(number), None
        teller = _Teller(self._config, said)
        plugins.register(teller)
        try:
            for item, after in _with_next(self._own_items(reading, teller)):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
                teller.tell({"ended": item.nodeid})
                if self._stop[0]:
                    break
        finally:
            session._setupstate.teardown_exact(None)  # of what a break leaves
        capture.stop_global_capturing()
        atexit._run_exitfuncs()

    def _own_items(self, reading: int, teller: _Teller) -> Iterator[pytest.Item]:
        while read := os.read(reading, NUMBER):
            number = int.from_bytes(read)
            teller.tell({"taken": number})
            yield from self._scopes[number]


class _Teller:
    """In a process that runs tests: tells the first one what they did."""

    def __init__(self, config: pytest.Config, said: BinaryIO) -> None:
        self._config = config
        self._said = said

    def tell(self, what: dict[str, Any]) -> None:
        line = memoryview(json.dumps(what).encode() + b"\n")
        while line:
            line = line[self._said.write(line) :]

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self.tell({"report": data})


def _with_next(items: Iterator[pytest.Item]) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    """Each test with the one after it: pytest keeps what both need."""
    item = next(items, None)
    while item is not None:
        after = next(items, None)
        yield item, after
        item = after


def _temporary_folder(config: pytest.Config) -> Path:
    folder: Path = config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined] # a session's fixture, before any test
    return folder
