"""In every vector store, a question without accents finds the words with them, with the same scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from ragbase.adapters.hashing.embedder import HashingEmbedder
from ragbase.domain.identity import document_id
from ragbase.ports import VectorStore
from ragbase.retrieval.active_chunks import ActiveChunks
from ragbase.retrieval.search_one_index import search_one_index
from ragbase.retrieval.search_result import SearchResult
from ragbase.testing.chunks import DIMENSION, embedded
from ragbase.testing.document_store import MemoryDocumentStore
from ragbase.testing.passages import document
from ragbase.testing.vector_store import MemoryVectorStore
from tests.contract.real_servers import in_prove
from tests.contract.vector_stores import VECTOR_STORES

TEXTS = {
    "capital.md": "hà nội là thủ đô của việt nam",
    "soil.md": "đất ở nam bộ là phù sa",
    "ghost.md": "con ma trong truyện cổ",
    "mother.md": "má của lan ở chợ",
    "cafe.md": "le café ouvre à midi",
    "menu.md": "cafe menu of the week",
}


class Narrow(HashingEmbedder):
    """As many dimensions as the stores of the contract have."""

    def __init__(self) -> None:
        super().__init__(dimension=DIMENSION)


def filled(store: VectorStore) -> ActiveChunks:
    documents = MemoryDocumentStore()
    vectors = Narrow().embed_documents(list(TEXTS.values())).vectors
    store.write(
        [
            embedded(document_id("bucket", name), text=text, vector=vector)
            for (name, text), vector in zip(TEXTS.items(), vectors, strict=True)
        ]
    )
    for record in map(document, TEXTS):
        documents.update(record.id, lambda _, record=record: record)  # type: ignore[misc]  # mypy: no type for a default
    return ActiveChunks(store, documents)


def search(chunks: ActiveChunks, query: str) -> list[SearchResult]:
    return search_one_index(query, chunks=chunks, embedder=Narrow(), top_k=9, threshold=0.0, language="none")


def shown(results: Sequence[SearchResult]) -> list[tuple[str, float, float]]:
    return [(one.document.name, round(one.confidence, 4), round(one.breakdown.sparse_score, 4)) for one in results]


@pytest.fixture(params=in_prove(VECTOR_STORES))
def chunks(request: pytest.FixtureRequest) -> Iterator[ActiveChunks]:
    with VECTOR_STORES[request.param]() as store:
        yield filled(store)


def with_words(results: Sequence[SearchResult]) -> set[str]:
    return {one.document.name for one in results if one.breakdown.sparse_score > 0}


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("thu do viet nam", {"capital.md", "soil.md"}),
        ("THU DO", {"capital.md"}),
        ("dat phu sa", {"soil.md"}),
        ("ma", {"ghost.md", "mother.md"}),
        ("má", {"mother.md"}),
        ("cafe", {"cafe.md", "menu.md"}),
        ("café", {"cafe.md"}),
        ("thủ đô viet", {"capital.md"}),
    ],
)
def test_a_word_without_marks_stands_for_those_with_them(chunks: ActiveChunks, query: str, names: set[str]) -> None:
    results = search(chunks, query)
    assert with_words(results) == names
    assert shown(results) == shown(search(filled(MemoryVectorStore()), query))
