"""Chunks, embeddings and their search in the one SQLite file: exact cosine and BM25 over a copy in memory."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ragbase.adapters.embedded.vector_cache import VectorCache, wrong_dimension
from ragbase.domain.chunk import Chunk, EmbeddedChunk
from ragbase.domain.errors import ConfigurationError, TransientError
from ragbase.ports import Candidates, Hit

if TYPE_CHECKING:
    from ragbase.adapters.embedded.database import Database
    from ragbase.domain.chunk import Vector

_CHUNK = "id, document_id, generation, part, ordinal, text, char_start, char_end, header_path, page, text_hash"
_INSERT = f"INSERT INTO chunks ({_CHUNK}, terms, vector) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - constants
_READ = f"SELECT {_CHUNK}, terms, vector FROM chunks WHERE document_id = ? AND generation = ? ORDER BY part, ordinal"  # noqa: S608 - constants
_HITS = f"SELECT row_id, {_CHUNK}, terms FROM chunks WHERE row_id IN (SELECT value FROM json_each(?))"  # noqa: S608 - constants


class SqliteVectorStore:
    """Implements ports.VectorStore."""

    def __init__(self, database: Database, dimension: int, model: str) -> None:
        """Use the chunks of `database`, whose vectors have `dimension` numbers and are made by `model`.

        Raises ConfigurationError where it holds vectors of another dimension or model.
        """
        self._database = database
        self._dimension = dimension
        self._cache = VectorCache(dimension)
        with self._reading() as connection:
            row = connection.execute("SELECT length(vector) / 4 FROM chunks LIMIT 1").fetchone()
            known = connection.execute("SELECT model FROM embedding_model").fetchone()
        if row is not None and row[0] != dimension:
            raise wrong_dimension(row[0], dimension)
        if row is not None and known is not None and known[0] != model:
            raise ConfigurationError(
                f"The index holds vectors of the model {known[0]}, and the setting `embedder` names {model}. An index "
                "holds one model's vectors: set `embedder` to the model it was made with, or choose another data "
                "folder and ingest the documents again."
            )
        if known is None or known[0] != model:
            database.write(lambda connection: _remember(connection, model))

    def write(self, chunks: Sequence[EmbeddedChunk]) -> None:
        if not chunks:
            return
        # Everything is made ready before the file is locked.
        rows = {embedded.chunk.id: _row(embedded, self._checked(embedded.vector).tobytes()) for embedded in chunks}
        ids = [(id,) for id in rows]

        def replace(connection: sqlite3.Connection) -> None:
            # Not INSERT OR REPLACE, which would let no trigger log the removal.
            connection.executemany("DELETE FROM chunks WHERE id = ?", ids)
            connection.executemany(_INSERT, rows.values())

        self._database.write(replace, durable=False)

    def read(self, document_id: str, generation: int) -> Sequence[EmbeddedChunk]:
        rows = self._fetch(_READ, document_id, generation)
        return [EmbeddedChunk(_chunk(row[:-2]), np.frombuffer(row[-1], dtype=np.float32), row[-2]) for row in rows]

    def embeddings(self, document_id: str) -> Mapping[str, Vector]:
        rows = self._fetch("SELECT text_hash, vector FROM chunks WHERE document_id = ?", document_id)
        return {text_hash: np.frombuffer(vector, dtype=np.float32) for text_hash, vector in rows}

    def delete(self, document_id: str, *, generation: int) -> None:
        self._delete("document_id = ? AND generation = ?", document_id, generation)

    def delete_older(self, document_id: str, *, than: int) -> None:
        self._delete("document_id = ? AND generation < ?", document_id, than)

    def search(self, vector: Vector, terms: Sequence[str], limit: int) -> Candidates:
        vector = self._checked(vector)
        with self._reading() as connection:
            snapshot = self._cache.snapshot(connection)
            cosines, background = snapshot.cosines(vector)
            scores, frequency = snapshot.bm25(terms)
            nearest = _highest(cosines, limit)
            best = _highest(scores, limit)
            positions = np.union1d(nearest[snapshot.live[nearest]], best[scores[best] > 0])
            found = dict(zip(snapshot.row_ids[positions].tolist(), cosines[positions].tolist(), strict=True))
            rows = connection.execute(_HITS, (json.dumps(list(found)),)).fetchall()
        hits = [Hit(_chunk(row[1:-1]), found[row[0]], row[-1]) for row in rows]
        hits.sort(key=lambda hit: (-hit.cosine, hit.chunk.id))
        return Candidates(
            hits=hits,
            passages=snapshot.passages,
            average_length=snapshot.average_length,
            frequency=frequency,
            background=background,
            exhausted=len(hits) == snapshot.passages,
        )

    def _fetch(self, query: str, *values: str | int) -> list[tuple[Any, ...]]:
        try:
            return self._database.reader.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise TransientError(f"The index cannot be read: {error}") from error

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """This thread's connection in a transaction: all that it reads is of one moment."""
        try:
            connection = self._database.reader
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                if connection.in_transaction:  # some errors end it
                    connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise TransientError(f"The index cannot be read: {error}") from error

    def _delete(self, which: str, document_id: str, generation: int) -> None:
        # Mostly there is nothing to delete, and looking costs no turn among the writers.
        query = f"SELECT 1 FROM chunks WHERE {which} LIMIT 1"  # noqa: S608 - `which` is one of ours
        if not self._fetch(query, document_id, generation):
            return
        statement = f"DELETE FROM chunks WHERE {which}"  # noqa: S608 - `which` is one of ours
        self._database.write(lambda connection: connection.execute(statement, (document_id, generation)), durable=False)

    def _checked(self, vector: Vector) -> Vector:
        """Raises ConfigurationError for a wrong dimension and ValueError for a number that is not finite."""
        if vector.shape != (self._dimension,):
            raise wrong_dimension(self._dimension, vector.shape[-1] if vector.ndim else 0)
        if not np.isfinite(vector).all():
            raise ValueError("A vector holds a number that is not finite, so that nothing can be compared with it.")
        return vector.astype(np.float32, copy=False)


def _remember(connection: sqlite3.Connection, model: str) -> None:
    connection.execute("DELETE FROM embedding_model")
    connection.execute("INSERT INTO embedding_model (model) VALUES (?)", (model,))


def _row(embedded: EmbeddedChunk, vector: bytes) -> tuple[Any, ...]:
    chunk = embedded.chunk
    return (
        chunk.id,
        chunk.document_id,
        chunk.generation,
        chunk.part,
        chunk.ordinal,
        chunk.text,
        chunk.char_start,
        chunk.char_end,
        _json_of(chunk.header_path),
        chunk.page,
        chunk.text_hash,
        embedded.terms,
        vector,
    )


def _chunk(columns: tuple[Any, ...]) -> Chunk:
    id, document_id, generation, part, ordinal, text, char_start, char_end, header_path, page, text_hash = columns
    return Chunk(
        id=id,
        document_id=document_id,
        generation=generation,
        part=part,
        ordinal=ordinal,
        text=text,
        char_start=char_start,
        char_end=char_end,
        header_path=tuple(json.loads(header_path)),
        page=page,
        text_hash=text_hash,
    )


@lru_cache(maxsize=1024)  # consecutive chunks mostly stand under the same headings
def _json_of(header_path: tuple[str, ...]) -> str:
    return json.dumps(header_path, ensure_ascii=False)


def _highest(values: npt.NDArray[np.float32], limit: int) -> npt.NDArray[np.intp]:
    """The positions of the `limit` highest values, or of all where there are no more, in no order."""
    if limit >= len(values):
        return np.arange(len(values))
    return np.argpartition(values, len(values) - limit)[len(values) - limit :]
