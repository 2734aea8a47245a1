"""What holds for all tests."""

from __future__ import annotations

import gc
import os
import re
import secrets
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import hypothesis
import pytest

from scripts.local_cloud.missing_server import Missing
from tests.memory_folder import use_memory_folder
from tests.shares import Shares, place

use_memory_folder()

# The tests fork only to start other programs. gRPC's support for forks may begin threads in the child
# (github.com/grpc/grpc, doc/fork_support.md). One child wrote a line of gRPC's to its standard error. That did not come
# again, so it is a guess that these threads wrote it.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

IN_CI = os.environ.get("CI", "").lower() not in ("", "0", "false")

# No test asserts on timing. In CI, a change is not refused for an example that it has nothing to do with: the examples
# are always the same. Every run elsewhere draws fresh ones.
hypothesis.settings.register_profile("house", deadline=None, derandomize=IN_CI)
hypothesis.settings.register_profile("fast", hypothesis.settings.get_profile("house"), max_examples=10)
hypothesis.settings.load_profile("house")

FIRST_SEED = os.environ.setdefault("SIMULATION_FIRST_SEED", str(secrets.randbelow(2**48)))
"""Where the simulation's fresh seeds begin. The processes that share the tests inherit it."""


def pytest_report_header() -> str:
    return f"simulation: fresh seeds from {FIRST_SEED} (SIMULATION_FIRST_SEED={FIRST_SEED} repeats them)"


# What the tests import and collect stays to the end, and most of it is made at once. To look through it for garbage as
# often as usual takes a tenth of the time of all tests.
gc.set_threshold(50_000, 20, 100)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    gc.freeze()


SERVERS = {"cloud storage", "pubsub", "firestore", "weaviate", "weaviate with a graph", "qdrant"}
"""The adapters whose servers take seconds, or a build, to start, or whose local mode is slow."""
LARGE_MODEL = re.compile(r"(?:\b|_)e5(?:\b|_)")
"""In the names of tests that load the larger model, which takes seconds."""
TESTS = Path(__file__).parent
SERVER_TESTS = {
    "contract/test_google_services.py",
    "contract/test_weaviate.py",
    "unit/adapters/cohere/test_embedder.py",
    "unit/scripts/local_cloud/test_cohere_server.py",
}
_ALL_SLOW = re.compile(r"^pytestmark = pytest\.mark\.slow\b", re.MULTILINE)


def pytest_configure(config: pytest.Config) -> None:
    """The fast loop asks no other machine. Every client of one would read the certificates that this machine trusts,
    which takes longer than most tests; an empty folder of them is read at once."""
    if config.option.markexpr == "not slow":
        os.environ.setdefault("SSL_CERT_DIR", str(TESTS))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The fast loop does not import files whose tests are all slow: each process would import them, and what they
    import, to leave them out."""
    if config.option.markexpr != "not slow" or collection_path.suffix != ".py":
        return None
    if collection_path.relative_to(TESTS).as_posix() in SERVER_TESTS:
        return True
    return True if _ALL_SLOW.search(collection_path.read_text(encoding="utf-8")) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that need one of those servers, or the larger model, are slow."""
    for item in items:
        parameters = getattr(item, "callspec", None)
        named = {str(value) for value in parameters.params.values()} if parameters else set()
        if named & SERVERS or LARGE_MODEL.search(item.name) or item.path.relative_to(TESTS).as_posix() in SERVER_TESTS:
            item.add_marker(pytest.mark.slow)
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: place(item.path.relative_to(TESTS), is_slow=item.path in slow))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Shares:
    return Shares(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup() -> Generator[None, None, None]:
    with _skipped_without_server():
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, None, None]:
    with _skipped_without_server():
        yield


@contextmanager
def _skipped_without_server() -> Iterator[None]:
    try:
        yield
    except Missing as missing:
        pytest.skip(str(missing))


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
