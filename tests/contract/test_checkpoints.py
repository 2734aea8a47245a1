"""What everything that keeps checkpoints promises (ragbase.ports.Checkpoints)."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from ragbase.ports import Checkpoints
from tests.contract.adapters import CHECKPOINTS
from tests.contract.real_servers import in_test


@pytest.fixture(params=in_test(CHECKPOINTS))
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


def test_an_update_sees_what_is_there_and_returns_what_it_has_written(checkpoints: Checkpoints) -> None:
    seen: list[str | None] = []

    def change(text: str | None) -> str:
        seen.append(text)
        return f"{text or ''}+"

    assert checkpoints.update("book", change) == "+"
    assert checkpoints.update("book", change) == "++"
    checkpoints.save("book", "saved")
    assert checkpoints.update("book", change) == "saved+"
    assert checkpoints.load("book") == "saved+"
    assert seen == [None, "+", "saved"]


def test_an_update_that_changes_nothing_leaves_what_is_there(checkpoints: Checkpoints) -> None:
    assert checkpoints.update("book", lambda text: text) is None
    assert checkpoints.load("book") is None
    checkpoints.save("book", "saved")
    assert checkpoints.update("book", lambda text: text) == "saved"
    assert checkpoints.load("book") == "saved"


def test_an_error_in_an_update_is_raised_and_changes_nothing(checkpoints: Checkpoints) -> None:
    def refuse(text: str | None) -> str:
        raise LookupError(text)

    checkpoints.save("book", "saved")
    with pytest.raises(LookupError, match="saved"):
        checkpoints.update("book", refuse)
    assert checkpoints.load("book") == "saved"


def test_no_update_is_lost_when_many_come_at_once(checkpoints: Checkpoints) -> None:
    def count(_: int) -> None:
        checkpoints.update("book", lambda text: str(int(text or 0) + 1))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(count, range(20)))

    assert checkpoints.load("book") == "20"
