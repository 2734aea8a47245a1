"""A function whose embedder cannot work does not start: the deployment fails, and no document does."""

from __future__ import annotations

import sys
from collections.abc import Mapping

import pytest

from ragbase.interfaces.http.start import start

SETTINGS = {
    "RAGBASE_PROFILE": "gcp",
    "RAGBASE_BUCKET": "uploads",
    "GOOGLE_CLOUD_PROJECT": "project",
    "RAGBASE_VECTOR_STORE": "qdrant",
    "QDRANT_URL": "http://127.0.0.1:9",
    "RAGBASE_START_WAIT": "0",
    "CO_API_KEY": "key",
}


@pytest.fixture(autouse=True)
def _own_log(monkeypatch: pytest.MonkeyPatch) -> None:
    """The log is that of the whole process."""
    monkeypatch.setattr("ragbase.telemetry.configure", lambda *_: None)


@pytest.mark.parametrize(
    ("changed", "missing", "words"),
    [
        ({}, "cohere", "need the module cohere, which is not installed"),
        (
            {"RAGBASE_EMBEDDER": "openai", "OPENAI_API_KEY": "key", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1"},
            "httpx2",
            "need the module httpx2, which is not installed",
        ),
        ({"CO_API_KEY": ""}, "nothing", "CO_API_KEY holds no API key"),
        (
            {"RAGBASE_EMBEDDER": "openai", "OPENAI_API_KEY": "key", "OPENAI_BASE_URL": "host"},
            "nothing",
            "OPENAI_BASE_URL",
        ),
    ],
)
def test_a_lane_names_what_is_missing_or_wrong_also_if_its_store_is_away(
    monkeypatch: pytest.MonkeyPatch, changed: Mapping[str, str], missing: str, words: str
) -> None:
    for name, value in {**SETTINGS, **changed}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(SystemExit, match=words):
        start(index="filled")


@pytest.mark.slow
def test_a_lane_asks_its_service_nothing_when_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each start of an instance would be paid for. What the service says of a document's texts is soon enough."""
    for name, value in {**SETTINGS, "CO_API_URL": "http://127.0.0.1:9"}.items():
        monkeypatch.setenv(name, value)
    before = set(sys.modules)
    assert start(index="filled").embedder.dimension == 1024
    assert "cohere.client" not in set(sys.modules) - before
