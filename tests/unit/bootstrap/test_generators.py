"""Which generator and which language model the settings name, and what they say is missing."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from ragbase.bootstrap.open_profile import open_profile
from ragbase.bootstrap.profile import Profile
from ragbase.config import load_config
from ragbase.domain.errors import ConfigurationError
from ragbase.settings import COHERE_CHAT_MODEL
from tests.unit.adapters.chat_service import KEY, serving
from tests.unit.adapters.chat_services import TEXT, WORKING

MODEL = {"RAGBASE_CHAT_MODEL": "model"}
OPENAI = {"RAGBASE_GENERATOR": "openai", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": KEY}
ANTHROPIC = {"RAGBASE_GENERATOR": "anthropic", "ANTHROPIC_API_KEY": KEY}
VERTEX = {
    "RAGBASE_GENERATOR": "vertex",
    "GOOGLE_CLOUD_PROJECT": "project",
    "RAGBASE_VERTEX_LOCATION": "europe-west1",
}
COHERE = {"RAGBASE_GENERATOR": "cohere", "CO_API_KEY": KEY}


def profile(home: Path, environment: Mapping[str, str]) -> closing[Profile]:
    config = load_config(home=home, environment={"RAGBASE_EMBEDDER": "hashing", **environment})
    return closing(open_profile(config))


@pytest.mark.parametrize(
    ("environment", "model"),
    [
        ({**OPENAI, **MODEL}, "model"),
        ({**ANTHROPIC, **MODEL}, "model"),
        ({**VERTEX, **MODEL}, "google/model"),
        ({**VERTEX, "RAGBASE_CHAT_MODEL": "meta/llama"}, "meta/llama"),
        (COHERE, COHERE_CHAT_MODEL),
        ({**COHERE, **MODEL}, "model"),
    ],
)
def test_the_generator_writes_with_the_model_of_the_settings(
    tmp_path: Path, environment: Mapping[str, str], model: str
) -> None:
    with profile(tmp_path, environment) as opened:
        assert opened.chat_model is not None
        assert opened.generator.model == opened.chat_model.model == model


def test_sentences_of_documents_need_no_model(tmp_path: Path) -> None:
    with profile(tmp_path, MODEL) as opened:
        assert opened.chat_model is None
        assert opened.generator.model != "model"


@pytest.mark.parametrize(
    ("environment", "named"),
    [
        (OPENAI, "RAGBASE_CHAT_MODEL"),
        (ANTHROPIC, "RAGBASE_CHAT_MODEL"),
        (VERTEX, "RAGBASE_CHAT_MODEL"),
        ({**OPENAI, **MODEL, "OPENAI_API_KEY": ""}, "OPENAI_API_KEY"),
        ({**OPENAI, **MODEL, "OPENAI_BASE_URL": ""}, "OPENAI_BASE_URL"),
        ({**OPENAI, **MODEL, "OPENAI_BASE_URL": "localhost:8000"}, "OPENAI_BASE_URL"),
        ({**OPENAI, **MODEL, "RAGBASE_CHAT_URL": "http://127.0.0.1:9/v1"}, "RAGBASE_CHAT_API_KEY"),
        ({**OPENAI, **MODEL, "RAGBASE_CHAT_URL": "127.0.0.1", "RAGBASE_CHAT_API_KEY": KEY}, "RAGBASE_CHAT_URL"),
        ({**ANTHROPIC, **MODEL, "ANTHROPIC_API_KEY": " "}, "ANTHROPIC_API_KEY"),
        ({**ANTHROPIC, **MODEL, "ANTHROPIC_BASE_URL": "ftp://host"}, "ANTHROPIC_BASE_URL"),
        ({**VERTEX, **MODEL, "GOOGLE_CLOUD_PROJECT": ""}, "GOOGLE_CLOUD_PROJECT"),
        ({**VERTEX, **MODEL, "RAGBASE_VERTEX_LOCATION": ""}, "RAGBASE_VERTEX_LOCATION"),
    ],
)
def test_a_missing_or_wrong_setting_is_named_before_a_call(
    tmp_path: Path, environment: Mapping[str, str], named: str
) -> None:
    with profile(tmp_path, environment) as opened, pytest.raises(ConfigurationError, match=named):
        opened.generator  # noqa: B018 - it is made


def test_two_endpoints_have_a_key_each(tmp_path: Path) -> None:
    """The key of one service is never sent to the other."""
    with serving(WORKING["OpenAI"][1]) as server:
        own = {"RAGBASE_CHAT_URL": f"{server.url}/v1", "RAGBASE_CHAT_API_KEY": "another-key"}
        with profile(tmp_path, {**OPENAI, **MODEL, **own}) as opened:
            assert opened.chat_model is not None
            parts = [*opened.chat_model.write("Answer.", "Who?", most_tokens=10)]
    assert "".join(part for part in parts if isinstance(part, str)) == TEXT
    assert [headers["authorization"] for headers in server.headers] == ["Bearer another-key"]


def test_the_tokens_of_an_answer_are_limited_by_the_setting(tmp_path: Path) -> None:
    from ragbase.testing.passages import passage

    with serving(WORKING["OpenAI"][1]) as server:
        environment = {**OPENAI, **MODEL, "OPENAI_BASE_URL": f"{server.url}/v1", "RAGBASE_ANSWER_TOKENS": "77"}
        with profile(tmp_path, environment) as opened:
            list(opened.generator.generate("Who?", [passage(1, "The keeper counts the ships.")]))
    assert [request["max_tokens"] for request in server.requests] == [77]
