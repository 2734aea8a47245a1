"""Word boxes in SQLite."""

from __future__ import annotations

from collections.abc import Sequence

from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.object_table import microseconds
from ragbase.adapters.embedded.stored_texts import stored_texts
from ragbase.ports import Clock, StoredText

# A page ends with the last generation of its last document.
_PAGE = """
    WITH stored AS (
        SELECT document_id, generation, max(written_us) AS written_us FROM word_boxes WHERE document_id > :after
        GROUP BY document_id, generation
    )
    SELECT document_id, generation, written_us FROM stored WHERE document_id <= coalesce(
        (SELECT document_id FROM stored ORDER BY document_id LIMIT 1 OFFSET :limit - 1), '~'
    ) ORDER BY document_id, generation
"""


class SqliteWordBoxes:
    """Implements the WordBoxes port."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def put(self, document_id: str, generation: int, reader: str, boxes: bytes) -> None:
        row = (document_id, generation, reader, microseconds(self._clock.now()), boxes)
        self._database.write(
            lambda connection: connection.execute("INSERT OR REPLACE INTO word_boxes VALUES (?, ?, ?, ?, ?)", row)
        )

    def read(self, document_id: str, generation: int, reader: str) -> bytes | None:
        query = "SELECT boxes FROM word_boxes WHERE document_id = ? AND generation = ? AND reader = ?"
        row = self._database.reader.execute(query, (document_id, generation, reader)).fetchone()
        return bytes(row[0]) if row is not None else None

    def delete(self, document_id: str, generation: int) -> None:
        statement = "DELETE FROM word_boxes WHERE document_id = ? AND generation = ?"
        self._database.write(lambda connection: connection.execute(statement, (document_id, generation)))

    def scan(self, *, after: str = "", limit: int) -> Sequence[StoredText]:
        return stored_texts(self._database.reader.execute(_PAGE, {"after": after, "limit": limit}))
