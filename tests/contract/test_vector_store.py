"""What every vector store promises (ragbase.ports.VectorStore)."""

from __future__ import annotations

import pytest

from ragbase.adapters.weaviate import held_chunks
from ragbase.ports import VectorStore
from ragbase.testing.chunks import document
from ragbase.testing.contracts.vector_store import OpenStore, VectorStoreContract
from tests.contract.real_servers import in_test
from tests.contract.vector_stores import SEARCHED_STORES


@pytest.fixture(params=in_test(SEARCHED_STORES))
def open_store(request: pytest.FixtureRequest) -> OpenStore:
    return SEARCHED_STORES[request.param]


class TestVectorStores(VectorStoreContract):
    """Each of ours."""

    def test_held_and_scan_are_complete_beyond_what_one_answer_holds(
        self, store: VectorStore, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Qdrant gives pages of 500. Weaviate finds 9,999 for a search at most: here 100, which takes less writing."""
        monkeypatch.setattr(held_chunks, "MOST", 100)
        monkeypatch.setattr(held_chunks, "_SURE", 50)
        store.write(document("long", [f"text {i}" for i in range(520)]) + document("short", ["other"]))
        store.write(document("long", [f"old text {i}" for i in range(30)], generation=9))
        assert {id: dict(counts) for id, counts in store.held(["long", "short", "absent"]).items()} == {
            "long": {1: 520, 9: 30},
            "short": {1: 1},
        }
        seen, after = set(), ""
        while page := store.scan(after=after, limit=300):
            seen |= {chunk.id for chunk in page}
            after = page[-1].id
        assert len(seen) == 551
