"""`--processes`: each test runs once, and what a process does, or dies of, is told."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
CONFTEST = """
import pytest
from pathlib import Path
from tests.processes import Processes

def pytest_configure(config):
    config.pluginmanager.register(Processes(config, 3))

@pytest.fixture(scope="session")
def began(request, tmp_path_factory):
    folder = Path(__file__).parent / "began"
    folder.mkdir(exist_ok=True)
    mine = tmp_path_factory.mktemp("mine")
    (folder / mine.parent.name).touch()
    yield mine
    (folder / mine.parent.name).rename(folder / f"ended-{mine.parent.name}")
"""
GOOD = """
import pytest

@pytest.mark.parametrize("number", range(5))
def test_good(began, number):
    print("said by a good one")

def test_no_thread():
    pytest.skip("for a reason")
"""


def run(folder: Path, *options: str, conftest_text: str = CONFTEST, **files: str) -> tuple[int, str]:
    (folder / "conftest.py").write_text(conftest_text)
    for name, text in files.items():
        (folder / f"test_{name}.py").write_text(text)
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", *options, folder],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT / 'common'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not ended.stderr
    return ended.returncode, ended.stdout


def outcomes(said: str) -> list[str]:
    return sorted(re.findall(r"^(?:PASSED|FAILED|SKIPPED|ERROR) \S+", said, re.MULTILINE))


def test_each_test_runs_once_and_each_process_ends_what_it_began(tmp_path: Path) -> None:
    code, said = run(tmp_path, **{f"good_{number}": GOOD for number in range(7)})
    assert code == 0, said
    assert "35 passed, 7 skipped" in said
    assert len(set(outcomes(said))) == 36  # skips of one reason are one line
    assert all(file.name.startswith("ended-") for file in (tmp_path / "began").iterdir())


def test_a_failure_is_told_with_what_the_test_printed(tmp_path: Path) -> None:
    bad = "def test_bad():\n    print('said by a bad one')\n    assert 1 == 2\n"
    code, said = run(tmp_path, good=GOOD, bad=bad)
    assert code == 1
    assert "assert 1 == 2" in said
    assert "said by a bad one" in said
    assert "1 failed, 5 passed, 1 skipped" in said


def test_no_test_of_a_process_that_is_killed_is_lost(tmp_path: Path) -> None:
    killed = "import os, signal\n\ndef test_killed():\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    code, said = run(tmp_path, **{f"good_{number}": GOOD for number in range(9)}, killed=killed)
    assert code == 1
    assert re.search(r"FAILED \S*test_killed.py::test_killed - The process \d+ is gone", said)
    counted = re.search(r"(\d+) failed, (\d+) passed, (\d+) skipped", said)
    assert counted
    assert sum(map(int, counted.groups())) == 9 * 6 + 1


def test_no_test_is_lost_when_no_process_can_begin(tmp_path: Path) -> None:
    broken = CONFTEST + "\nimport os\nos.register_at_fork(after_in_child=lambda: os._exit(3))\n"
    code, said = run(tmp_path, good=GOOD, other=GOOD, conftest_text=broken)
    assert code == 1
    assert "12 failed" in said
    assert "No process was left that could run this test" in said


def test_it_stops_after_the_first_failure_if_it_should_and_ends_what_was_begun(tmp_path: Path) -> None:
    bad = "def test_bad(began):\n    assert False\n\ndef test_next(began):\n    pass\n"
    code, said = run(tmp_path, "-x", **{f"bad_{number}": bad for number in range(40)})
    assert code == 1
    assert "test_next" not in said or said.count("FAILED") < 40
    assert "stopping after 1 failures" in said
    assert all(file.name.startswith("ended-") for file in (tmp_path / "began").iterdir())
