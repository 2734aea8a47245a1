"""`ragbase doctor` asks the language model of the settings for a word."""

from __future__ import annotations

import pytest

from ragbase.config import load_config
from ragbase.domain.errors import ConfigurationError
from ragbase.engine.check_generator import try_chat_model
from ragbase.settings import Config
from tests.unit.adapters.chat_service import KEY, Server, serving
from tests.unit.adapters.chat_services import WORKING, said


def config_of(server: Server) -> Config:
    environment = {
        "RAGBASE_GENERATOR": "openai",
        "RAGBASE_CHAT_MODEL": "model",
        "OPENAI_BASE_URL": f"{server.url}/v1",
        "OPENAI_API_KEY": KEY,
    }
    return load_config(environment=environment)


def test_a_model_that_writes_is_well_and_was_asked_once() -> None:
    with serving(WORKING["OpenAI"][1]) as server:
        assert try_chat_model(config_of(server)) == "model writes; 107 tokens for a word"
    assert len(server.requests) == 1


def test_a_wrong_model_is_named() -> None:
    with (
        serving(lambda _: said("The model `model` does not exist", 404, code="model_not_found")) as server,
        pytest.raises(ConfigurationError, match="RAGBASE_CHAT_MODEL"),
    ):
        try_chat_model(config_of(server))


def test_without_a_model_none_is_asked() -> None:
    assert try_chat_model(load_config(environment={})) == "no language model"
