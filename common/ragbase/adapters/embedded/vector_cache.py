"""What search reads of the chunks, kept in memory and up to date with the file.

Exact search reads every vector, so all vectors are in one matrix. A search gets a snapshot that never changes. The
cache makes the next snapshot from the last one and from the chunks that any process has added or removed since.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ragbase.adapters.embedded.index_tables import Tables
from ragbase.adapters.embedded.term_postings import Flags, Positions, TermPostings, hash_terms
from ragbase.domain.errors import ConfigurationError
from ragbase.retrieval.scoring import K1, B, inverse_frequency

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector

Floats = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

_BATCH = 512
"""Rows read at a time: their terms fit into a processor's cache."""
_MAX_REMOVED = 0.25
"""The share of removed chunks above which the arrays are rebuilt without them."""


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The chunks at one moment. Each has a position in the arrays, which are in the order of `row_ids`.

    `live` marks the chunks that are not removed, `lengths` counts terms. `matrix` has the vectors, followed by room for
    more. `removal` is the last entry in the log of removals that is included.
    """

    removal: int
    row_ids: Integers
    live: Flags
    lengths: Floats
    matrix: Floats
    postings: TermPostings

    @cached_property
    def passages(self) -> int:
        return int(np.count_nonzero(self.live))

    @cached_property
    def average_length(self) -> float:
        """In terms; 0 if there is no chunk."""
        return float(self.lengths.sum(where=self.live, dtype=np.float64)) / max(self.passages, 1)

    def without(self, row_ids: Integers) -> Snapshot:
        """As if the chunks with these row ids were removed."""
        return replace(self, live=self.live & ~np.isin(self.row_ids, row_ids))

    def cosines(self, vector: Vector) -> Floats:
        """Each chunk's cosine with `vector`, -inf for a removed one."""
        # Not @: its threads wait for one another if the cores are busy. It took 16 ms, not 0.6, at 8,000 chunks.
        cosines: Floats = np.vecdot(self.matrix[: len(self.row_ids)], vector)
        if self.passages < len(cosines):
            cosines[~self.live] = -np.inf
        return cosines

    def bm25(self, terms: Sequence[str]) -> tuple[Floats, dict[str, int]]:
        """A BM25 score for each chunk (0 for one that is removed or has no term), and how many hold each term."""
        scores = np.zeros(len(self.row_ids), dtype=np.float32)
        frequency = {}
        for term, repeated in Counter(terms).items():
            positions, counts = self._find(term)
            frequency[term] = holding = len(positions)
            weight = np.float32(repeated * inverse_frequency(self.passages, holding))
            relative_length = self.lengths[positions] / np.float32(self.average_length or 1)
            scores[positions] += weight * counts / (counts + np.float32(K1) * (1 - B + np.float32(B) * relative_length))
        return scores, frequency

    def _find(self, term: str) -> tuple[Positions, Floats]:
        hashes, _ = hash_terms([term.encode()])
        positions, counts = self.postings.find(hashes[0])
        if self.passages == len(self.row_ids):
            return positions, counts
        kept = self.live[positions]
        return positions[kept], counts[kept]


class VectorCache:
    """Makes snapshots of one tenant's chunks for any number of threads."""

    def __init__(self, dimension: int, tables: Tables, tenant: str) -> None:
        self._dimension = dimension
        self._tables = tables
        self._tenant = tenant
        self._lock = Lock()
        self._latest: Snapshot | None = None

    def snapshot(self, connection: sqlite3.Connection) -> Snapshot:
        """The chunks that `connection` sees, and no others.

        It must be in a transaction that has read nothing yet. Then no thread gets here with an older view than the
        thread before it, and everything else that the transaction reads fits the snapshot. Raises ConfigurationError
        if the file holds vectors of another dimension.
        """
        with self._lock:
            known = self._without_removed(self._latest, connection) if self._latest else None
            self._latest = self._with_added(known or self._empty(connection), connection)
            return self._latest

    def _empty(self, connection: sqlite3.Connection) -> Snapshot:
        query = f"SELECT coalesce(max(id), 0) FROM {self._tables.removals}"  # noqa: S608 - our own name
        (removal,) = connection.execute(query).fetchone()
        return Snapshot(
            removal=removal,
            row_ids=np.empty(0, dtype=np.int64),
            live=np.empty(0, dtype=np.bool_),
            lengths=np.empty(0, dtype=np.float32),
            matrix=np.empty((0, self._dimension), dtype=np.float32),
            postings=TermPostings(),
        )

    def _with_added(self, known: Snapshot, connection: sqlite3.Connection) -> Snapshot:
        size = len(known.row_ids)
        last = int(known.row_ids[-1]) if size else 0
        query = f"SELECT row_id, CAST(terms AS BLOB), vector FROM {self._tables.chunks}"  # noqa: S608 - our own name
        rows = connection.execute(f"{query} WHERE tenant = ? AND row_id > ? ORDER BY row_id", (self._tenant, last))
        row_ids, lengths, matrix, postings = [known.row_ids], [known.lengths], known.matrix, known.postings
        while batch := rows.fetchmany(_BATCH):
            ids, texts, blobs = zip(*batch, strict=True)
            matrix = _with_room(matrix, size, size + len(ids))
            matrix[size : size + len(ids)] = self._vectors(blobs)
            hashes, indexes = hash_terms(texts)
            postings = postings.add(hashes, size + indexes)
            row_ids.append(np.array(ids, dtype=np.int64))
            lengths.append(np.bincount(indexes, minlength=len(ids)).astype(np.float32))
            size += len(ids)
        if size == len(known.row_ids):
            return known
        added = np.ones(size - len(known.row_ids), dtype=np.bool_)
        return Snapshot(
            removal=known.removal,
            row_ids=np.concatenate(row_ids),
            live=np.concatenate([known.live, added]),
            lengths=np.concatenate(lengths),
            matrix=matrix,
            postings=postings,
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
        known = replace(known, removal=log[-1][0], live=live)
        if known.passages >= (1 - _MAX_REMOVED) * len(live):
            return known
        return Snapshot(
            removal=known.removal,
            row_ids=known.row_ids[live],
            live=live[live],
            lengths=known.lengths[live],
            matrix=known.matrix[: len(live)][live],
            postings=known.postings.keep(live),
        )

    def _vectors(self, blobs: Sequence[bytes]) -> Floats:
        vectors = np.frombuffer(b"".join(blobs), dtype=np.float32)
        if len(vectors) != len(blobs) * self._dimension:
            raise wrong_dimension(len(blobs[0]) // vectors.itemsize, self._dimension)
        return vectors.reshape(len(blobs), self._dimension)


def wrong_dimension(index: int, model: int) -> ConfigurationError:
    """The error for a model whose vectors do not fit those in the index."""
    return ConfigurationError(
        f"The index holds vectors of {index} dimensions, and the embedding model makes vectors of {model}. An index "
        "holds one model's vectors: set `embedder` to the model it was made with."
    )


def _with_room(matrix: Floats, used: int, needed: int) -> Floats:
    """The matrix, or one twice as long that begins with its `used` rows. Doubling keeps the cost of each row low."""
    if needed <= len(matrix):
        return matrix
    larger = np.empty((max(needed, 2 * len(matrix)), matrix.shape[1]), dtype=np.float32)
    larger[:used] = matrix[:used]
    return larger
