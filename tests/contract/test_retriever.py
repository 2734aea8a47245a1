"""The Retriever contract's ten tests, word for word, with their helpers written out; the real MiniLM embeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragbase import RAGEngine, RetrievalResult, Retriever, load_config
from ragbase.retrieval.active_chunks import ActiveChunks

IngestDocument = Callable[[str, str], None]


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RAGEngine]:
    """An engine whose working folder is empty, so that a document may be named `doc.md` as in the contract."""
    monkeypatch.chdir(tmp_path)
    with RAGEngine(load_config(home=tmp_path / "home")) as engine:
        yield engine


@pytest.fixture
def retriever(engine: RAGEngine) -> Retriever:
    return Retriever(
        engine.profile.embedder, ActiveChunks(engine.profile.open_index().vectors(), engine.profile.documents)
    )


@pytest.fixture
def ingest_document(engine: RAGEngine) -> IngestDocument:
    def ingest(name: str, content: str) -> None:
        Path(name).write_text(content, encoding="utf-8")
        result = engine.ingest([name])
        assert result["failed_files"] == []

    return ingest


@pytest.fixture
def ingest_documents(engine: RAGEngine) -> Callable[[int], None]:
    def ingest(count: int) -> None:
        names = [f"doc{number}.md" for number in range(count)]
        for number, name in enumerate(names):
            Path(name).write_text(f"# Query {number}\nA specific query of test number {number}.", encoding="utf-8")
        engine.ingest(names)

    return ingest


def test_search_returns_relevant_results(retriever: Retriever, ingest_document: IngestDocument) -> None:
    ingest_document("doc1.md", "# Python\nPython is a programming language.")

    results = retriever.search("What is Python?", top_k=5)

    assert len(results) > 0
    assert all(isinstance(r, RetrievalResult) for r in results)
    assert all(r.similarity_score >= 0.5 for r in results)
    assert results[0].chunk.content


def test_search_results_sorted_by_score(retriever: Retriever, ingest_documents: Callable[[int], None]) -> None:
    ingest_documents(10)

    results = retriever.search("query", top_k=5)

    scores = [r.similarity_score for r in results]
    assert scores
    assert scores == sorted(scores, reverse=True)


def test_search_filters_by_threshold(retriever: Retriever, ingest_documents: Callable[[int], None]) -> None:
    ingest_documents(10)

    results = retriever.search("specific query", similarity_threshold=0.5)

    assert results
    assert all(r.similarity_score >= 0.5 for r in results)


def test_search_respects_top_k_limit(retriever: Retriever, ingest_documents: Callable[[int], None]) -> None:
    ingest_documents(100)

    results = retriever.search("query", top_k=5)

    assert 0 < len(results) <= 5


def test_search_returns_empty_when_no_matches(retriever: Retriever, ingest_document: IngestDocument) -> None:
    ingest_document("python_doc.md", "Python programming content")

    results = retriever.search("quantum physics equations", similarity_threshold=0.5)

    assert results == []


def test_search_results_include_metadata(retriever: Retriever, ingest_document: IngestDocument) -> None:
    ingest_document("doc.md", "# Section\nContent here")

    results = retriever.search("content", top_k=5)

    assert len(results) > 0
    result = results[0]
    assert result.chunk.metadata["source_file"] == "doc.md"
    assert result.chunk.metadata["header_path"]
    assert result.rank >= 1
    assert 0.0 <= result.similarity_score <= 1.0


def test_search_rejects_empty_query(retriever: Retriever) -> None:
    with pytest.raises(ValueError, match="query_text cannot be empty"):
        retriever.search("")


def test_search_fails_when_not_initialized() -> None:
    retriever = Retriever(embedder=None, vector_store=None)

    with pytest.raises(RuntimeError, match="not initialized"):
        retriever.search("query")


def test_search_uses_hybrid_retrieval(engine: RAGEngine, ingest_document: IngestDocument) -> None:
    retriever = engine.retriever
    ingest_document("doc.md", "# FastAPI\nFastAPI is a web framework.")

    results = retriever.search("FastAPI", top_k=5)

    assert len(results) > 0
    result = results[0]
    assert "dense_score" in result.score_breakdown
    assert "sparse_score" in result.score_breakdown
    assert "combined_score" in result.score_breakdown
    assert all(0 <= score <= 1 for score in result.score_breakdown.values())


@pytest.mark.slow
def test_search_meets_performance_requirement(retriever: Retriever, ingest_documents: Callable[[int], None]) -> None:
    import time

    ingest_documents(1000)

    start = time.perf_counter()
    results = retriever.search("test query", top_k=5)
    elapsed = time.perf_counter() - start

    assert elapsed < 0.5  # the contract's own bound
    assert len(results) <= 5


# What the contract says in addition to its tests


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"top_k": 0}, "top_k"),
        ({"similarity_threshold": -0.1}, "similarity_threshold"),
        ({"similarity_threshold": 1.1}, "similarity_threshold"),
    ],
)
def test_parameters_out_of_bounds_are_refused(retriever: Retriever, arguments: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        retriever.search("a question", **arguments)  # type: ignore[arg-type]  # the wrong values are the point
