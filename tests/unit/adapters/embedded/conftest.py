"""What the tests of the embedded profile's adapters share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragbase.adapters.embedded.database import Database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "ragbase.db")
    yield database
    database.close()
