"""What an ingest promises while others use the same data folder."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest

from ragbase import RAGEngine, load_config
from ragbase.adapters.text_process import TextProcess
from ragbase.bootstrap.embedded import EmbeddedProfile
from ragbase.domain.document import Status


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[RAGEngine]:
    with RAGEngine(load_config(home=tmp_path / "home", embedder="hashing")) as engine:
        yield engine


@pytest.mark.parametrize("theirs", ["The sails are white.", "Somebody else's text."])
def test_a_file_that_somebody_uploads_meanwhile_ends_as_it_is_here(
    engine: RAGEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, theirs: str
) -> None:
    file = tmp_path / "a.md"
    file.write_text("The sails are white.", encoding="utf-8")

    def upload_meanwhile(profile: EmbeddedProfile, names: Sequence[str]) -> None:
        (name,) = names
        profile.bucket.put(name, theirs.encode())

    monkeypatch.setattr(EmbeddedProfile, "expect", upload_meanwhile)
    result = engine.ingest([str(file)])
    assert (result["ingested_count"], result["chunk_count"], result["errors"]) == (1, 1, {})
    document = engine.find(str(file))
    assert document is not None
    assert document.status is Status.COMPLETED
    assert engine.profile.open_index().vectors().held([document.id]) == {document.id: {document.generation: 1}}
    assert [result.chunk.content for result in engine.query("sails")] == ["The sails are white."]


@pytest.mark.parametrize(
    ("names", "readable"),
    [(["a.md", "b.csv", "c.unknown"], 3), (["a.pdf", "b.pdf"], 0)],
)
def test_the_text_process_expects_what_it_can_read(
    engine: RAGEngine, monkeypatch: pytest.MonkeyPatch, names: list[str], readable: int
) -> None:
    expected: list[int] = []
    monkeypatch.setattr(TextProcess, "expect", lambda _, files: expected.append(files))
    monkeypatch.setattr("ragbase.bootstrap.embedded.processors", lambda: 2)
    engine.profile.expect(names)
    assert expected == [readable]


@pytest.mark.parametrize(("embedder", "cores"), [("minilm", 2), ("cohere", 2), ("hashing", 1)])
def test_files_are_cut_here_where_another_process_wins_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, embedder: str, cores: int
) -> None:
    monkeypatch.setattr("ragbase.bootstrap.embedded.processors", lambda: cores)
    with RAGEngine(load_config(home=tmp_path, embedder=embedder, cohere_api_key="key")) as engine:
        assert engine.profile.cut_in_text_process is None


def test_a_file_that_others_replace_all_the_time_is_not_waited_for(
    engine: RAGEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_text("The sails are white.", encoding="utf-8")
    monkeypatch.setattr("ragbase.engine.ingest.PATIENCE", timedelta(0))
    bucket, ended = engine.profile.bucket, threading.Event()

    def replace_all_the_time() -> None:
        for number in itertools.count():
            if ended.is_set():
                return
            if bucket.stat("a.md") is not None:
                bucket.put("a.md", f"Version {number} of the sails.".encode())

    others = threading.Thread(target=replace_all_the_time)
    others.start()
    results: list[dict[str, object]] = []
    ingesting = threading.Thread(target=lambda: results.append(engine.ingest([str(tmp_path / "a.md")])), daemon=True)
    ingesting.start()
    ingesting.join(60)
    is_over = not ingesting.is_alive()
    ended.set()
    others.join()
    assert is_over
    assert len(results) == 1
