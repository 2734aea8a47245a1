"""Starts the jobs of all selected tests when the first test of this folder runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.terraform.ahead import Job, Results, started


@pytest.fixture(scope="package")
def results(request: pytest.FixtureRequest) -> Iterator[Results]:
    parameters = [value for item in request.session.items for value in _parameters(item)]
    jobs = [value for value in parameters if isinstance(value, Job)]
    with started(jobs) as results:
        yield results


@pytest.fixture
def result(request: pytest.FixtureRequest, results: Results) -> Any:
    """What the test's job returned (`looks_at`)."""
    return results.of(request.param)


def _parameters(item: pytest.Item) -> list[object]:
    called = getattr(item, "callspec", None)
    return list(called.params.values()) if called else []
