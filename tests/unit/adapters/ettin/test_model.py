"""How Ettin comes to this machine. What the hub has here is a small model of the same shape."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from ragbase.adapters.ettin import model as ettin
from ragbase.bootstrap.local_models import local_reranker
from ragbase.domain.errors import ConfigurationError
from tests.model_hub import hub_with
from tests.small_cross_encoder import small_cross_encoder

QUESTION, TEXTS = "who counts the ships", ["bread is baked at four", "the keeper counts the ships"]
REVISION = f"{ettin.REPOSITORY}/resolve/{ettin.REVISION}"


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mapping[str, bytes]:
    made = small_cross_encoder(tmp_path / "made", [QUESTION, *TEXTS], ends_in="states")
    files = {name: (made / name).read_bytes() for name in ettin.OFFICIAL}
    official = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    monkeypatch.setattr(ettin, "OFFICIAL", official)
    monkeypatch.setattr(ettin, "ETTIN", replace(ettin.ETTIN, files=official))
    return files


def test_it_is_downloaded_once(published: Mapping[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with hub_with(REVISION, published) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub)
        local_reranker("", tmp_path / "models", timeout=60)
    reranker = local_reranker("", tmp_path / "models", timeout=60)  # the hub is gone
    assert reranker.model == "ettin-reranker-17m-v1"
    scores = reranker.rerank(QUESTION, TEXTS).scores
    assert scores[1] > scores[0]


def test_another_file_is_refused(
    published: Mapping[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hub_with(REVISION, {**published, "tokenizer.json": b"{}"}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub)
        with pytest.raises(ConfigurationError, match=r"model that reranks.*its tokenizer\.json has sha256"):
            local_reranker("", tmp_path / "models", timeout=60)
    assert not list((tmp_path / "models").rglob("*.json"))


def test_without_a_hub_one_line_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(ConfigurationError) as raised:
        local_reranker("", tmp_path / "models", timeout=60)
    (line,) = str(raised.value).splitlines()
    assert line.startswith(
        "The model that reranks is not on this machine yet, and could not be downloaded from the model"
    )
    assert "reranker_folder" in line


def test_a_damaged_file_is_named(
    published: Mapping[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hub_with(REVISION, published) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub)
        local_reranker("", tmp_path / "models", timeout=60)
    (head,) = (tmp_path / "models").rglob("4_Dense/model.safetensors")
    head.write_bytes(head.read_bytes()[:-1] + b"x")
    with pytest.raises(ConfigurationError, match=r"4_Dense/model\.safetensors is damaged"):
        local_reranker("", tmp_path / "models", timeout=60)
