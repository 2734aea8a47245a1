"""./scripts/test and ./scripts/prove: each test has its part, each part its tests, and nothing falls between shares."""

from __future__ import annotations

import subprocess
from fnmatch import filter as filter_names
from pathlib import Path

import pytest

from scripts.checks import OTHER_STAGES, needed_since, off, with_times
from tests.parts import PARTS, part_of, parts_for
from tests.shares import shard_of

TESTS = Path(__file__).parents[2]
FILES = sorted(file.relative_to(TESTS).as_posix() for file in TESTS.rglob("test_*.py"))
SAID = "    ./scripts/test            # lint, types, tests; 10 min\n    ./scripts/prove ci        # the rest; 30 min\n"


def test_each_file_of_tests_belongs_to_a_part() -> None:
    assert [file for file in FILES if part_of(file) is None] == []


def test_each_part_has_tests() -> None:
    with_files = {part_of(file) for file in FILES}
    assert with_files | OTHER_STAGES.keys() | {"properties"} == PARTS.keys()


def test_each_path_in_the_table_exists() -> None:
    files = subprocess.run(["git", "ls-files"], cwd=TESTS.parent, stdout=subprocess.PIPE, text=True, check=True).stdout
    patterns = [pattern for part in PARTS.values() for pattern in part.changed]
    assert [pattern for pattern in patterns if not filter_names(files.splitlines(), pattern)] == []


def test_a_change_of_a_test_needs_its_part() -> None:
    assert parts_for("tests/browser/test_ask.py") == {"browser"}
    assert parts_for("tests/e2e/test_local_cloud.py") == {"cloud"}


def test_a_change_of_terraform_does_not_need_the_browser() -> None:
    assert parts_for("terraform/alerts.tf") == {"terraform"}


def test_nothing_has_changed_since_this_very_commit_but_what_is_not_committed() -> None:
    assert needed_since("HEAD") <= PARTS.keys()


@pytest.mark.parametrize("count", [1, 2, 4, 7])
def test_each_file_is_in_one_share_and_each_share_has_some(count: int) -> None:
    shares = [shard_of(f"tests/{file}::test_one", count) for file in FILES]
    assert {*shares} == {*range(1, count + 1)}


def test_tests_that_share_a_server_stay_in_one_share() -> None:
    assert shard_of("tests/browser/test_ask.py::test_a", 5) == shard_of("tests/browser/test_try.py::test_b[1]", 5)


@pytest.mark.parametrize(("seconds", "is_off"), [(600, False), (880, False), (420, False), (950, True), (380, True)])
def test_a_time_that_is_off_by_half_is_found(seconds: float, is_off: bool) -> None:
    found = off(SAID, {"test": seconds})
    assert bool(found) is is_off
    assert not found or "says 10 minutes for ./scripts/test" in found[0]


def test_the_times_of_the_last_runs_are_written_where_they_are_told() -> None:
    written = with_times(SAID, {"test": 570, "prove ci": 2_000})
    assert "tests; 9.5 min" in written
    assert "rest; 33 min" in written
    assert not off(written, {"test": 570, "prove ci": 2_000})
