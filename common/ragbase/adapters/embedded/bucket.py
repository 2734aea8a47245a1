"""A bucket that is a folder. An object is a plain file: putting a file into the folder uploads it.

The folder holds the bytes, and the table `objects` holds what is known about them. Both are changed inside one write
transaction, which is exclusive among all threads and processes: move the file, then write the row and its event. After
a crash or a rollback in between, the file differs from its row, as it does after somebody has edited the file. The next
look at the file makes a new generation of it: `scan`, `stat` or `read`.
"""

from __future__ import annotations

import hashlib
import logging
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from ragbase import telemetry
from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.folder_files import FileDigest, FolderFiles, Mark
from ragbase.adapters.embedded.object_table import Entry, ObjectTable, microseconds
from ragbase.domain.errors import GenerationChanged, GenerationGone, InvalidObject, TransientError
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.domain.object_name import check_object
from ragbase.formats.content_type import content_type_of
from ragbase.ports import Clock, StoredObject

_BATCH = 64
"""Files registered or removed in one transaction. It limits how long others wait for the database."""


@dataclass(frozen=True, slots=True)
class FolderChange:
    """Somebody has put, changed or removed a file of the folder. Without a generation `before`, it is new; without one
    `after`, it is gone."""

    bucket: str
    name: str
    before: int | None
    after: int | None


class FolderBucket:
    """Implements the Bucket port."""

    def __init__(
        self,
        folder: Path,
        staging: Path,
        database: Database,
        *,
        name: str,
        announce: Callable[[sqlite3.Connection, ObjectEvent], None],
        clock: Clock,
        announced: Callable[[], None] = lambda: None,
        noticed: Callable[[Sequence[FolderChange]], None] = lambda _: None,
    ) -> None:
        """`staging` is for files being written. It must be on the same file system as `folder`.

        `announce` is called inside the transaction that changes an object, so that both happen or neither.
        `announced` is called once the change is durable. `noticed` is called inside the transaction that registers what
        others have done to files. If it raises, nothing is registered, and the next look finds it again.
        """
        self._files = FolderFiles(folder, staging)
        self._table = ObjectTable(name)
        self._database = database
        self._name = name
        self._announce = announce
        self._announced = announced
        self._noticed = noticed
        self._clock = clock
        self._last = 0

    @property
    def name(self) -> str:
        return self._name

    @property
    def folder(self) -> Path:
        """The folder with the objects, with symbolic links resolved."""
        return self._files.root

    def put(
        self,
        name: str,
        data: bytes,
        *,
        content_type: str = "",
        metadata: Mapping[str, str] | None = None,
        replaces: int | None = None,
    ) -> StoredObject:
        check_object(name, metadata or {})
        self._database.check_room(len(data))
        if replaces is not None:
            self._register_files([name])  # what somebody has put into the folder is a generation, too
        draft = StoredObject(
            bucket=self._name,
            name=name,
            generation=0,
            size=len(data),
            md5=hashlib.md5(data, usedforsecurity=False).hexdigest(),
            content_type=content_type or content_type_of(name, data),
            metadata=dict(metadata or {}),
            written_at=self._clock.now(),
        )
        with self._files.staged(data) as staged:

            def place(connection: sqlite3.Connection) -> tuple[StoredObject, set[str]]:
                last = self._table.get(connection, name)
                if replaces is not None and replaces != (last.stored.generation if last and last.live else 0):
                    raise GenerationChanged(f"{name}: somebody else has written or deleted it.")
                mark, changed = self._files.place(staged, name)
                return self._register(connection, draft, mark, last), changed

            stored, changed = self._database.write(place)
        self._files.sync(changed)
        self._announced()
        return stored

    def sign_upload(
        self,
        name: str,
        *,
        size: int,
        content_type: str,
        metadata: Mapping[str, str],
        replaces: int | None,
        seconds: int,
    ) -> None:
        check_object(name, metadata)

    def begin_upload(
        self,
        name: str,
        *,
        size: int,
        content_type: str,
        metadata: Mapping[str, str],
        replaces: int | None,
        origin: str | None,
    ) -> None:
        return None

    takes_parts_at = None

    def sign_download(self, name: str, generation: int, *, seconds: int) -> None:
        """It has no address of its own."""

    def delete(self, name: str, *, generation: int | None = None) -> StoredObject | None:
        return self.delete_many({name: generation}).get(name)

    def delete_many(self, generations: Mapping[str, int | None]) -> Mapping[str, StoredObject]:
        removed: dict[str, StoredObject] = {}
        moved: list[str] = []
        remaining = iter(generations)
        try:
            while batch := list(islice(remaining, _BATCH)):
                wanted = {name: generations[name] for name in self.stat_many(batch)}
                if wanted:
                    removed |= self._delete_batch(wanted, moved)
        finally:
            self._files.discard(moved)
        return removed

    def _delete_batch(self, wanted: Mapping[str, int | None], moved: list[str]) -> Mapping[str, StoredObject]:
        """`moved` gets what is to be discarded in the end. If the deletion cannot be written, such as on a full disk,
        it has not happened: the files are put back."""
        removed: dict[str, StoredObject] = {}
        away_of: dict[str, str] = {}
        folders: set[str] = set()

        def remove(connection: sqlite3.Connection) -> TransientError | None:
            failure = None
            for entry in self._table.get_many(connection, list(wanted)):
                stored = entry.stored
                if not entry.live or wanted[stored.name] not in (None, stored.generation):
                    continue
                try:
                    folder, away = self._files.remove(stored.name)
                except TransientError as error:
                    failure = error  # of this file only
                    continue
                folders.add(folder)
                away_of[stored.name] = away
                self._unregister(connection, entry)
                removed[stored.name] = stored
            return failure

        try:
            failure = self._database.write(remove)
        except Exception:
            for name, away in away_of.items():
                self._files.put_back(name, away)
            raise
        moved += away_of.values()
        self._files.sync(folders)
        if removed:
            self._announced()
        if failure is not None:
            raise failure
        return removed

    def stat(self, name: str) -> StoredObject | None:
        return self.stat_many([name]).get(name)

    def stat_many(self, names: Sequence[str]) -> Mapping[str, StoredObject]:
        """Does what the port says, as the folder is now: a known file that was changed or removed is registered."""
        live = self._live(names)
        if self._register_files(name for name, entry in live.items() if self._is_changed(name, entry.mark)):
            live = self._live(names)
        return {name: entry.stored for name, entry in live.items()}

    def read(self, name: str, generation: int) -> bytes:
        """Does what the port says. If something else has changed the file, it is registered as a new generation."""
        entry = self._live([name]).get(name)
        live = entry.stored if entry is not None else None
        if live is None or live.generation != generation:
            raise GenerationGone(f"{name}: generation {generation} is no longer in the bucket.")
        try:
            data = self._files.read(name, live.size)
        except OSError as error:
            raise TransientError(f"{self.folder / name}: {error.strerror}.") from error
        if data is None or hashlib.md5(data, usedforsecurity=False).hexdigest() != live.md5:
            self._register_files([name])
            raise GenerationGone(f"{name}: the file no longer holds generation {generation}.")
        return data

    def list(self, prefix: str = "", *, after: str = "") -> Iterator[StoredObject]:
        start = max(prefix, after + "\0") if after else prefix  # the smallest string after it
        while page := self._table.page(self._database.reader, start):
            for entry in page:
                if not entry.stored.name.startswith(prefix):
                    return
                yield entry.stored
            start = page[-1].stored.name + "\0"

    def list_all(self, *, after: str = "") -> Iterator[StoredObject]:
        return self.list(after=after)  # each form of a name is another name here

    def changes(self) -> Sequence[str]:
        """The names whose files have changed, found by one walk of the folder and one read of the table.

        Hidden files, symbolic links and special files are not objects. Raises Unavailable if the folder is gone.
        """
        files = self._files.walk()
        known = self._table.marks(self._database.reader)
        new_or_changed = [name for name, mark in files.items() if known.get(name) != mark]
        # A file that the walk did not find may still be there: hidden, or put since then.
        missing = [name for name in known.keys() - files.keys() if self._is_changed(name, known[name])]
        return sorted(new_or_changed + missing)

    def notice(self, *names: str) -> int:
        """Register new and changed files as new generations and missing files as deletions, each with its event.

        Returns the number of changes. A file that cannot be read is logged and left out. A file that is being written
        is left for the next time.
        """
        known = {entry.stored.name: entry for entry in self._table.get_many(self._database.reader, names)}
        return self._register_files(
            name for name in names if self._is_object(name, known.get(name)) and self._differs(name, known.get(name))
        )

    def scan(self) -> int:
        """Register every change below the folder. Returns the number of changes.

        A file that somebody is still writing is taken as it is. The next look finds it changed.
        """
        self._files.sweep()
        return self.notice(*self.changes())

    def _live(self, names: Sequence[str]) -> dict[str, Entry]:
        """What the table holds of the live objects among these."""
        entries = self._table.get_many(self._database.reader, names)
        return {entry.stored.name: entry for entry in entries if entry.live}

    def _is_object(self, name: str, entry: Entry | None) -> bool:
        """Whether a file of this name is an object. A hidden file is one only if it was `put`."""
        if entry is None and any(part.startswith(".") for part in name.split("/")):
            return False
        try:
            check_object(name, {})
        except InvalidObject as error:
            self._warn(name, str(error))
            return False
        return True

    def _differs(self, name: str, entry: Entry | None) -> bool:
        if entry is None or not entry.live:
            return True
        return self._is_changed(name, entry.mark)

    def _is_changed(self, name: str, known: Mark | None) -> bool:
        try:
            return self._files.mark(name) != known
        except OSError as error:
            self._warn(name, str(error.strerror))
            return False

    def _register_files(self, names: Iterable[str]) -> int:
        count, remaining = 0, iter(names)
        while batch := list(islice(remaining, _BATCH)):
            found = list(self._digests(batch))

            def register(connection: sqlite3.Connection, found: list[tuple[str, FileDigest | None]] = found) -> int:
                looked = (self._register_file(connection, name, digest) for name, digest in found)
                changes = [change for change in looked if change is not None]
                if changes:
                    self._noticed(changes)
                return len(changes)

            if found:
                changed = self._database.write(register)
                count += changed
                if changed:
                    self._announced()
        return count

    def _digests(self, names: Iterable[str]) -> Iterator[tuple[str, FileDigest | None]]:
        for name in names:
            try:
                yield name, self._files.look(name)
            except OSError as error:
                self._warn(name, str(error.strerror))

    def _register_file(
        self, connection: sqlite3.Connection, name: str, digest: FileDigest | None
    ) -> FolderChange | None:
        """Update the entry to match the file, unless the file has changed since it was read.

        Returns how the object has changed; None if it has not.
        """
        entry = self._table.get(connection, name)
        if self._is_changed(name, digest.mark if digest else None):
            return None  # it has changed again, and that change is noticed separately
        if digest is None:
            if entry is None or not entry.live:
                return None
            self._unregister(connection, entry)
            return FolderChange(self._name, name, entry.stored.generation, None)
        live = entry.stored if entry is not None and entry.live else None
        mark = digest.to_remember
        if entry is not None and live is not None and (live.size, live.md5) == (digest.mark.size, digest.md5):
            if entry.mark != mark:
                self._table.save(connection, Entry(live, live=True, mark=mark))
            return None
        draft = StoredObject(
            bucket=self._name,
            name=name,
            generation=0,
            size=digest.mark.size,
            md5=digest.md5,
            content_type=content_type_of(name, digest.head),
            metadata=live.metadata if live is not None else {},  # it stays when the file is edited
            written_at=self._clock.now(),
        )
        stored = self._register(connection, draft, mark, entry)
        return FolderChange(self._name, name, live.generation if live is not None else None, stored.generation)

    def _register(
        self, connection: sqlite3.Connection, draft: StoredObject, mark: Mark, last: Entry | None
    ) -> StoredObject:
        """Make the draft the live object. Its generation is the time, in microseconds, or the number after the last
        one if the clock has gone back, so that no number comes twice. The forms of one name share their numbers
        (ports/canonical_bucket.py), so in a process, no two names get the same."""
        generation = max(microseconds(draft.written_at), self._last + 1, last.stored.generation + 1 if last else 0)
        self._last = generation
        stored = replace(draft, generation=generation)
        self._table.save(connection, Entry(stored, live=True, mark=mark))
        self._announce(connection, stored.event(EventKind.FINALISED))
        return stored

    def _unregister(self, connection: sqlite3.Connection, entry: Entry) -> None:
        last = replace(entry.stored, md5="", content_type="", metadata={})  # its number is all that is asked for later
        self._table.save(connection, Entry(last, live=False, mark=entry.mark))
        self._announce(connection, entry.stored.event(EventKind.DELETED))

    def _warn(self, name: str, reason: str) -> None:
        telemetry.log("bucket.ignored", level=logging.WARNING, name=ascii(name), reason=reason)
