"""A plugin of pytest. It runs the chosen tests in their order, and writes which one failed, and what each cost. This
file is loaded by its name alone (PYTHONPATH has its folder): the tests run in a checkout that may be an older one."""

from __future__ import annotations

import json
import os
import resource
from collections.abc import Generator
from pathlib import Path

import pytest

CHOSEN, FAILED, COSTS = "MUTATION_CHOSEN", "MUTATION_FAILED", "MUTATION_COSTS"
"""Variables of the environment with paths: a JSON list of the tests to run; where the first one that fails is written;
where a line of JSON for each test is added."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    if CHOSEN not in os.environ:
        return
    chosen = json.loads(Path(os.environ[CHOSEN]).read_text(encoding="utf-8"))
    found = {item.nodeid: item for item in items}
    kept = [found.pop(test) for test in chosen if test in found]
    config.hook.pytest_deselected(items=list(found.values()))
    items[:] = kept


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed and FAILED in os.environ:
        Path(os.environ[FAILED]).write_text(report.nodeid, encoding="utf-8")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    before = _used()
    try:
        return (yield)
    finally:
        if COSTS in os.environ:
            cost = {"id": item.nodeid, "cpu": round(_used() - before, 3)}
            cost["prove"] = item.get_closest_marker("prove") is not None
            with Path(os.environ[COSTS]).open("a", encoding="utf-8") as costs:
                costs.write(f"{json.dumps(cost)}\n")


def _used() -> float:
    """Seconds of processors: a wait costs none, so they do not depend on what else the machine does."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(used.ru_utime + used.ru_stime for used in both)
