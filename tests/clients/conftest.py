"""What the tests of this folder share: a server that they ask, and the TypeScript client."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.typescript_package import build
from tests.clients.asked_server import AskedServer, asked_server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AskedServer]:
    """For programs that only ask."""
    with asked_server(tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AskedServer]:
    """For programs that change something, with the default model."""
    with asked_server(tmp_path_factory.mktemp("server"), embedder="e5") as server:
        yield server


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The TypeScript client, built in a folder of its own."""
    folder = tmp_path_factory.mktemp("typescript") / "client"
    build(folder)
    return folder
