"""Which texts a table holds: given texts, or the texts of parts."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from ragbase.adapters.embedded.object_table import EPOCH
from ragbase.ports import StoredText


def stored_texts(rows: Iterable[tuple[str, int, int]]) -> list[StoredText]:
    """From rows of a document's id, a generation, and the microseconds from 1970 to when the text was written."""
    return [
        StoredText(document_id=id, generation=generation, written_at=EPOCH + timedelta(microseconds=written))
        for id, generation, written in rows
    ]
