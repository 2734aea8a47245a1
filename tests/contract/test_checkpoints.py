"""What everything that keeps checkpoints promises (ragbase.ports.Checkpoints)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ragbase.ports import Checkpoints
from tests.contract.adapters import CHECKPOINTS


@pytest.fixture(params=CHECKPOINTS)
def checkpoints(request: pytest.FixtureRequest) -> Iterator[Checkpoints]:
    with CHECKPOINTS[request.param]() as checkpoints:
        yield checkpoints


def test_what_was_saved_last_is_loaded(checkpoints: Checkpoints) -> None:
    assert checkpoints.load("janitor") is None
    checkpoints.save("janitor", "first")
    checkpoints.save("janitor", "zweitens ü\n🙂")
    checkpoints.save("other", "")
    assert checkpoints.load("janitor") == "zweitens ü\n🙂"
    assert checkpoints.load("other") == ""


def test_what_was_cleared_is_gone(checkpoints: Checkpoints) -> None:
    checkpoints.save("janitor", None)
    checkpoints.save("janitor", "text")
    checkpoints.save("janitor", None)
    assert checkpoints.load("janitor") is None
