"""Starts the jobs of all selected tests when the first test of this folder runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from tests.terraform.ahead import Job, Results, started
from tests.terraform.configured import ENVIRONMENTS, Environment, Resource, environment


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


@pytest.fixture(
    params=[
        pytest.param(Job(environment, (name,), seconds=8), id=name, marks=pytest.mark.prove) for name in ENVIRONMENTS
    ]
)
def resources(request: pytest.FixtureRequest, results: Results) -> Sequence[Resource]:
    """Every resource of an environment that was applied from nothing."""
    applied: Environment = results.of(request.param)
    return applied.resources


def _parameters(item: pytest.Item) -> list[object]:
    called = getattr(item, "callspec", None)
    return list(called.params.values()) if called else []
