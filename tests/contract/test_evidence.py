"""Evidence and its verification read every vector store in the same way."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ragbase.ports import VectorStore
from ragbase.retrieval.active_chunks import ActiveChunks
from ragbase.testing.chunks import embedded
from ragbase.testing.document_store import MemoryDocumentStore
from ragbase.testing.passages import document
from tests.contract.real_servers import in_prove
from tests.contract.vector_stores import VECTOR_STORES

NAME = "guide.md"
ID = document(NAME).id


@pytest.fixture(params=in_prove(VECTOR_STORES))
def store(request: pytest.FixtureRequest) -> Iterator[VectorStore]:
    with VECTOR_STORES[request.param]() as store:
        yield store


@pytest.fixture
def records() -> MemoryDocumentStore:
    records = MemoryDocumentStore()
    records.update(ID, lambda _: document(NAME))
    return records


def test_a_hit_is_found_again_among_its_neighbours(store: VectorStore, records: MemoryDocumentStore) -> None:
    written = [
        embedded(ID, place, text=f"text {place}\nof the é 🚢", header_path=("One", "Two"), page=2, table_header="| a |")
        for place in range(4)
    ]
    store.write(written)
    chunks = ActiveChunks(store, records)
    for one in written:
        found = chunks.search(one.vector, ["text"], wanted=1)
        hit = next(hit.chunk for hit in found.candidates.hits if hit.chunk.ordinal == one.chunk.ordinal)
        around = list(chunks.around(hit))
        place = hit.ordinal
        assert around == [other.chunk for other in written[max(place - 1, 0) : place + 2]]
        assert list(chunks.shown(around)) == around


def test_what_search_does_not_show_any_more_is_not_read(store: VectorStore, records: MemoryDocumentStore) -> None:
    old = embedded(ID, text="old text").chunk
    store.write([embedded(ID, text="old text")])
    chunks = ActiveChunks(store, records)
    assert list(chunks.shown([old])) == [old]
    store.write([embedded(ID, text="new text", generation=2)])
    records.update(ID, lambda _: document(NAME, 2))
    assert list(chunks.shown([old])) == []  # although it is still there
    assert list(chunks.shown([embedded(ID, text="new text", generation=2).chunk]))
    records.update(ID, lambda _: document(NAME, None))
    assert list(chunks.shown([embedded(ID, text="new text", generation=2).chunk])) == []
