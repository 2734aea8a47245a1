"""What callers write in one transaction of the SQLite file: each write succeeds or fails alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

from ragbase.adapters.embedded.disk_room import refusal
from ragbase.domain.errors import Unavailable

Result = TypeVar("Result")
Work = Callable[[sqlite3.Connection], Result]


class Write(Generic[Result]):
    """One caller's work and its outcome."""

    __slots__ = ("_error", "_is_one_change", "_result", "_work", "done", "durable")

    def __init__(self, work: Work[Result], *, durable: bool, is_one_change: bool) -> None:
        self._work = work
        self._is_one_change = is_one_change
        self._result: Result | None = None
        self._error: BaseException | None = None
        self.durable = durable
        self.done = False

    def run(self, connection: sqlite3.Connection) -> None:
        """Do the work in its own transaction. An error ends the transaction."""
        self._result = self._work(connection)

    def run_apart(self, connection: sqlite3.Connection) -> None:
        """Do the work in a shared transaction. An error undoes only this work's changes."""
        if self._is_one_change:
            self._run_one_change(connection)
            return
        connection.execute("SAVEPOINT work")
        try:
            self.run(connection)
        except Exception as error:  # noqa: BLE001 - raised in the caller's thread by outcome()
            self._error = error
            connection.execute("ROLLBACK TO work")
        connection.execute("RELEASE work")

    def _run_one_change(self, connection: sqlite3.Connection) -> None:
        try:
            self.run(connection)
        except Exception as error:
            if not connection.in_transaction:  # some errors, such as a full disk, undo the whole transaction
                raise
            self._error = error

    def fail(self, error: BaseException) -> None:
        self._error = error
        self.done = True

    def outcome(self) -> Result:
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value]  # run() has set it: None only if Result allows None


class Together:
    """A transaction that one thread has open for several writes, and what to call after its commit."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path = path
        self.connection = connection
        self.callbacks: list[Callable[[], object]] = []

    def run(self, request: Write[Any]) -> None:
        self.check()
        try:
            request.run_apart(self.connection)
        except sqlite3.Error as error:
            raise Unavailable(refusal(self._path, error)) from error

    def check(self) -> None:
        """Raises Unavailable if an error, such as a full disk, has ended the transaction: the next statement would be
        one of its own."""
        if not self.connection.in_transaction:
            raise Unavailable(f"{self._path}: a write that failed has undone those before it.")
