"""What every generator does: sentences with draft citations of the passages that they are from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager

import pytest

from ragbase.adapters.chat.generator import ChatGenerator
from ragbase.adapters.cohere.generator import CohereGenerator
from ragbase.adapters.extractive.generator import ExtractiveGenerator
from ragbase.adapters.hashing.embedder import HashingEmbedder
from ragbase.adapters.openai.chat_model import OpenAIChatModel
from ragbase.ports import Generator
from ragbase.testing.contracts.generator import GeneratorContract
from tests.doubles.cohere_server import cohere_server
from tests.unit.adapters.chat_service import KEY, serving
from tests.unit.adapters.chat_services import completing
from tests.unit.adapters.chat_writer import quoting


@contextmanager
def cohere() -> Iterator[Generator]:
    with cohere_server() as server, closing(CohereGenerator("key", model="command-a-03-2025", url=server.url)) as made:
        yield made


@contextmanager
def extractive() -> Iterator[Generator]:
    yield ExtractiveGenerator("english", HashingEmbedder())


@contextmanager
def by_words() -> Iterator[Generator]:
    yield ExtractiveGenerator("english")


@contextmanager
def openai() -> Iterator[Generator]:
    with (
        serving(completing(quoting)) as server,
        closing(OpenAIChatModel(f"{server.url}/v1", KEY, "model", timeout=30)) as model,
    ):
        yield ChatGenerator(model, most_tokens=1000)


GENERATORS: Mapping[str, Callable[[], AbstractContextManager[Generator]]] = {
    "cohere": cohere,
    "extractive": extractive,
    "openai": openai,
    "extractive by words": by_words,
}


@pytest.fixture(params=GENERATORS)
def generator(request: pytest.FixtureRequest) -> Iterator[Generator]:
    with GENERATORS[request.param]() as generator:
        yield generator


class TestGenerators(GeneratorContract):
    """Each of ours."""
