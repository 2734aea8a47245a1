"""What holds for all tests."""

from __future__ import annotations

import os
from collections.abc import Generator

import hypothesis
import pytest

hypothesis.settings.register_profile("house", deadline=None)  # no test asserts on timing
hypothesis.settings.load_profile("house")

IN_CI = os.environ.get("CI", "").lower() not in ("", "0", "false")


SERVERS = {"cloud storage", "pubsub", "firestore", "weaviate", "qdrant"}
"""The adapters whose servers take seconds, or a build, to start, or whose local mode is slow."""
SERVER_TESTS = {"test_cohere", "test_cohere_server", "test_google_services", "test_weaviate"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What needs one of those servers is slow."""
    for item in items:
        parameters = getattr(item, "callspec", None)
        named = {str(value) for value in parameters.params.values()} if parameters else set()
        if named & SERVERS or item.path.stem in SERVER_TESTS:
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _forbid_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _forbid_skip(report)
    return report


def _forbid_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """In CI a skip is a failure: a test that did not run has shown nothing."""
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"Skipped, but CI skips nothing: {report.longrepr}"
