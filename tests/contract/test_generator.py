"""What every generator does: sentences with draft citations of the passages that they are from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager

import pytest

from ragbase.adapters.cohere.generator import CohereGenerator
from ragbase.adapters.extractive.generator import ExtractiveGenerator
from ragbase.adapters.hashing.embedder import HashingEmbedder
from ragbase.ports import Generator
from ragbase.testing.contracts.generator import GeneratorContract
from scripts.local_cloud.cohere_server import cohere_server


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


GENERATORS: Mapping[str, Callable[[], AbstractContextManager[Generator]]] = {
    "cohere": cohere,
    "extractive": extractive,
    "extractive by words": by_words,
}


@pytest.fixture(params=GENERATORS)
def generator(request: pytest.FixtureRequest) -> Iterator[Generator]:
    with GENERATORS[request.param]() as generator:
        yield generator


class TestGenerators(GeneratorContract):
    """Each of ours."""
