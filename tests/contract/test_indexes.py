"""What all keepers of indexes promise (ragbase.ports.Indexes)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ragbase.domain.index import index_of
from ragbase.testing.chunks import DIMENSION
from ragbase.testing.contracts.indexes import NEW, OLD, IndexesContract, Opened
from tests.contract.indexes import INDEXES
from tests.contract.real_servers import in_test


@pytest.fixture(params=in_test(INDEXES))
def opened(request: pytest.FixtureRequest) -> Iterator[Opened]:
    with INDEXES[request.param]() as opened:
        yield opened


class TestIndexes(IndexesContract):
    """Those of each of our vector stores."""


def test_a_name_says_what_made_the_index() -> None:
    made = [OLD, NEW, index_of("old chunks", model="model-8", dimension=DIMENSION, language="german")]
    made.append(index_of("old chunks", model="model-8", dimension=DIMENSION, language="english", replaces=OLD.name))
    names = [index.name for index in made]
    assert len(set(names)) == len(names)
    assert index_of("old chunks", model="model-8", dimension=DIMENSION, language="english") == OLD
    assert NEW.name.startswith("other_model_v2_0_")
