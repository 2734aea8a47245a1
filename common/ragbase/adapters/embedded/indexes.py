"""The indexes in the one SQLite file: each has a row and its own tables."""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragbase.adapters.embedded.index_tables import create_tables, drop_tables, tables_of
from ragbase.adapters.embedded.snapshot_files import remove_unnamed_files
from ragbase.adapters.embedded.vector_store import SqliteVectorStore, unreadable
from ragbase.domain.errors import IndexGone, Unavailable
from ragbase.domain.index import Index
from ragbase.domain.tenant import Tenancy

if TYPE_CHECKING:
    from ragbase.adapters.embedded.database import Database

_SELECT = "SELECT name, model, dimension, language, tenancy FROM indexes"


class SqliteIndexes:
    """Implements the Indexes port. The current index is read from the file every time, so that a process follows the
    switch of another process with its next query."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._opened: weakref.WeakSet[SqliteVectorStore] = weakref.WeakSet()

    def check(self) -> Index | None:
        return self.current()  # there is no server

    def current(self) -> Index | None:
        try:
            return _current(self._database.reader)
        except sqlite3.Error as error:
            raise Unavailable(f"The index cannot be read: {error}") from error

    def ensure(self, index: Index) -> Index:
        def begin(connection: sqlite3.Connection) -> Index:
            current = _current(connection)
            if current is not None and (current.name == index.name or _holds_chunks(connection, current)):
                return current
            if current is not None:
                _remove(connection, current)
            _add(connection, index)
            connection.execute("UPDATE indexes SET live = 1 WHERE name = ?", (index.name,))
            return index

        current = self.current()
        return current if current is not None and current.name == index.name else self._database.write(begin)

    def open(self, index: Index, tenant: str = "", *, create: bool = True) -> SqliteVectorStore:
        index.check_tenant(tenant)
        if create and index not in self.all():
            self._database.write(lambda connection: _add(connection, index))
        store = SqliteVectorStore(self._database, index.dimension, index.name, tenant, create=create)
        self._opened.add(store)
        return store

    def tenants(self, index: Index) -> Sequence[str]:
        chunks = tables_of(index.name).chunks
        # One step for each tenant: DISTINCT would read the entry of every chunk.
        query = f"""
            WITH RECURSIVE found (tenant) AS (
                SELECT min(tenant) FROM {chunks}
                UNION ALL
                SELECT (SELECT min(tenant) FROM {chunks} WHERE tenant > found.tenant) FROM found
                WHERE found.tenant IS NOT NULL
            )
            SELECT tenant FROM found WHERE tenant IS NOT NULL ORDER BY tenant
        """  # noqa: S608 - our own name
        try:
            return [tenant for (tenant,) in self._database.reader.execute(query)]
        except sqlite3.Error as error:
            raise unreadable(error) from error

    def all(self) -> Sequence[Index]:
        try:
            return [_index(row) for row in self._database.reader.execute(f"{_SELECT} ORDER BY name")]
        except sqlite3.Error as error:
            raise Unavailable(f"The index cannot be read: {error}") from error

    def make_current(self, index: Index) -> None:
        def switch(connection: sqlite3.Connection) -> None:
            if not connection.execute("SELECT 1 FROM indexes WHERE name = ?", (index.name,)).fetchone():
                raise IndexGone(f"There is no index {index.name}.")
            connection.execute("UPDATE indexes SET live = 0 WHERE live")
            connection.execute("UPDATE indexes SET live = 1 WHERE name = ?", (index.name,))

        self._database.write(switch)

    def drop(self, index: Index) -> None:
        def drop(connection: sqlite3.Connection) -> None:
            current = _current(connection)
            if current is not None and current.name == index.name:
                raise ValueError(f"{index.name} is the current index.")
            _remove(connection, index)

        self._database.write(drop)
        remove_unnamed_files(self._database)

    def drop_tenant(self, index: Index, tenant: str) -> None:
        index.check_split()
        statement = f"DELETE FROM {tables_of(index.name).chunks} WHERE tenant = ?"  # noqa: S608 - our own name

        def drop(connection: sqlite3.Connection) -> None:
            try:
                connection.execute(statement, (tenant,))
            except sqlite3.OperationalError as error:
                raise unreadable(error) from error
            connection.execute("DELETE FROM snapshot_files WHERE index_name = ? AND tenant = ?", (index.name, tenant))

        self._database.write(drop)
        remove_unnamed_files(self._database)

    def close(self) -> None:
        """Leave the next processes what their searches start from."""
        for store in list(self._opened):
            store.close()


def _current(connection: sqlite3.Connection) -> Index | None:
    row = connection.execute(f"{_SELECT} WHERE live").fetchone()
    return _index(row) if row else None


def _index(row: tuple[str, str, int, str, str]) -> Index:
    name, model, dimension, language, tenancy = row
    return Index(name=name, model=model, dimension=dimension, language=language, tenancy=Tenancy(tenancy))


def _holds_chunks(connection: sqlite3.Connection, index: Index) -> bool:
    query = f"SELECT 1 FROM {tables_of(index.name).chunks} LIMIT 1"  # noqa: S608 - our own name
    return connection.execute(query).fetchone() is not None


def _add(connection: sqlite3.Connection, index: Index) -> None:
    create_tables(connection, index.name, is_split=index.is_split)
    connection.execute(
        "INSERT OR IGNORE INTO indexes (name, model, dimension, language, tenancy, live) VALUES (?, ?, ?, ?, ?, 0)",
        (index.name, index.model, index.dimension, index.language, index.tenancy.value),
    )


def _remove(connection: sqlite3.Connection, index: Index) -> None:
    connection.execute("DELETE FROM indexes WHERE name = ?", (index.name,))
    drop_tables(connection, index.name)
