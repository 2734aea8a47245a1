"""What holds for all tests."""

from __future__ import annotations

import gc
import json
import os
import secrets
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import hypothesis
import pytest

from scripts.local_cloud.missing_server import Missing
from tests.memory_folder import use_memory_folder
from tests.parts import PARTS, is_left_to_prove, part_of
from tests.processes import Processes
from tests.shared_servers import begin_run
from tests.shares import place, shard_of

use_memory_folder()

# The tests fork only to start other programs. gRPC's support for forks may begin threads in the child
# (github.com/grpc/grpc, doc/fork_support.md). One child wrote a line of gRPC's to its standard error. That did not come
# again, so it is a guess that these threads wrote it.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

IN_CI = os.environ.get("CI", "").lower() not in ("", "0", "false")

# No test asserts on timing. In CI, a change is not refused for an example that it has nothing to do with: the examples
# are always the same. Every run elsewhere draws fresh ones.
hypothesis.settings.register_profile("house", deadline=None, derandomize=IN_CI)
for _name, _examples in (("fast", 10), ("test", 20), ("all", 1_000)):
    hypothesis.settings.register_profile(_name, hypothesis.settings.get_profile("house"), max_examples=_examples)
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


TESTS = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ragbase")
    names = ", ".join(PARTS)
    group.addoption("--part", action="append", default=[], choices=PARTS, help=f"the tests of a part of prove: {names}")
    group.addoption("--shard", type=_shard, help="I/N: the I-th of N shares of the tests, by file")
    group.addoption("--processes", type=int, default=1, help="divide the tests among so many processes")
    group.addoption("--report", type=Path, help="write how many tests passed, failed, … to this file, as JSON")


def _shard(given: str) -> tuple[int, int]:
    index, _, count = given.partition("/")
    if not (index.isdecimal() and count.isdecimal() and 1 <= int(index) <= int(count)):
        raise ValueError(given)
    return int(index), int(count)


def pytest_configure(config: pytest.Config) -> None:
    """The fast loop asks no other machine. Every client of one would read the certificates that this machine trusts,
    which takes longer than most tests; an empty folder of them is read at once."""
    if "not slow" in config.option.markexpr:
        os.environ.setdefault("SSL_CERT_DIR", str(TESTS))
    config.stash[LEFT] = 0
    if config.option.processes > 1:
        config.pluginmanager.register(Processes(config, config.option.processes))
    config.add_cleanup(begin_run())


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file without a test of the run is not imported."""
    if collection_path.suffix != ".py":
        return None
    file = collection_path.relative_to(TESTS).as_posix()
    if "not prove" in config.option.markexpr and is_left_to_prove(file):
        return True
    if config.option.part and "properties" not in config.option.part and part_of(file) not in config.option.part:
        return True
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if is_left_to_prove(item.path.relative_to(TESTS).as_posix()):
            item.add_marker(pytest.mark.prove)
    slow = {item.path for item in items if item.get_closest_marker("slow") or item.get_closest_marker("prove")}
    items.sort(key=lambda item: place(item.path.relative_to(TESTS), is_slow=item.path in slow))
    chosen = [_is_of_a_part(item, config.option.part) and _is_of_the_shard(item, config) for item in items]
    config.hook.pytest_deselected(items=[item for item, is_chosen in zip(items, chosen, strict=True) if not is_chosen])
    items[:] = [item for item, is_chosen in zip(items, chosen, strict=True) if is_chosen]


def _is_of_a_part(item: pytest.Item, parts: list[str]) -> bool:
    if not parts:
        return True
    if item.get_closest_marker("prove"):
        part = part_of(item.path.relative_to(TESTS).as_posix())
        return part in parts
    return "properties" in parts and hypothesis.is_hypothesis_test(getattr(item, "obj", None))


def _is_of_the_shard(item: pytest.Item, config: pytest.Config) -> bool:
    """Tests that share something stay together, as in the processes of one run."""
    shard: tuple[int, int] | None = config.option.shard
    return shard is None or shard_of(item.nodeid, shard[1]) == shard[0]


LEFT = pytest.StashKey[int]()
"""How many tests were collected and not run."""


def pytest_deselected(items: list[pytest.Item]) -> None:
    for item in items:
        item.config.stash[LEFT] += 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if config.option.report is None:
        return
    counts = {name: len(terminalreporter.stats.get(name, ())) for name in ("passed", "failed", "error", "skipped")}
    reasons = Counter(str(one.longrepr[2]) for one in terminalreporter.stats.get("skipped", ()) if one.longrepr)
    told = {**counts, "left": config.stash[LEFT], "skips": dict(reasons.most_common())}
    config.option.report.write_text(json.dumps(told), encoding="utf-8")


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
