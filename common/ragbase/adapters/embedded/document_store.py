"""Document records in SQLite. A write transaction is exclusive, so a transition is applied to the newest record."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache, partial

from ragbase.adapters.embedded.database import Database
from ragbase.adapters.record_json import read_record, record_json
from ragbase.domain.document import Change, Document, Status, Transition
from ragbase.domain.limits import DEFAULT_PAGE_SIZE
from ragbase.domain.name_forms import stored_forms
from ragbase.domain.reach import EVERYWHERE, Reach
from ragbase.ports import ListingPlace

_COLUMNS = (
    "id",
    "bucket",
    "name",
    "status",
    "tombstone",
    "created_at",
    "updated_at",
    "active_md5",
    "active_fingerprint",
    "lease_worker",
)
"""What a row holds beside the record itself: what of it queries compare."""

_NEXT_CHANGE = "(SELECT coalesce(max(change), 0) + 1 FROM documents)"
"""The number of this change (changes.py). Nobody else can write until it is committed."""

_INSERT = f"""
    INSERT INTO documents ({", ".join(_COLUMNS)}, record, change)
    VALUES ({", ".join("?" * len(_COLUMNS))}, ?, {_NEXT_CHANGE})
    ON CONFLICT (id) DO NOTHING
"""  # noqa: S608 - our own names

_INSERT_WITH_CHANGE = f"""
    INSERT INTO documents ({", ".join(_COLUMNS)}, record, change) VALUES ({", ".join("?" * (len(_COLUMNS) + 2))})
"""  # noqa: S608 - our own names

# Parts have leases only while their document is PROCESSING, which few are.
_LEASED = """
    SELECT record FROM documents WHERE lease_worker = :worker
    UNION SELECT record FROM documents WHERE status = 'PROCESSING' AND EXISTS (
        SELECT 1 FROM json_each(record, '$.reading.parts') AS part
        WHERE json_extract(part.value, '$.lease.worker') = :worker
    )
"""

# Such documents are PROCESSING, too.
_HANDED_OUT = """
    SELECT record FROM documents
    WHERE status = 'PROCESSING' AND json_extract(record, '$.handed_out.since') IS NOT NULL{seen}
    ORDER BY rtrim(json_extract(record, '$.handed_out.since'), 'Z'), id LIMIT ?
"""

_AFTER_SLASH = chr(ord("/") + 1)
"""Names in a folder stand between the folder with a slash and the folder with this character."""

_MOST_KNOWN = 1_000
"""Records that stay in memory: some 5 MB."""

_BETWEEN = "\x1e"
"""Stands between records: no JSON has this character."""


class SqliteDocumentStore:
    """Implements the DocumentStore port."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known = _Known()
        self._latest: dict[str, str] = {}
        self._current = _Current()

    def get(self, document_id: str, *, tenant: str | None = None, reach: Reach = EVERYWHERE) -> Document | None:
        seen, values = seen_condition(tenant, reach)
        try:
            record = _read(self._database.reader, document_id, seen, values)
        except UnicodeEncodeError:  # SQLite's text is UTF-8, so there cannot be such an id
            return None
        return self._known[record] if record is not None else None

    def get_many(self, document_ids: Sequence[str]) -> Mapping[str, Document]:
        current = self._current.as_of(self._database.version)
        missing = [id for id in document_ids if id not in current]
        if missing:
            if len(current) + len(missing) > _MOST_KNOWN:
                current.clear()
                missing = list(document_ids)
            current.update(self._read_many(missing))
        return {id: current[id] for id in document_ids if id in current}

    def _read_many(self, document_ids: Sequence[str]) -> dict[str, Document]:
        # One row for all: for each row, sqlite3 gives the interpreter's lock away and waits for it again. Every search
        # reads some 30 records, and waited up to 0.1 s for them in a busy server.
        query = "SELECT group_concat(record, ?) FROM documents WHERE id IN (SELECT value FROM json_each(?))"
        (records,) = self._database.reader.execute(query, (_BETWEEN, json.dumps(document_ids))).fetchone()
        read = map(self._known.__getitem__, records.split(_BETWEEN) if records else ())
        return {record.id: record for record in read}

    def update(self, document_id: str, transition: Transition) -> Change:
        # The change is prepared before the file is locked. Mostly, the record is as this process has written it last.
        known = self._latest.get(document_id)
        if known is not None:
            before, after = self._apply(transition, known)
            if after is not None and after is not before and self._save(before, after, known):
                return Change(before, after)
        while True:
            read = _read(self._database.reader, document_id)
            before, after = self._apply(transition, read)
            if after is None or after is before or self._save(before, after, read):
                return Change(before, after)

    def _apply(self, transition: Transition, read: str | None) -> tuple[Document | None, Document | None]:
        """A stored record, and what the transition makes of it."""
        before = self._known[read] if read is not None else None
        return before, transition(before)

    def _save(self, before: Document | None, after: Document, read: str | None) -> bool:
        """Save the record after a change, if the stored one is still the one that was read."""
        record, values = record_json(after), _values(after)
        if before is None:
            statement, parameters = _INSERT, (*values, record)
        else:
            changed = {
                name: new for name, old, new in zip(_COLUMNS, _values(before), values, strict=True) if new != old
            }
            statement, parameters = _update_of(tuple(changed)), (*changed.values(), record, after.id, read)
        becomes_tombstone = before is not None and after.tombstone and not before.tombstone
        # Users learn that a document has settled. The steps before that only have to be in order.
        is_saved = self._database.write(
            partial(_bury, after.id, read, (*values, record))
            if becomes_tombstone
            else lambda connection: connection.execute(statement, parameters).rowcount == 1,
            durable=not after.needs_work,
            is_one_change=not becomes_tombstone,
        )
        if is_saved:
            self._known.keep(record, after)
            if len(self._latest) >= _MOST_KNOWN:
                self._latest.clear()
            self._latest[after.id] = record
        return is_saved

    def find_active(self, md5: str, fingerprint: str, *, tenant: str | None = None) -> Document | None:
        row = self._database.reader.execute(
            """
            SELECT record FROM documents
            WHERE active_md5 = ? AND active_fingerprint = ? AND tenant = coalesce(?, tenant) ORDER BY id LIMIT 1
            """,
            (md5, fingerprint, tenant),
        ).fetchone()
        return read_record(row[0]) if row else None

    def leased_to(self, worker: str) -> Sequence[Document]:
        rows = self._database.reader.execute(_LEASED, {"worker": worker})
        return [read_record(row) for (row,) in rows]

    def handed_out(self, *, tenant: str | None = None, reach: Reach = EVERYWHERE, limit: int) -> Sequence[Document]:
        seen, values = seen_condition(tenant, reach)
        rows = self._database.reader.execute(_HANDED_OUT.format(seen=seen), (*values, limit))
        return [read_record(row) for (row,) in rows]

    def page(
        self,
        *,
        status: Status | None = None,
        tenant: str | None = None,
        reach: Reach = EVERYWHERE,
        limit: int = DEFAULT_PAGE_SIZE,
        offset: int = 0,
        after: ListingPlace | None = None,
    ) -> Sequence[Document]:
        where, values = _listed(status, tenant, reach)
        if after is not None:
            # The first condition says nothing new, but it is one that SQLite can begin its walk of the index with.
            where = f"{where} AND created_at <= ? AND (created_at < ? OR id > ?)"
            values = (*values, *2 * (_created(after.created_at),), after.id)
        # What an offset skips is counted off in the index: no record of it is read.
        rows = self._database.reader.execute(
            f"""
            SELECT record FROM documents WHERE id IN (
                SELECT id FROM documents WHERE {where} ORDER BY created_at DESC, id LIMIT ? OFFSET ?
            )
            ORDER BY created_at DESC, id
            """,  # noqa: S608 - all are constants
            (*values, limit, offset),
        )
        return [read_record(row) for (row,) in rows]

    def count(self, *, status: Status | None = None, tenant: str | None = None, reach: Reach = EVERYWHERE) -> int:
        where, values = _listed(status, tenant, reach)
        statement = f"SELECT count(*) FROM documents WHERE {where}"  # noqa: S608 - as above
        (total,) = self._database.reader.execute(statement, values).fetchone()
        return int(total)

    def counts(self, *, tenant: str | None = None, reach: Reach = EVERYWHERE) -> Mapping[Status, int]:
        where, values = _listed(None, tenant, reach)
        statement = f"SELECT status, count(*) FROM documents WHERE {where} GROUP BY status"  # noqa: S608 - as above
        found = dict(self._database.reader.execute(statement, values))
        return {status: found.get(status.value, 0) for status in Status}

    def scan(self, bucket: str, *, after: str = "", limit: int) -> Sequence[Document]:
        rows = self._database.reader.execute(
            """
            SELECT record FROM documents WHERE bucket = ? AND name > ? ORDER BY name LIMIT ?
            """,
            (bucket, after, limit),
        )
        return [read_record(row) for (row,) in rows]

    def waiting(self, *, before: datetime, after: Document | None = None, limit: int) -> Sequence[Document]:
        rows = self._database.reader.execute(
            """
            SELECT record FROM documents
            WHERE status IN ('PENDING', 'PROCESSING') AND tombstone = 0 AND updated_at < ? AND (updated_at, id) > (?, ?)
            ORDER BY updated_at, id LIMIT ?
            """,
            (_sortable(before), _sortable(after.updated_at) if after else "", after.id if after else "", limit),
        )
        return [read_record(row) for (row,) in rows]


def is_deleted(database: Database, document_id: str) -> bool:
    """Whether its record is a tombstone."""
    query = "SELECT 1 FROM documents WHERE id = ? AND tombstone"
    return database.reader.execute(query, (document_id,)).fetchone() is not None


def seen_condition(tenant: str | None, reach: Reach) -> tuple[str, tuple[str, ...]]:
    """What a row has to meet to be seen, to follow another condition, and its values. The columns stand before the
    record in a row: of a row that is not seen, SQLite reads no record."""
    where, values = "", []
    if tenant is not None:
        where, values = " AND tenant = ?", [tenant]
    if not reach.is_everything:
        folders = stored_forms(reach.folders)
        where += f" AND ({' OR '.join(['name = ? OR (name >= ? AND name < ?)'] * len(folders))})"
        values += [bound for folder in folders for bound in (folder, f"{folder}/", f"{folder}{_AFTER_SLASH}")]
    return where, tuple(values)


def _listed(status: Status | None, tenant: str | None, reach: Reach) -> tuple[str, tuple[str, ...]]:
    """The condition of a listing, and its values."""
    where = ["tombstone = 0"]
    if status is not None:
        where.append(f"status = '{status.value}'")  # SQLite has to see it to choose an index for one status
    if status in (Status.PENDING, Status.PROCESSING):
        where.append("status IN ('PENDING', 'PROCESSING')")  # the same: documents_open
    seen, values = seen_condition(tenant, reach)
    return " AND ".join(where) + seen, values


def _bury(id: str, read: str | None, row: tuple[object, ...], connection: sqlite3.Connection) -> bool:
    """Write a small row in place of a large one. SQLite leaves the pages of a row that gets smaller as they are, and
    joins them only where one is deleted. False if the record is not the one that was read."""
    (change,) = connection.execute(
        f"SELECT {_NEXT_CHANGE}"
    ).fetchone()  # before the row that may have the last one goes
    if not connection.execute("DELETE FROM documents WHERE id = ? AND record = ?", (id, read)).rowcount:
        return False
    connection.execute(_INSERT_WITH_CHANGE, (*row, change))
    return True


def _read(connection: sqlite3.Connection, document_id: str, seen: str = "", values: tuple[str, ...] = ()) -> str | None:
    query = f"SELECT record FROM documents WHERE id = ?{seen}"  # noqa: S608 - our own conditions
    row = connection.execute(query, (document_id, *values)).fetchone()
    return row[0] if row else None


class _Known(dict[str, Document]):
    """Records by their JSON: what one step has written, the next one reads, and what one question finds, the next one
    often finds, too."""

    def __missing__(self, text: str) -> Document:
        return self.keep(text, read_record(text))

    def keep(self, text: str, record: Document) -> Document:
        if len(self) >= _MOST_KNOWN:
            self.clear()
        return self.setdefault(text, record)


class _Current(threading.local):
    """The records that this thread has read since the file has changed."""

    def __init__(self) -> None:
        self._version: int | None = None
        self._records: dict[str, Document] = {}

    def as_of(self, version: int | None) -> dict[str, Document]:
        """What is known of this version of the file; nothing of one without a number."""
        if version is None or version != self._version:
            self._version, self._records = version, {}
        return self._records


@lru_cache
def _update_of(columns: tuple[str, ...]) -> str:
    """The statement that gives a row new values in these columns and a new record, which come first, then the id, and
    the record as it was read. Columns that keep their values are left out: SQLite writes each index that has a column
    that is set."""
    assignments = ", ".join(f"{column} = ?" for column in (*columns, "record"))
    return f"UPDATE documents SET {assignments}, change = {_NEXT_CHANGE} WHERE id = ? AND record = ?"  # noqa: S608 - our own names


def _values(record: Document) -> tuple[object, ...]:
    """The values of _COLUMNS."""
    return (
        record.id,
        record.bucket,
        record.name,
        record.status.value,
        record.tombstone,
        _created(record.created_at),
        _sortable(record.updated_at),
        record.active.md5 if record.active else None,
        record.active.fingerprint if record.active else None,
        record.lease.worker if record.lease else None,
    )


def _created(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds")


def _sortable(moment: datetime) -> str:
    """In UTC, with microseconds only if there are any, as in the JSON of the records."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat()
