"""The RAGEngine contract's ten tests, word for word, with their helpers written out; the real MiniLM embeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragbase import RAGEngine, hash_file_path, load_config
from ragbase.domain.answer import NO_INFORMATION
from ragbase.domain.search_filter import SearchFilter
from ragbase.settings import Config
from ragbase.testing.reranker import MemoryReranker

CreateFile = Callable[[str, str], str]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has a data folder of its own, which `load_config()` finds as a user's would be found."""
    folder = tmp_path / "home"
    monkeypatch.setenv("RAGBASE_HOME", str(folder))
    return folder


@pytest.fixture
def config() -> Config:
    return load_config()


@pytest.fixture
def create_test_file(tmp_path: Path) -> CreateFile:
    def create(name: str, content: str) -> str:
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return str(path)

    return create


def update_file(path: str, content: str) -> None:
    Path(path).write_text(content, encoding="utf-8")


@pytest.fixture
def engines() -> Iterator[list[RAGEngine]]:
    """Engines to close when the test is over."""
    opened: list[RAGEngine] = []
    yield opened
    for engine in opened:
        engine.close()


@pytest.fixture
def engine(config: Config, engines: list[RAGEngine]) -> RAGEngine:
    engines.append(RAGEngine(config))
    return engines[-1]


def chunk_ids_for(engine: RAGEngine, path: str) -> list[str]:
    """The ids of the chunks that search may show for a path."""
    document = engine.find(path)
    assert document is not None and document.active is not None
    return [
        embedded.chunk.id
        for embedded in engine.profile.open_index().vectors().read(document.id, document.active.generation)
    ]


def test_engine_ingest_single_file(engine: RAGEngine, create_test_file: CreateFile) -> None:
    file_path = create_test_file("test.md", "# Title\nContent")

    result = engine.ingest([file_path])

    assert result["ingested_count"] == 1
    assert result["failed_count"] == 0
    assert result["chunk_count"] > 0
    assert result["failed_files"] == []


def test_engine_batch_ingest(engine: RAGEngine, create_test_file: CreateFile) -> None:
    files = [
        create_test_file("doc1.md", "# Doc 1\nContent 1"),
        create_test_file("doc2.md", "# Doc 2\nContent 2"),
        create_test_file("doc3.md", "# Doc 3\nContent 3"),
    ]

    result = engine.ingest(files)

    assert result["ingested_count"] == 3
    assert result["chunk_count"] >= 3


def test_engine_ingest_partial_failure(engine: RAGEngine, create_test_file: CreateFile) -> None:
    files = [
        create_test_file("valid.md", "# Valid\nContent"),
        "/nonexistent/file.md",
        create_test_file("also_valid.md", "# Also Valid\nContent"),
    ]

    result = engine.ingest(files)

    assert result["ingested_count"] == 2
    assert result["failed_count"] == 1
    assert "/nonexistent/file.md" in result["failed_files"]


def test_engine_query_can_be_asked_of_some_documents(engine: RAGEngine, create_test_file: CreateFile) -> None:
    engine.ingest(
        [
            create_test_file("doc.md", "# Python\nPython is great."),
            create_test_file("old.md", "---\ntags: [old]\n---\n# Python\nPython was great."),
        ]
    )

    (result,) = engine.query("What is Python?", within=SearchFilter(tags=frozenset({"OLD"})))

    assert "was great" in result.chunk.content
    assert engine.query("What is Python?", within=SearchFilter(tags=frozenset({"new"}))) == []


def test_engine_query_returns_results(engine: RAGEngine, create_test_file: CreateFile) -> None:
    engine.ingest([create_test_file("doc.md", "# Python\nPython is great.")])

    results = engine.query("What is Python?")

    assert len(results) > 0
    assert all(r.similarity_score >= 0.5 for r in results)
    assert "Python" in results[0].chunk.content


def test_engine_query_respects_constraints(engine: RAGEngine, create_test_file: CreateFile) -> None:
    engine.ingest(
        [
            create_test_file(f"doc{i}.md", f"# Test {i}\nThis is test document {i} for the test query.")
            for i in range(20)
        ]
    )

    results = engine.query("test query")

    assert 0 < len(results) <= 5
    assert all(r.similarity_score >= 0.5 for r in results)


def test_engine_query_keeps_its_promises_with_a_reranker(engine: RAGEngine, create_test_file: CreateFile) -> None:
    engine.ingest(
        [
            create_test_file("ships.md", "Ships. Ships. Ships. All about the green ships."),
            create_test_file("harbour.md", "The green ships of the harbour are old."),
        ]
    )
    before = engine.query("green ships of the harbour")
    assert all("rerank_score" not in result.score_breakdown for result in before)

    engine.profile.__dict__["reranker"] = MemoryReranker()
    results = engine.query("green ships of the harbour")

    assert {result.chunk.content for result in results} == {result.chunk.content for result in before}
    shown = [result.similarity_score for result in results]
    assert shown == sorted(shown, reverse=True) and shown[-1] >= 0.5
    scores = [result.score_breakdown["rerank_score"] for result in results]
    assert scores == sorted(scores, reverse=True) and all(0.0 <= score <= 1.0 for score in scores)


@pytest.mark.slow
def test_engine_query_performance(engine: RAGEngine, create_test_file: CreateFile) -> None:
    import time

    engine.ingest([create_test_file(f"doc{i}.md", f"# Doc {i}\nTest content number {i}.") for i in range(1000)])

    start = time.perf_counter()
    results = engine.query("test query")
    elapsed = time.perf_counter() - start

    assert elapsed < 0.5  # the contract's own bound, some fifty times what it takes
    assert len(results) <= 5


def test_engine_generate_answers_with_citations(tmp_path: Path) -> None:
    with RAGEngine(load_config(home=tmp_path / "home")) as engine:
        file = tmp_path / "doc.md"
        file.write_text("# Python\n\nPython is a programming language. It was made by Guido van Rossum.")
        engine.ingest([file])

        answer = engine.generate("Who made Python?")

        assert "Guido van Rossum" in answer.text
        citations = [citation for sentence in answer.sentences for citation in sentence.citations]
        assert citations
        for citation in citations:
            assert file.read_text()[citation.char_start : citation.char_end] == citation.text
        assert engine.generate("quantum physics equations").text == NO_INFORMATION
        with pytest.raises(ValueError, match="query_text cannot be empty"):
            engine.generate("")
    with pytest.raises(RuntimeError, match="not initialized"):
        engine.generate("Who made Python?")


def test_engine_delete_document(engine: RAGEngine, create_test_file: CreateFile) -> None:
    file_path = create_test_file("doc.md", "# Content\nText")
    engine.ingest([file_path])

    doc_id = hash_file_path(file_path)
    result = engine.delete([doc_id])

    assert result["deleted_count"] == 1
    assert doc_id in result["deleted_ids"]
    assert result["not_found_ids"] == []

    query_results = engine.query("Content")
    assert all(r.chunk.metadata["source_file"] != file_path for r in query_results)
    assert query_results == []


def test_engine_delete_not_found(engine: RAGEngine) -> None:
    result = engine.delete(["nonexistent_id"])

    assert result["deleted_count"] == 0
    assert "nonexistent_id" in result["not_found_ids"]


def test_engine_persistence(create_test_file: CreateFile, engines: list[RAGEngine]) -> None:
    config = load_config()
    engine1 = RAGEngine(config)
    engines.append(engine1)
    file_path = create_test_file("persist_test.md", "# Persistent\nData")
    engine1.ingest([file_path])

    engine2 = RAGEngine(config)
    engines.append(engine2)

    results = engine2.query("Persistent")
    assert len(results) > 0
    assert "Persistent" in results[0].chunk.content


def test_engine_reingest_updates(engine: RAGEngine, create_test_file: CreateFile) -> None:
    file_path = create_test_file("doc.md", "# Original\nOriginal content")
    engine.ingest([file_path])

    update_file(file_path, "# Updated\nUpdated content")
    engine.ingest([file_path])

    results = engine.query("Updated")
    assert len(results) > 0
    assert "Updated" in results[0].chunk.content

    all_results = engine.query("content")
    source_files = [r.chunk.metadata["source_file"] for r in all_results]
    assert source_files.count(file_path) == len(set(chunk_ids_for(engine, file_path)))
    assert not any("Original" in r.chunk.content for r in all_results)


# What the contract says in addition to its tests


def test_empty_lists_are_refused(engine: RAGEngine) -> None:
    with pytest.raises(ValueError, match="file_paths cannot be empty"):
        engine.ingest([])
    with pytest.raises(ValueError, match="document_ids cannot be empty"):
        engine.delete([])


@pytest.mark.parametrize("text", ["", "  ", "ab"])
def test_short_questions_are_refused(engine: RAGEngine, text: str) -> None:
    with pytest.raises(ValueError, match="query_text"):
        engine.query(text)


def test_a_closed_engine_says_so(engine: RAGEngine) -> None:
    engine.close()
    with pytest.raises(RuntimeError, match="not initialized"):
        engine.query("anything")


def test_delete_takes_paths_as_well_as_ids(engine: RAGEngine, create_test_file: CreateFile) -> None:
    file_path = create_test_file("doc.md", "# Content\nText")
    engine.ingest([file_path])

    result = engine.delete([file_path, "/nonexistent/file.md"])

    assert (result["deleted_ids"], result["not_found_ids"]) == ([file_path], ["/nonexistent/file.md"])
    assert engine.delete([file_path])["not_found_ids"] == [file_path]


def test_an_unchanged_file_costs_nothing(engine: RAGEngine, create_test_file: CreateFile) -> None:
    file_path = create_test_file("doc.md", "# Content\nText")
    first = engine.ingest([file_path])
    document = engine.find(file_path)

    second = engine.ingest([file_path])

    assert second["unchanged_count"] == 1
    assert {**second, "unchanged_count": 0} == first
    assert engine.find(file_path) == document
