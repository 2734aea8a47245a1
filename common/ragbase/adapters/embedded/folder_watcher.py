"""A file that is added to, changed in or removed from the bucket's folder becomes an object event within a second."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from ragbase import telemetry
from ragbase.adapters.embedded.bucket import FolderBucket
from ragbase.domain.errors import RagbaseError

_UNINTERESTING = frozenset({"opened", "closed_no_write", "attrib"})
"""watchdog's events that change no content. Reading a file to register it causes the first two."""

_REST = 10
"""How many times as long as a comparison of all files took the next one waits, unless its time has come. An upload into
a new folder asks for one, and with 10,000 files they took a sixth of a busy server's time."""


class FolderWatcher:
    """Threads that report changes below the bucket's folder to the bucket, from `start` until `stop`.

    A file is reported once nothing has happened to it for `settle` seconds, so that it is not read half written. If the
    system reports a new folder and not the files in it, the next comparison of all files finds them. All
    files are compared at the start and then every `rescan` seconds, because the system drops events when many come at
    once and sends none from a network folder.
    """

    def __init__(self, bucket: FolderBucket, *, settle: float, rescan: float = 30.0) -> None:
        self._bucket = bucket
        self._settle = settle
        self._rescan = rescan
        self._unsettled: dict[str, _Unsettled] = {}
        self._next_scan = self._earliest_scan = time.monotonic()
        self._stopping = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="folder-watcher", daemon=True)
        self._observer: BaseObserver | None = None

    def start(self) -> None:
        """Start to watch. Call it once."""
        try:
            self._observer = self._observe()
        except (OSError, RecursionError) as error:  # the system limits how much may be watched, and Python how deep
            telemetry.log("watch.without_events", level=logging.WARNING, reason=str(error), rescan=self._rescan)
        self._thread.start()

    def stop(self) -> None:
        """End all threads. Files that have not settled are found at the next start."""
        with self._changed:
            self._stopping = True
            self._changed.notify()
        self._thread.join()
        if self._observer is not None:
            self._observer.stop()
            self._observer.join()

    def _observe(self) -> BaseObserver:
        observer = Observer()
        observer.schedule(_Handler(self._on_event), str(self._bucket.folder), recursive=True)
        try:
            observer.start()
        except (OSError, RecursionError):
            observer.stop()  # its constructor has started a thread already
            raise
        return observer

    def _on_event(self, event: FileSystemEvent) -> None:
        if event.event_type in _UNINTERESTING:
            return
        with self._changed:
            if not event.is_directory:
                for path in (event.src_path, event.dest_path):
                    if path:
                        self._unsettle(os.path.relpath(os.fsdecode(path), self._bucket.folder))
            elif event.event_type != "modified":  # it adds nothing to the events of the files
                soon = max(time.monotonic() + self._settle, self._earliest_scan)
                self._next_scan = min(self._next_scan, soon)
            self._changed.notify()

    def _unsettle(self, name: str) -> None:
        self._unsettled[name] = _Unsettled(self._signature(name), time.monotonic() + self._settle)

    def _run(self) -> None:
        while not self._stopping:
            try:
                self._scan()
                self._bucket.notice(*self._settled())
            except (RagbaseError, sqlite3.Error, OSError) as error:  # the next scan finds what was missed
                telemetry.log("watch.postponed", level=logging.WARNING, reason=str(error))
            with self._changed:
                next_check = min([self._next_scan, *(file.until for file in self._unsettled.values())])
                if not self._stopping:
                    self._changed.wait(max(0.0, next_check - time.monotonic()))

    def _scan(self) -> None:
        with self._changed:
            began = time.monotonic()
            if began < self._next_scan:
                return
            self._next_scan = due = began + self._rescan
        changes = self._bucket.changes()
        with self._changed:
            ended = time.monotonic()
            self._earliest_scan = ended + _REST * (ended - began)
            # A folder that came meanwhile asks for the next one, too.
            self._next_scan = min(due, max(self._next_scan, self._earliest_scan))
            for name in changes:
                if name not in self._unsettled:
                    self._unsettle(name)

    def _settled(self) -> list[str]:
        """Remove and return the files whose wait is over. A file that has changed without an event waits again."""
        settled = []
        with self._changed:
            now = time.monotonic()
            for name, file in list(self._unsettled.items()):
                if file.until > now:
                    continue
                if self._signature(name) == file.signature:
                    del self._unsettled[name]
                    settled.append(name)
                else:
                    self._unsettle(name)
        return settled

    def _signature(self, name: str) -> tuple[int, int] | None:
        try:
            status = (self._bucket.folder / name).lstat()
        except OSError:
            return None
        return status.st_size, status.st_mtime_ns


@dataclass(frozen=True, slots=True)
class _Unsettled:
    """A file to which something has happened. It is settled if nothing more happens to it before `until`."""

    signature: tuple[int, int] | None
    until: float


class _Handler(FileSystemEventHandler):
    def __init__(self, on_event: Callable[[FileSystemEvent], None]) -> None:
        self._on_event = on_event

    def on_any_event(self, event: FileSystemEvent) -> None:
        self._on_event(event)
