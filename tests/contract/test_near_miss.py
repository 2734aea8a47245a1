"""In every vector store, a question that finds nothing is told the same nearest passages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ragbase.adapters.hashing.embedder import HashingEmbedder
from ragbase.domain.identity import document_id
from ragbase.domain.near_miss import NearMiss
from ragbase.ports import VectorStore
from ragbase.retrieval.active_chunks import ActiveChunks
from ragbase.retrieval.search_one_index import search_one_index
from ragbase.testing.chunks import DIMENSION, embedded
from ragbase.testing.document_store import MemoryDocumentStore
from ragbase.testing.passages import document
from ragbase.testing.vector_store import MemoryVectorStore
from ragbase.text.terms import index_terms
from tests.contract.real_servers import in_prove
from tests.contract.vector_stores import VECTOR_STORES

TEXTS = {
    **{f"web-{n}.md": f"Host web-{n} has the owner Ana. It is in rack R{n}." for n in (16, 17, 18)},
    "pumps.md": "The pump of the cellar is tested in May.",
    "leave.md": "Write to your manager ten days before.",
}
EMBEDDER = HashingEmbedder(dimension=DIMENSION)


def filled(store: VectorStore) -> ActiveChunks:
    documents = MemoryDocumentStore()
    vectors = EMBEDDER.embed_documents(list(TEXTS.values())).vectors
    store.write(
        [
            embedded(document_id("bucket", name), text=text, vector=vector, terms=index_terms(text))
            for (name, text), vector in zip(TEXTS.items(), vectors, strict=True)
        ]
    )
    for record in map(document, TEXTS):
        documents.update(record.id, lambda _, record=record: record)  # type: ignore[misc]  # mypy: no type for a default
    return ActiveChunks(store, documents)


@pytest.fixture(params=in_prove(VECTOR_STORES))
def chunks(request: pytest.FixtureRequest) -> Iterator[ActiveChunks]:
    with VECTOR_STORES[request.param]() as store:
        yield filled(store)


def missed(chunks: ActiveChunks, query: str) -> NearMiss | None:
    found = search_one_index(query, chunks=chunks, embedder=EMBEDDER, top_k=5, threshold=0.9999, language="english")
    assert found == []
    return found.near_miss


def shown(miss: NearMiss | None) -> object:
    assert miss is not None
    places = [(one.document.name, round(one.score, 4), one.lacks) for one in miss.passages]
    return miss.threshold, places, miss.unknown


@pytest.mark.parametrize(
    ("query", "unknown"),
    [
        ("Who is the owner of host web-31?", ("web-31",)),
        ("Is the pump of the attic tested in May?", ("attic",)),
        ("Is the pump tested in rack R16?", ()),
    ],
)
def test_every_store_gives_the_same_near_miss(chunks: ActiveChunks, query: str, unknown: tuple[str, ...]) -> None:
    miss = missed(chunks, query)
    assert shown(miss) == shown(missed(filled(MemoryVectorStore()), query))
    assert miss is not None
    assert miss.unknown == unknown
