"""scripts/simulate as a user calls it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.simulated_world.__main__ import simulate as command
from tests.simulated_world.bugs import BUGS

ROOT = Path(__file__).resolve().parents[2]
BUG = ("--bug", "stale-chunks-kept")


def simulate(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, prog_name="scripts/simulate")


def test_seeds_that_pass_end_with_figures() -> None:
    ran = simulate("--seeds", "4")
    assert ran.exit_code == 0, ran.output
    assert ran.stdout.startswith("4 seeds, ")
    assert ran.stdout.endswith("Every promise was kept.\n")


@pytest.mark.prove
def test_the_command_shares_seeds_among_processes() -> None:
    ran = subprocess.run(
        [sys.executable, "-P", "-m", "tests.simulated_world", "--seeds", "60", "--jobs", "2"],
        env={"PYTHONPATH": os.pathsep.join((str(ROOT / "common"), str(ROOT)))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.startswith("60 seeds, ")


@pytest.mark.slow
def test_a_seed_that_fails_is_shown_briefly_and_can_be_repeated() -> None:
    ran = simulate("--seeds", "20", *BUG)
    assert ran.exit_code == 1, ran.output
    head, _, rest = ran.stdout.partition("The shortest version that still breaks it:\n\n")
    assert " breaks a promise: leftovers: " in head
    lines, _, again = rest.partition("\n\nAgain: scripts/simulate ")
    assert "VIOLATION leftovers" in lines.splitlines()[-1]
    arguments = shlex.split(again)
    kept = arguments[arguments.index("--only") + 1].split(",")
    assert len(kept) < 10, "parts of the history that do not matter were not left out"
    repeated = simulate(*arguments)
    assert repeated.exit_code == 1
    assert repeated.stdout == lines + "\n"


def test_a_seed_can_be_traced() -> None:
    ran = simulate("--seed", "3", "--trace")
    assert ran.exit_code == 0, ran.stderr
    assert "documents.update(" in ran.stdout


def test_the_bugs_are_listed() -> None:
    lines = simulate("--bugs").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(BUGS)


def test_elements_that_a_seed_does_not_have_are_refused() -> None:
    ran = simulate("--seed", "3", "--only", "9999")
    assert ran.exit_code == 2
    assert "--only takes numbers of the seed's operations and faults" in ran.stderr
