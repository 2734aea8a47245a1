"""Given texts in SQLite."""

from __future__ import annotations

from collections.abc import Sequence

from ragbase.adapters.embedded.database import Database
from ragbase.adapters.embedded.object_table import microseconds
from ragbase.adapters.embedded.stored_texts import stored_texts
from ragbase.domain.errors import GenerationGone
from ragbase.ports import Clock, StoredText

# A page ends with the last text of its last document.
_PAGE = """
    SELECT document_id, generation, written_us FROM given_texts WHERE document_id > :after AND document_id <= coalesce(
        (SELECT document_id FROM given_texts WHERE document_id > :after ORDER BY document_id LIMIT 1 OFFSET :limit - 1),
        '~'
    ) ORDER BY document_id, generation
"""


class SqliteGivenTexts:
    """Implements the GivenTexts port."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def put(self, document_id: str, generation: int, text: str) -> None:
        row = (document_id, generation, microseconds(self._clock.now()), text)
        self._database.write(
            lambda connection: connection.execute("INSERT OR REPLACE INTO given_texts VALUES (?, ?, ?, ?)", row)
        )

    def read(self, document_id: str, generation: int) -> str:
        query = "SELECT text FROM given_texts WHERE document_id = ? AND generation = ?"
        row = self._database.reader.execute(query, (document_id, generation)).fetchone()
        if row is None:
            raise GenerationGone(f"Document {document_id} has no given text {generation}.")
        return str(row[0])

    def delete(self, document_id: str, generation: int) -> None:
        statement = "DELETE FROM given_texts WHERE document_id = ? AND generation = ?"
        self._database.write(lambda connection: connection.execute(statement, (document_id, generation)))

    def scan(self, *, after: str = "", limit: int) -> Sequence[StoredText]:
        return stored_texts(self._database.reader.execute(_PAGE, {"after": after, "limit": limit}))
