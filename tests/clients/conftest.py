"""One server for all tests of this folder that only ask."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.clients.asked_server import AskedServer, asked_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AskedServer]:
    with asked_server(tmp_path_factory.mktemp("server")) as server:
        yield server
