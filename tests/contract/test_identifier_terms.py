"""In every vector store, a question that names one thing finds the passage that has it, and not one with a neighbour.

Stores get terms with any sign in them, as they are (text/terms.py).
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ragbase.domain.identity import document_id
from ragbase.ports import VectorStore
from ragbase.retrieval.active_chunks import ActiveChunks
from ragbase.retrieval.search_one_index import search_one_index
from ragbase.testing.chunks import embedded
from ragbase.testing.document_store import MemoryDocumentStore
from ragbase.testing.passages import document
from ragbase.testing.vector_store import MemoryVectorStore
from ragbase.text.terms import index_terms
from tests.contract.real_servers import in_prove
from tests.contract.test_marked_words import Narrow
from tests.contract.vector_stores import VECTOR_STORES

NAMED = (
    *("web-17", "web-16", "сервер-17", "Größe-2"),
    *("OPS-1403", "AB-1234/5", "AB-1234/6", "INV/2024/0031", "INV/2024/0032", "0x80070005", "E0382", "E0383"),
    *("version 2.0.0", "version 2.0.1", "version 12.0", "version 3.0.0-rc1", "1.2.3+build"),
    *("2027-03-01", "2027-03-02", "01.03.2028", "10.0.0.1", "10.0.0.11", "10.8.0.0/24", "2001:db8::ff00:42"),
    *("§ 12", "§ 12a", "№ 5", "ana.lind@example.com", "ana.lindt@example.com", "db-3.example.com", "db-4.example.com"),
    *("/etc/ssh/sshd_config", "/etc/ssh/ssh_config", "C:\\Temp\\x.dll", "report.final.pdf", "final.report.pdf"),
    *("город", "桥梁", "C++"),
)
WAYS = ("{}", "What is noted about {}?", "Кто отвечал за {}?", "{}的负责人是谁？")
ASKED = {"version 2.0.0": "v2.0", "город": "города", "C:\\Temp\\x.dll": "c:/temp/x.dll", "№ 5": "№5"}


def filled(store: VectorStore) -> ActiveChunks:
    texts = [f"Somebody looked after {one} and wrote it down" for one in NAMED]
    documents = MemoryDocumentStore()
    vectors = Narrow().embed_documents(texts).vectors
    names = [f"{number}.md" for number in range(len(texts))]
    store.write(
        [
            embedded(document_id("bucket", name), text=text, terms=index_terms(text), vector=vector)
            for name, text, vector in zip(names, texts, vectors, strict=True)
        ]
    )
    for record in map(document, names):
        documents.update(record.id, lambda _, record=record: record)  # type: ignore[misc]  # mypy: no type for a default
    return ActiveChunks(store, documents)


@pytest.fixture(scope="module", params=in_prove(VECTOR_STORES))
def chunks(request: pytest.FixtureRequest) -> Iterator[ActiveChunks]:
    with VECTOR_STORES[request.param]() as store:
        yield filled(store)


@pytest.fixture(scope="module")
def memory() -> ActiveChunks:
    return filled(MemoryVectorStore())


def found(chunks: ActiveChunks, question: str) -> list[tuple[str, float, float]]:
    results = search_one_index(question, chunks=chunks, embedder=Narrow(), top_k=9, threshold=0.0, language="english")
    return [
        (one.chunk.text, round(one.confidence, 4), round(one.breakdown.sparse_score, 4))
        for one in results
        if one.breakdown.sparse_score > 0
    ]


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_the_passage_that_has_it_comes_first_with_the_same_scores_in_every_store(
    chunks: ActiveChunks, memory: ActiveChunks, way: str
) -> None:
    asked = {one: found(chunks, way.format(ASKED.get(one, one))) for one in NAMED}
    assert [one for one, results in asked.items() if not results or f"after {one} and" not in results[0][0]] == []
    assert asked == {one: found(memory, way.format(ASKED.get(one, one))) for one in NAMED}
