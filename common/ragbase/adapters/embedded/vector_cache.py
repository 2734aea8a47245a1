"""Makes the snapshots that search reads, up to date with the file.

Exact search reads every vector. So the vectors and the terms of all chunks are in arrays. A search gets a snapshot that
never changes. The cache makes the next one from the last one and from the chunks that any process has added or removed
since. The first one of a process comes from a file, if there is one (snapshot_files.py).
"""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from threading import Lock

import numpy as np

from ragbase.adapters.embedded.index_tables import Tables
from ragbase.adapters.embedded.snapshot import Snapshot
from ragbase.adapters.embedded.snapshot_files import SnapshotFiles, schema_version
from ragbase.adapters.embedded.term_postings import TermPostings, hash_terms
from ragbase.adapters.embedded.vectors import Vectors

_BATCH = 512
"""Rows read at a time: their terms fit into a processor's cache."""
_MAX_REMOVED = 0.25
"""The share of removed chunks above which the arrays are rebuilt without them."""


class VectorCache:
    """Makes snapshots of one tenant's chunks for any number of threads."""

    def __init__(self, dimension: int, tables: Tables, tenant: str, files: SnapshotFiles) -> None:
        self._dimension = dimension
        self._tables = tables
        self._tenant = tenant
        self._files = files
        self._lock = Lock()
        self._latest: Snapshot | None = None
        self._file = ""
        self._schema = 0

    def snapshot(self, connection: sqlite3.Connection) -> Snapshot:
        """The chunks that `connection` sees, and no others.

        It must be in a transaction that has read nothing yet. Then no thread gets here with an older view than the
        thread before it, and everything else that the transaction reads fits the snapshot. Raises ConfigurationError
        if the file holds vectors of another dimension.
        """
        with self._lock:
            schema = schema_version(connection)
            if schema != self._schema:  # the index may have been dropped and made again
                self._latest, self._schema = None, schema
            start = self._latest or self._start(connection)
            known = self._without_removed(start, connection) or self._empty(connection)
            self._latest = self._with_added(known, connection)
            return self._latest

    def save_when_due(self) -> None:
        """Write the file from which searches start, if much has changed since it was written."""
        with self._lock:
            latest, file, schema = self._latest, self._file, self._schema
        if latest is None or not self._files.is_due(latest):
            return
        if self._files.save(latest, instead_of=file, schema=schema):
            with self._lock:
                self._latest = None  # the next search starts from the file, whose pages are shared

    def _start(self, connection: sqlite3.Connection) -> Snapshot:
        """What the file has; nothing without a good one."""
        self._file = self._files.name(connection)
        return self._files.load(self._file) or self._empty(connection)

    def _empty(self, connection: sqlite3.Connection) -> Snapshot:
        query = f"SELECT coalesce(max(id), 0) FROM {self._tables.removals}"  # noqa: S608 - our own name
        (removal,) = connection.execute(query).fetchone()
        return Snapshot(
            removal=removal,
            row_ids=np.empty(0, dtype=np.int64),
            live=np.empty(0, dtype=np.bool_),
            lengths=np.empty(0, dtype=np.float32),
            vectors=Vectors.of(np.empty((0, self._dimension), dtype=np.float32)),
            postings=TermPostings(),
        )

    def _with_added(self, known: Snapshot, connection: sqlite3.Connection) -> Snapshot:
        size = len(known.row_ids)
        query = f"SELECT row_id, CAST(terms AS BLOB), vector FROM {self._tables.chunks}"  # noqa: S608 - our own name
        rows = connection.execute(
            f"{query} WHERE tenant = ? AND row_id > ? ORDER BY row_id", (self._tenant, known.last)
        )
        row_ids, lengths, vectors, postings = [known.row_ids], [known.lengths], known.vectors, known.postings
        while batch := rows.fetchmany(_BATCH):
            ids, texts, blobs = zip(*batch, strict=True)
            vectors = vectors.add(blobs)
            hashes, indexes = hash_terms(texts)
            postings = postings.add(hashes, size + indexes)
            row_ids.append(np.array(ids, dtype=np.int64))
            lengths.append(np.bincount(indexes, minlength=len(ids)).astype(np.float32))
            size += len(ids)
        added = size - len(known.row_ids)
        if not added:
            return known
        return Snapshot(
            removal=known.removal,
            row_ids=np.concatenate(row_ids),
            live=np.concatenate([known.live, np.ones(added, dtype=np.bool_)]),
            lengths=np.concatenate(lengths),
            vectors=vectors,
            postings=postings,
            unsaved=known.unsaved + added,
            read=known.read,
        )

    def _without_removed(self, known: Snapshot, connection: sqlite3.Connection) -> Snapshot | None:
        """None if the log has dropped removals that are not included yet."""
        query = f"SELECT id, row_id FROM {self._tables.removals} WHERE id > ? ORDER BY id"  # noqa: S608 - our own name
        log = connection.execute(query, (known.removal,)).fetchall()
        if not log:
            return known
        if log[0][0] != known.removal + 1:
            return None
        removed = np.array([row_id for _, row_id in log], dtype=np.int64)
        live = known.live.copy()
        positions = known.row_ids.searchsorted(removed)
        # A chunk that was added and removed between two snapshots is in neither, and those of other tenants in none.
        positions = positions[np.isin(removed, known.row_ids[positions[positions < len(live)]])]
        live[positions] = False
        known = replace(known, removal=log[-1][0], live=live, unsaved=known.unsaved + len(positions))
        if known.passages >= (1 - _MAX_REMOVED) * len(live):
            return known
        return Snapshot(
            removal=known.removal,
            row_ids=known.row_ids[live],
            live=live[live],
            lengths=known.lengths[live],
            vectors=known.vectors.keep(live),
            postings=known.postings.keep(live),
            unsaved=known.unsaved,
            read=known.read,
        )
