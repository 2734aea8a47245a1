"""What a search of the rows finds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ragbase.csv_service.csv_document import CsvDocument


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
