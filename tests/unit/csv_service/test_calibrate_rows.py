"""The rows of a model that nobody knows are calibrated when they are loaded."""

from __future__ import annotations

from typing import Any

import pytest

from ragbase.adapters.hashing.embedder import HashingEmbedder
from ragbase.chunking.chunker import MarkdownChunker
from ragbase.csv_service.cut_parts import RowText
from ragbase.csv_service.row_store import RowStore
from ragbase.domain.calibration import FittedCalibration
from ragbase.domain.errors import Unavailable
from ragbase.retrieval.calibrations import Calibrations
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from ragbase.testing.indexes import MemoryIndexes


class Unknown(HashingEmbedder):
    """A model without constants of its own."""

    @property
    def model(self) -> str:
        return "unknown"


class Rows:
    def __init__(self, embedder: HashingEmbedder) -> None:
        self.checkpoints = MemoryCheckpoints()
        self.store = RowStore(
            checkpoints=self.checkpoints,
            indexes=MemoryIndexes(),
            embedder=embedder,
            embedder_for=lambda _: embedder,
            chunker=MarkdownChunker(),
            language="english",
            clock=VirtualClock(),
            owner="process",
        )

    def load(self, rows: int) -> FittedCalibration | None:
        """What is kept with the index after so many rows were loaded."""
        texts: list[Any] = [
            RowText(number, f"The pump number {number} of the mill is oiled in spring.", {})
            for number in range(1, rows + 1)
        ]
        assert self.store.replace(texts, fingerprint=str(rows), source="a.csv", is_complete=lambda: True)
        version = self.store.version
        assert version is not None
        return Calibrations(lambda: self.checkpoints).of(version.index)


def test_a_load_calibrates_until_there_were_enough_texts() -> None:
    rows = Rows(Unknown())
    first = rows.load(2)
    assert first is not None and (first.model, first.passages) == ("unknown", 2)
    enough = rows.load(400)
    assert enough is not None and enough.passages == 300
    later = rows.load(401)
    assert later is not None and later.fitted_at == enough.fitted_at
    assert rows.store.search("When is the pump oiled?", top_k=1, threshold=0.0)


def test_a_known_model_is_left_alone() -> None:
    assert Rows(HashingEmbedder()).load(2) is None


def test_rows_are_shown_although_they_cannot_be_calibrated(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(embedder: Unknown, text: str) -> Any:
        if text.endswith("?"):
            raise Unavailable("The service takes no questions.")
        return HashingEmbedder.embed_query(embedder, text)

    rows = Rows(Unknown())
    with monkeypatch.context() as gone:
        gone.setattr(Unknown, "embed_query", away)
        assert rows.load(2) is None
    assert rows.store.search("When is the pump oiled?", top_k=1, threshold=0.0)
    assert rows.load(3) is not None
