"""A row of a CSV file as a text for search, and what a search of the rows finds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvDocument:
    """What the contract calls a Document: one row of the CSV file.

    `content` is the row's text; of a long row that was found, it is the passage that fits. `metadata` has `source` (the
    file's path as configured), `row` (from 1, without the header and blank lines), `timestamp` (when the file was
    loaded, ISO 8601 in UTC) and what `CsvDocumentLoader.extract_metadata` gives. `similarity_score`, in 0..1, says how
    surely the text has to do with the query; None if nobody has asked.
    """

    content: str
    metadata: Mapping[str, Any]
    similarity_score: float | None = None


@dataclass(frozen=True, slots=True)
class NearRow:
    """A row below the threshold: its number, its score, and the words of the query that it does not have."""

    row: int
    similarity_score: float
    lacks: tuple[str, ...]


class FoundRows(list[CsvDocument]):
    """The rows, best first. If there are none, `nearest` has at most three that were nearest, nearest first."""

    def __init__(self, rows: Iterable[CsvDocument] = (), nearest: Sequence[NearRow] = ()) -> None:
        super().__init__(rows)
        self.nearest = tuple(nearest)
