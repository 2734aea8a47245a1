"""What every source promises (ragbase.ports.DocumentSource)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ragbase.testing.contracts.source import SourceContract, SourceUnderTest, given
from tests.contract.real_servers import in_test
from tests.contract.source_worlds import SOURCES


@pytest.fixture(params=in_test(SOURCES), scope="module")
def kind(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SourceUnderTest]:
    with SOURCES[request.param](tmp_path_factory.mktemp("source")) as tested:
        yield tested


@pytest.fixture
def tested(kind: SourceUnderTest) -> Iterator[SourceUnderTest]:
    """A source of each kind, empty at the start of each test. Its server starts once."""
    yield kind
    for entry in given(kind):
        kind.remove(entry.name)


class TestSources(SourceContract):
    """Each of ours."""
