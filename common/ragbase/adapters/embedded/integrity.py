"""Whether the SQLite file is intact: its structure, and what its rows hold."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from ragbase.adapters.embedded.read_only import looking_uri
from ragbase.domain.errors import ConfigurationError, TransientError

_BATCH = 1_000
_ROUNDING = 0.01
"""How much the length of a unit vector may differ from 1, at most."""


def check_integrity(path: Path) -> None:
    """Read the whole file: some four seconds for 100,000 chunks. Nothing is written.

    SQLite knows whether its pages and indexes are right. It does not know what a row should hold, so each row is read,
    too: texts have to be UTF-8, and embeddings unit vectors. A wrong letter in a text remains unnoticed.

    Raises ConfigurationError if the file is damaged, and TransientError if it cannot be read now.
    """
    try:
        with closing(sqlite3.connect(looking_uri(path), uri=True)) as connection:
            found = next(_faults(connection), None)
    except sqlite3.OperationalError as error:
        raise TransientError(f"{path} cannot be read: {error}. Check its permissions, and run this again.") from error
    except sqlite3.DatabaseError as error:
        found = str(error)
    if found is not None:
        raise damaged(path, found)


def is_damage(error: BaseException) -> bool:
    """Whether SQLite says that the file is malformed, or no database. Only then is the error of the base class."""
    return type(error) is sqlite3.DatabaseError


def damaged(path: Path, found: str) -> ConfigurationError:
    return ConfigurationError(
        f"{path} is damaged: {found}. Restore it from a backup, or move it away and ingest your files again. The "
        f"folder {path.parent / 'bucket'} still has them."
    )


def _faults(connection: sqlite3.Connection) -> Iterator[str]:
    (structure,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if structure != "ok":
        yield " ".join(structure.split())
    for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        rows = connection.execute(f'SELECT * FROM "{table}"')  # noqa: S608 - a name from the file's own schema
        columns = [column for column, *_ in rows.description]
        vector = columns.index("vector") if "vector" in columns else None
        try:
            while batch := rows.fetchmany(_BATCH):
                if vector is not None and not _are_unit_vectors([row[vector] for row in batch]):
                    yield f"an embedding in the table {table} is no unit vector"
        except sqlite3.OperationalError as error:
            if "decode to UTF-8" not in str(error):
                raise
            yield f"a text in the table {table} is not UTF-8"


def _are_unit_vectors(blobs: list[bytes]) -> bool:
    import numpy as np

    if len(set(map(len, blobs))) > 1:
        return False
    vectors = np.frombuffer(b"".join(blobs), dtype=np.float32).reshape(len(blobs), -1)
    with np.errstate(over="ignore", invalid="ignore"):  # what is no number is no unit vector either
        return bool((abs(np.linalg.norm(vectors, axis=1) - 1) < _ROUNDING).all())
