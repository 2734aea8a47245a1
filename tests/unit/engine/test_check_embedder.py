"""No document before its embedder: what is missing or wrong is said before any document is taken."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ragbase import RAGEngine, load_config
from ragbase.bootstrap.open_profile import open_profile
from ragbase.domain.chunk_size import ChunkUnit
from ragbase.domain.errors import ConfigurationError, MissingExtra, PermanentError
from ragbase.engine.check_embedder import check_embedder, try_embedder
from ragbase.engine.sync import sync_source
from ragbase.settings import Config
from tests.unit.adapters.embedding_services import (
    AWAY,
    DIMENSION,
    KEY,
    WORKING,
    WRONG,
    Answer,
    StandIn,
    embedded,
    said,
    serving,
)

TEXT = "Leave is twenty-five days a year, to be agreed with the team before it begins."


@pytest.fixture
def service() -> Iterator[StandIn]:
    with serving(embedded) as stand_in:
        yield stand_in


@pytest.fixture
def config(service: StandIn, tmp_path: Path) -> Callable[..., Config]:
    """The settings for the service."""
    variables = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": service.url, "CO_API_KEY": KEY, "CO_API_URL": service.url}

    def given(**settings: Any) -> Config:
        chosen = {"embedder": "openai", "embedding_model": "model", "embedding_dimension": DIMENSION, **settings}
        return load_config(home=tmp_path / "home", environment=variables, **chosen)

    return given


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    for name in ("a.md", "b.md"):
        (folder / name).write_text(TEXT, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("embedder", "module"), [("openai", "httpx2"), ("cohere", "cohere"), ("minilm", "onnxruntime")]
)
def test_a_missing_package_is_named_and_nothing_is_taken(
    config: Callable[..., Config], folder: Path, monkeypatch: pytest.MonkeyPatch, embedder: str, module: str
) -> None:
    with monkeypatch.context() as without, RAGEngine(config(embedder=embedder)) as engine:
        without.setitem(sys.modules, module, None)
        with pytest.raises(MissingExtra, match=rf"{module} is not installed\..*Install it with: .*pip install"):
            engine.ingest([str(path) for path in folder.iterdir()])
        assert engine.profile.documents.count() == 0
        assert not list(engine.profile.bucket.list())


@pytest.mark.slow
def test_a_sync_says_it_before_the_first_document_and_asks_nothing_if_nothing_changed(
    config: Callable[..., Config], service: StandIn, folder: Path
) -> None:
    with closing(open_profile(config())) as profile:
        service.answer = WRONG["LM Studio, the model"][1]
        with pytest.raises(ConfigurationError, match="No models loaded"):
            list(sync_source(str(folder), profile))
        assert (profile.documents.count(), list(profile.bucket.list()), len(service.calls)) == (0, [], 1)
        service.answer = embedded
        assert [synced.error for synced in sync_source(str(folder), profile)] == [None, None]
    calls = len(service.calls)
    with closing(open_profile(config())) as profile:
        list(sync_source(str(folder), profile))
    assert len(service.calls) == calls


@pytest.mark.slow
def test_unchanged_files_cost_no_call(config: Callable[..., Config], service: StandIn, folder: Path) -> None:
    paths = [str(path) for path in folder.iterdir()]
    with RAGEngine(config()) as engine:
        engine.ingest(paths)
    calls = len(service.calls)
    with RAGEngine(config()) as engine:
        assert engine.ingest(paths)["unchanged_count"] == 2
    assert len(service.calls) == calls


def test_a_service_that_is_away_is_no_reason_to_stop(config: Callable[..., Config], service: StandIn) -> None:
    service.answer = AWAY["llama.cpp, it loads"][1]
    with closing(open_profile(config())) as profile:
        check_embedder(profile.embedder)
    assert len(service.calls) == 1


def test_the_doctor_tries_a_full_call_and_shows_the_limit(config: Callable[..., Config], service: StandIn) -> None:
    assert try_embedder(config()) == "model-16, 16 dimensions; 96 texts a call; passages of 1,000 characters"
    assert sorted(map(len, service.calls)) == [1, 1, 96]
    service.answer = WORKING["text-embeddings-inference"][1]
    assert "32 texts a call, not 96 (RAGBASE_EMBEDDING_BATCH_SIZE=32 saves" in try_embedder(config())
    service.calls.clear()
    assert "; 32 texts a call; " in try_embedder(config(embedding_batch_size=32))
    assert sorted(map(len, service.calls)) == [1, 1, 32]


@pytest.mark.parametrize(("unit", "size"), [(ChunkUnit.CHARACTERS, 3_000), (ChunkUnit.TOKENS, 600)])
def test_the_doctor_tries_one_of_the_longest_passages(
    config: Callable[..., Config], service: StandIn, unit: ChunkUnit, size: int
) -> None:
    def answer(texts: list[str]) -> Answer:
        too_long = [text for text in texts if len(text.split()) > 512]
        return (400, said("the input length exceeds the context length")) if too_long else embedded(texts)

    service.answer = answer
    with pytest.raises(PermanentError, match=r"exceeds the context length\. Make passages shorter"):
        try_embedder(config(chunk_unit=unit, chunk_size=size))
    assert "passages of 500" in try_embedder(config(chunk_unit=unit, chunk_size=500))


def test_the_doctor_writes_nothing(config: Callable[..., Config], tmp_path: Path) -> None:
    """A rate is kept in a book, which is in the data folder."""
    try_embedder(config(openai_rate=2_000))
    assert not (tmp_path / "home").exists()
