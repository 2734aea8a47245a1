"""Chunks, embeddings and their search in the one SQLite file: exact cosine and BM25 over a copy in memory."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ragbase import telemetry
from ragbase.adapters.checked_vector import check_finite
from ragbase.adapters.embedded.index_tables import create_tables, tables_of
from ragbase.adapters.embedded.last_search import LastSearch
from ragbase.adapters.embedded.matching_documents import documents_within, matching_documents
from ragbase.adapters.embedded.snapshot import ReadChunk
from ragbase.adapters.embedded.snapshot_files import LEAST_UNSAVED, SnapshotFiles
from ragbase.adapters.embedded.vector_cache import VectorCache
from ragbase.adapters.embedded.vectors import wrong_dimension
from ragbase.domain.chunk import Chunk, EmbeddedChunk
from ragbase.domain.errors import IndexGone, RagbaseError, Unavailable
from ragbase.ports import Candidates, HeldChunk, Hit

if TYPE_CHECKING:
    from ragbase.adapters.embedded.database import Database
    from ragbase.domain.chunk import Vector, Vectors
    from ragbase.domain.search_filter import SearchFilter

_CHUNK = (
    "id, document_id, generation, ordinal, text, char_start, char_end, header_path, page, row, text_hash, table_header"
)


_OF_GENERATION = "document_id = ? AND generation = ? AND part = 0 AND tenant = ?"
"""`part` is always 0. The column stays, because the tables of every data folder have it."""

_COLUMNS = 15
"""Those of a row that is written, without `part`."""
_ROWS_OF = {size: ", ".join([f"({', '.join('?' * _COLUMNS)}, 0)"] * size) for size in (1, 2, 4, 8, 16, 32)}
"""So many rows in one statement: for each statement, sqlite3 gives the interpreter's lock away and waits for it again.
So few sizes, that SQLite keeps their statements prepared."""

_MOST_READ = 2_000
"""Chunks that stay in memory when a search has read them: some 5 MB."""
_BLOCK = 128
"""Values that are first looked at together: for the highest 30 of 100,000, this takes 0.1 ms and not 2.5."""


class SqliteVectorStore:
    """Implements ports.VectorStore with the rows of one tenant in the tables of one index. A filter asks the records,
    which are in the same file, so that chunks carry no labels here."""

    def __init__(
        self, database: Database, dimension: int, index: str, tenant: str = "", *, create: bool = True
    ) -> None:
        """Use the tables of the index of this name in `database`; `create` makes those that are missing. Its vectors
        have `dimension` numbers."""
        self._database = database
        self._dimension = dimension
        tables = tables_of(index)
        self._chunks = tables.chunks
        self._tenant = tenant
        self._cache = VectorCache(dimension, tables, tenant, SnapshotFiles(database, dimension, index, tenant))
        self._last: LastSearch | None = None
        self._written = 0
        if create and not self._fetch("SELECT 1 FROM sqlite_master WHERE name = ?", tables.chunks):
            database.write(lambda connection: create_tables(connection, index), durable=False)

    @property
    def longest_search(self) -> timedelta:
        return timedelta()  # each search is one transaction

    def wait_for_searches(self) -> None:
        """Nothing to wait for: a search that has begun sees what it saw."""

    @property
    def keeps_labels(self) -> bool:
        return False

    def write(self, chunks: Sequence[EmbeddedChunk]) -> None:
        if not chunks:
            return
        # Everything is prepared before the file is locked.
        vectors = self._matrix([embedded.vector for embedded in chunks])
        rows = {one.chunk.id: _row(one, vector.tobytes()) for one, vector in zip(chunks, vectors, strict=True)}
        ids = json.dumps(list(rows))
        values = [value for row in rows.values() for value in (*row, self._tenant)]
        delete = f"DELETE FROM {self._chunks} WHERE id IN (SELECT value FROM json_each(?))"  # noqa: S608 - our own name
        insert = f"INSERT INTO {self._chunks} ({_CHUNK}, terms, vector, tenant, part) VALUES "  # noqa: S608 - as above

        def insert_all(connection: sqlite3.Connection) -> None:
            start = 0
            for size in _sizes(len(rows)):
                end = start + size * _COLUMNS
                connection.execute(insert + _ROWS_OF[size], values[start:end])
                start = end

        def replace(connection: sqlite3.Connection) -> None:
            try:
                insert_all(connection)
            except sqlite3.IntegrityError:  # some are there: rarely, an attempt writes what is missing
                # Not INSERT OR REPLACE: with it, no trigger would log the removal.
                connection.execute(delete, (ids,))
                insert_all(connection)

        self._write(replace)
        self._written += len(rows)

    def restore(self, chunks: Sequence[EmbeddedChunk]) -> None:
        self.write(chunks)

    def read(self, document_id: str, generation: int) -> Sequence[EmbeddedChunk]:
        query = f"SELECT {_CHUNK}, terms, vector FROM {self._chunks}"  # noqa: S608 - our own name
        rows = self._fetch(
            f"{query} WHERE {_OF_GENERATION} ORDER BY ordinal",
            document_id,
            generation,
            self._tenant,
        )
        return [EmbeddedChunk(_chunk(row[:-2]), np.frombuffer(row[-1], dtype=np.float32), row[-2]) for row in rows]

    def chunks(self, document_id: str, generation: int, *, first: int, limit: int) -> Sequence[Chunk]:
        where = f"WHERE {_OF_GENERATION} AND ordinal >= ? AND ordinal < ?"
        query = f"SELECT {_CHUNK} FROM {self._chunks} {where} ORDER BY ordinal"  # noqa: S608 - our own name
        rows = self._fetch(query, document_id, generation, self._tenant, first, first + limit)
        return [_chunk(row) for row in rows]

    def embeddings(self, document_id: str) -> Mapping[str, Vector]:
        query = f"SELECT text_hash, vector FROM {self._chunks} WHERE document_id = ? AND tenant = ?"  # noqa: S608 - as above
        rows = self._fetch(query, document_id, self._tenant)
        return {text_hash: np.frombuffer(vector, dtype=np.float32) for text_hash, vector in rows}

    def hide(self, document_id: str, *, generation: int) -> None:
        self.delete(document_id, generation=generation)

    def delete(self, document_id: str, *, generation: int) -> None:
        self._delete("document_id = ? AND generation = ?", document_id, generation)

    def delete_chunks(self, ids: Sequence[str]) -> None:
        self._delete("id IN (SELECT value FROM json_each(?))", json.dumps(list(ids)))

    def search(
        self,
        vector: Vector,
        terms: Sequence[str],
        limit: int,
        *,
        without: Collection[str] = (),
        within: SearchFilter | None = None,
        nearest: int = 0,
    ) -> Candidates:
        vector = self._checked(vector)
        with self._reading() as connection:
            snapshot = self._cache.snapshot(connection)
            is_of_all = not without and within is None and not nearest
            last = self._last if is_of_all else None
            if last is not None and (known := last.with_more(snapshot, vector, terms, limit)) is not None:
                return known
            if without:
                snapshot = snapshot.without(self._rows_of(connection, without))
            if within is not None and not within.reach.is_everything:
                snapshot = snapshot.of(self._rows_of(connection, documents_within(connection, within.reach)))
            cosines = snapshot.cosines(vector)
            scores, frequency = snapshot.bm25(terms)
            candidates = snapshot.live
            beside: dict[int, float] = {}
            if nearest:
                highest = _highest(cosines, nearest)
                beside = _by_row(snapshot.row_ids, cosines, highest[candidates[highest]])
            if within is not None:
                matching = self._rows_of(connection, matching_documents(connection, within, self._tenant))
                candidates = candidates & np.isin(snapshot.row_ids, matching)
                cosines[~candidates], scores[~candidates] = -np.inf, 0
            near, best = _highest(cosines, limit), _highest(scores, limit)
            found = _by_row(snapshot.row_ids, cosines, near[candidates[near]])
            found |= _by_row(snapshot.row_ids, cosines, best[scores[best] > 0])
            cosine_of = beside | found
            chunks = self._chunks_of(connection, list(cosine_of), snapshot.read)
        self._cache.save_when_due()
        read = [(row_id, Hit(chunk, cosine_of[row_id], terms)) for row_id, (chunk, terms) in chunks.items()]
        read.sort(key=lambda one: (-one[1].cosine, one[1].chunk.id))
        hits = [hit for row_id, hit in read if row_id in found]
        found_candidates = Candidates(
            hits=hits,
            passages=snapshot.passages,
            average_length=snapshot.average_length,
            frequency=frequency,
            exhausted=len(hits) == np.count_nonzero(candidates),
            nearest=[hit for row_id, hit in read if row_id in beside],
        )
        if is_of_all:
            self._last = LastSearch.of(snapshot, vector, terms, limit, found_candidates)
        return found_candidates

    def held(self, document_ids: Sequence[str]) -> Mapping[str, Mapping[int, int]]:
        rows = self._fetch(
            f"""
            SELECT document_id, generation, count(*) FROM {self._chunks}
            WHERE document_id IN (SELECT value FROM json_each(?)) AND tenant = ? GROUP BY document_id, generation
            """,  # noqa: S608 - our own name
            json.dumps(list(document_ids)),
            self._tenant,
        )
        found: dict[str, dict[int, int]] = {}
        for document_id, generation, count in rows:
            found.setdefault(document_id, {})[generation] = count
        return found

    def scan(self, *, after: str = "", limit: int) -> Sequence[HeldChunk]:
        rows = self._fetch(
            f"SELECT id, document_id, generation FROM {self._chunks} WHERE tenant = ? AND id > ? ORDER BY id LIMIT ?",  # noqa: S608 - as above
            self._tenant,
            after,
            limit,
        )
        return [HeldChunk(*row) for row in rows]

    def close(self) -> None:
        """If this process has written many chunks, leave the next one what its searches start from."""
        if self._written > LEAST_UNSAVED:
            try:
                with self._reading() as connection:
                    self._cache.snapshot(connection)
            except RagbaseError as error:
                telemetry.log("snapshot.unsaved", level=logging.WARNING, reason=str(error))
            else:
                self._cache.save_when_due()

    def _chunks_of(
        self, connection: sqlite3.Connection, row_ids: Sequence[int], read: dict[int, ReadChunk]
    ) -> dict[int, ReadChunk]:
        """The chunks with these row ids. Those that were `read` lately are not read again: a row never changes."""
        found = {row_id: chunk for row_id in row_ids if (chunk := read.get(row_id)) is not None}
        missing = [row_id for row_id in row_ids if row_id not in found]
        if missing:
            query = f"SELECT row_id, {_CHUNK}, terms FROM {self._chunks}"  # noqa: S608 - our own name
            where = "WHERE row_id IN (SELECT value FROM json_each(?))"
            rows = connection.execute(f"{query} {where}", (json.dumps(missing),)).fetchall()
            new = {row[0]: (_chunk(row[1:-1]), row[-1]) for row in rows}
            if len(read) + len(new) > _MOST_READ:
                read.clear()
            read.update(new)
            found.update(new)
        return found

    def _rows_of(self, connection: sqlite3.Connection, document_ids: Collection[str]) -> npt.NDArray[np.int64]:
        which = f"SELECT row_id FROM {self._chunks} WHERE document_id IN (SELECT value FROM json_each(?))"  # noqa: S608 - our own name
        rows = connection.execute(which, (json.dumps(list(document_ids)),)).fetchall()
        return np.array([row_id for (row_id,) in rows], dtype=np.int64)

    def _fetch(self, query: str, *values: str | int) -> list[tuple[Any, ...]]:
        try:
            return self._database.reader.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise unreadable(error) from error

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """This thread's connection in a transaction: everything it reads is from one moment."""
        try:
            connection = self._database.reader
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                if connection.in_transaction:  # some errors end it
                    connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise unreadable(error) from error

    def _write(self, work: Callable[[sqlite3.Connection], object]) -> None:
        def translated(connection: sqlite3.Connection) -> None:
            try:
                work(connection)
            except sqlite3.OperationalError as error:
                raise unreadable(error) from error

        self._database.write(translated, durable=False)

    def _delete(self, which: str, *values: str | int) -> None:
        # Mostly there is nothing to delete, and a read does not wait for other writers.
        which, values = f"{which} AND tenant = ?", (*values, self._tenant)
        query = f"SELECT 1 FROM {self._chunks} WHERE {which} LIMIT 1"  # noqa: S608 - our own names and conditions
        if not self._fetch(query, *values):
            return
        statement = f"DELETE FROM {self._chunks} WHERE {which}"  # noqa: S608 - as above
        self._write(lambda connection: connection.execute(statement, values))

    def _checked(self, vector: Vector) -> Vector:
        """As `_matrix`, of one vector."""
        checked: Vector = self._matrix([vector])[0]
        return checked

    def _matrix(self, vectors: Sequence[Vector]) -> Vectors:
        """The vectors as rows. Raises ConfigurationError for a wrong dimension, ValueError for a number that is not
        finite: for all of them together, that takes a fifth of the time."""
        for vector in vectors:
            if vector.shape != (self._dimension,):
                raise wrong_dimension(self._dimension, vector.shape[-1] if vector.ndim else 0)
        matrix = np.stack(vectors, dtype=np.float32)
        check_finite(matrix)
        return matrix


def unreadable(error: sqlite3.Error) -> Unavailable:
    """What the error means for those who use an index: IndexGone if its tables are missing."""
    if str(error).startswith("no such table"):
        return IndexGone(f"The index has been dropped: {error}")
    return Unavailable(f"The index cannot be used: {error}")


def _row(embedded: EmbeddedChunk, vector: bytes) -> tuple[Any, ...]:
    chunk = embedded.chunk
    return (
        chunk.id,
        chunk.document_id,
        chunk.generation,
        chunk.ordinal,
        chunk.text,
        chunk.char_start,
        chunk.char_end,
        _json_of(chunk.header_path),
        chunk.page,
        chunk.row,
        chunk.text_hash,
        chunk.table_header,
        embedded.terms,
        vector,
    )


def _sizes(rows: int) -> Iterator[int]:
    """How many rows each statement writes."""
    for size in sorted(_ROWS_OF, reverse=True):
        while rows >= size:
            yield size
            rows -= size


def _chunk(columns: tuple[Any, ...]) -> Chunk:
    id, document_id, generation, ordinal, text, start, end, path, page, row, text_hash, table_header = columns
    return Chunk(
        id=id,
        document_id=document_id,
        generation=generation,
        ordinal=ordinal,
        text=text,
        char_start=start,
        char_end=end,
        header_path=_path_of(path),
        page=page,
        row=row,
        text_hash=text_hash,
        table_header=table_header,
    )


@lru_cache(maxsize=1024)  # consecutive chunks mostly have the same headings
def _json_of(header_path: tuple[str, ...]) -> str:
    return json.dumps(header_path, ensure_ascii=False)


@lru_cache(maxsize=1024)  # a search finds several chunks below the same headings
def _path_of(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))


def _by_row(
    row_ids: npt.NDArray[np.int64], cosines: npt.NDArray[np.float32], positions: npt.NDArray[np.intp]
) -> dict[int, float]:
    """The cosines at these positions, by row id."""
    return dict(zip(row_ids[positions].tolist(), cosines[positions].tolist(), strict=True))


def _highest(values: npt.NDArray[np.float32], limit: int) -> npt.NDArray[np.intp]:
    """The positions of the `limit` highest values, or of all if there are fewer, in no order."""
    if limit >= len(values):
        return np.arange(len(values))
    blocks = len(values) // _BLOCK
    if blocks <= limit:
        return np.argpartition(values, len(values) - limit)[len(values) - limit :]
    # So many blocks have a value that is at least `least`. What is below it is not among the highest. Most is.
    highest = values[: blocks * _BLOCK].reshape(blocks, _BLOCK).max(axis=1)
    least = np.partition(highest, blocks - limit)[blocks - limit]
    positions = np.flatnonzero(values >= least)
    return positions[np.argpartition(values[positions], len(positions) - limit)[len(positions) - limit :]]
