"""Plant faults in copies of the checkout, one at a time, and see whether a test notices. A change of the tests has lost
nothing if they still notice what they noticed before it:

  mutants cover       which tests execute which lines, and what they cost: in pieces, a folder or file each
  mutants draw        draw mutants that a test reaches, and write the table
  mutants run         try each with the 200 cheapest tests that reach it; continues where it was stopped
  mutants compare     try what was killed in the table, with the tests as they are now

The copies are clones of what is committed. A line can be drawn if a test executes it in its own process, or if its
folder has a child_process.py: coverage does not see those. A mutant's tests come cheapest first, after those of the
unit test file with its name. `compare` exits with 1 if too much of what was killed survives."""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

from scripts.locked import ROOT, NotInstalled, locked_environment
from tests.mutation import in_pytest
from tests.mutation.kill import GONE, KILLED, SURVIVED, TIMEOUT, Copy, try_mutant
from tests.mutation.table import DRAWN, Mutant, read, write

HERE = Path(__file__).resolve().parent
FOLDERS = (
    *(f"tests/unit/{package}" for package in ("domain", "access", "upkeep", "pipeline", "retrieval", "formats")),
    *("tests/unit/adapters", "tests/contract", "tests/functions"),
)
"""Tests that are cheap for what they reach. Those in tests/e2e and beyond mostly start processes."""
KEPT, KEPT_TOGETHER = 0.97, 1.0
"""The shares of what was killed that the tests without the mark `prove` kill, and all tests."""

SETS = ("test", "prove")
"""The tests without the mark `prove`, and those with it."""

Tests = dict[str, dict[str, list[str]] | None]


def cover(checkout: Path, data: Path, folder: str, options: list[str]) -> int:
    """Run the tests of a folder. Its data replaces what an earlier run wrote for it."""
    data.mkdir(parents=True, exist_ok=True)
    settings = data / "coveragerc"
    settings.write_text("[run]\nsource_pkgs = ragbase\n", encoding="utf-8")
    (site,) = (_tools().parent / "lib").glob("python3*/site-packages")
    written = data / f"coverage.{re.sub('[/.]', '-', folder)}"
    command = [str(checkout / ".venv" / "bin" / "python"), "-m", "pytest", "-q", "-p", Path(in_pytest.__file__).stem]
    covered = ["--cov", f"--cov-config={settings}", "--cov-context=test", "--cov-report="]
    run = [*command, *covered, "--hypothesis-profile", "fast", folder, *options]
    paths = {"PYTHONPATH": f"{HERE}{os.pathsep}{site}", "COVERAGE_FILE": str(written)}
    environment = {**os.environ, **paths, in_pytest.COSTS: str(data / "costs.jsonl")}
    return subprocess.run(run, cwd=checkout, env=environment, check=False).returncode


def from_tool(checkout: Path, data: Path, **asked: Any) -> tuple[list[Mutant], Tests]:
    """Mutants, and the tests that reach them: what tests/mutation/draw.py makes of what is asked."""
    # A run that does not end, or that was stopped, has a second dot in the name of its data.
    covered = [str(path) for path in data.glob("coverage.*") if path.name.count(".") == 1]
    given = {"root": str(checkout), "data": covered, "costs": costs_of(data), **asked}
    command = [str(_tools() / "python"), "-P", "-m", "tests.mutation.draw"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    made = subprocess.run(
        command, input=json.dumps(given), stdout=subprocess.PIPE, text=True, env=environment, check=True
    )
    found = json.loads(made.stdout)
    return [Mutant(*fields) for fields in found["mutants"]], found["tests"]


def tests_of(checkout: Path, data: Path, mutants: list[Mutant]) -> Tests:
    return from_tool(checkout, data, mutants=[astuple(mutant) for mutant in mutants])[1]


def costs_of(data: Path) -> dict[str, dict[str, Any]]:
    """By test. What a later run measured counts."""
    lines = (data / "costs.jsonl").read_text(encoding="utf-8").splitlines()
    return {cost["id"]: cost for cost in map(json.loads, lines)}


def _tools() -> Path:
    return locked_environment("cosmic-ray", "mutants")


def run(checkout: Path, table: Path, tests: Tests) -> int:
    mutants = read(table)
    with Copy(checkout) as copy:
        for index, mutant in enumerate(mutants):
            if mutant.result == DRAWN:
                mutants[index] = try_mutant(copy, mutant, (tests.get(mutant.key) or {}).get("all", []))
                write(table, mutants)
                print(_line(mutants[index]), flush=True)
    print(dict(Counter(mutant.result for mutant in mutants)))
    return 0


def compare(checkout: Path, before: list[Mutant], after: Path, tests: Tests) -> int:
    """0 if enough of what was killed is killed now. `after` has what an earlier run found: what it saw killed is not
    tried again. What survived is, for more of the tests may be covered now."""
    found = {mutant.key: mutant for mutant in read(after)} if after.exists() else {}
    with Copy(checkout) as copy:
        for mutant in before:
            is_killed = mutant.key in found and found[mutant.key].result in SETS
            if mutant.result == KILLED and not is_killed:
                found[mutant.key] = killed_now(copy, mutant, tests.get(mutant.key) or {})
                write(after, found.values())
                print(_line(found[mutant.key]), flush=True)
    results = Counter(mutant.result for mutant in found.values())
    for mutant in found.values():
        if mutant.result not in SETS:
            print(f"{_line(mutant)}\n  - {mutant.before.strip()}\n  + {mutant.after.strip()}")
    still = results.total() - results[GONE] - results[TIMEOUT]
    print(f"{still} killed before, now by test {results['test']}, else by prove {results['prove']}; {dict(results)}")
    is_enough = results["test"] >= KEPT * still and results["test"] + results["prove"] >= KEPT_TOGETHER * still
    return 0 if is_enough else 1


def killed_now(copy: Copy, mutant: Mutant, tests: dict[str, list[str]]) -> Mutant:
    """Its result is the set that kills it now. If none does, it says so, and still names what killed it before."""
    slow = False
    for kind in SETS:
        tried = try_mutant(copy, mutant, tests.get(kind, []))
        if tried.result == KILLED:
            return replace(tried, result=kind)
        if tried.result == GONE:
            return replace(mutant, result=GONE)
        slow = slow or tried.result == TIMEOUT
    return replace(mutant, result=TIMEOUT if slow else SURVIVED)


def _line(mutant: Mutant) -> str:
    return f"{mutant.result:12} {mutant.file}:{mutant.line} {mutant.operator} {mutant.killed_by}".rstrip()


def main() -> int:
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("step", choices=("cover", "draw", "run", "compare"))
    parser.add_argument("--checkout", type=Path, default=ROOT, help="another checkout than this one")
    parser.add_argument("--data", type=Path, default=ROOT / "build" / "mutants", help="a folder for what cover finds")
    parser.add_argument("--table", type=Path, default=HERE / "baseline.tsv", help="the mutants and their results")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--number", type=int, default=150, help="how many to draw")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the copy goes, and the tests that run in it end
    asked, others = parser.parse_known_args()
    if others and asked.step != "cover":
        parser.error(f"{asked.step} takes no {others[0]}. Only cover takes folders, and arguments of pytest.")
    checkout, data, table = asked.checkout.resolve(), asked.data.resolve(), asked.table.resolve()
    try:
        match asked.step:
            case "cover":
                folders = [folder for folder in others if folder.startswith("tests/")]
                options = [option for option in others if option not in folders]
                return max(cover(checkout, data, folder, options) for folder in folders or FOLDERS)
            case "draw":
                mutants, _ = from_tool(checkout, data, seed=asked.seed, number=asked.number)
                write(table, mutants)
                print(dict(Counter(mutant.result for mutant in mutants)))
                return 0
            case "run":
                return run(checkout, table, tests_of(checkout, data, read(table)))
        return compare(checkout, read(table), data / "compared.tsv", tests_of(checkout, data, read(table)))
    except NotInstalled as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
