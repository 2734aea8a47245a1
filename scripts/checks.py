"""`./scripts/test` and `./scripts/prove`: stages one after the other, each with its time, and a line of figures.

`test` has every promise once. `prove` has the rest, in the parts of tests/parts.py.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.parts import PARTS, parts_for

ROOT = Path(__file__).resolve().parents[1]
TIMES = ROOT / "build" / "times.json"
"""What the last whole run of each kind took on this machine, in seconds."""
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
TOLD = re.compile(r"^( {4}\./scripts/(?P<run>test fast|test|prove ci)\s+# .*; )(?P<minutes>[\d.]+) min", re.MULTILINE)
"""A line of CONTRIBUTING.md that says how long a run takes."""
OFF = 1.5
"""How many times longer, or shorter, a run may take than CONTRIBUTING.md says."""
FAST_LEAVES_OUT = "the tests that are marked slow, and most examples of properties"


@dataclass(slots=True)
class Run:
    """What has been run so far. A stage that fails does not stop the others: one run shows everything that is wrong."""

    name: str
    started: float
    stages: list[str] = field(default_factory=list)
    failed: bool = False
    counts: dict[str, int] = field(default_factory=dict)
    skips: dict[str, int] = field(default_factory=dict)

    def stage(self, name: str, command: Sequence[str | Path], *, none_is_fine: bool = False) -> None:
        self._begin(name)
        start = time.monotonic()
        code = _run(command).returncode
        self._ended(name, code == 0 or (none_is_fine and code == NO_TESTS), time.monotonic() - start)

    @contextmanager
    def beside(self, stages: Mapping[str, Sequence[str | Path]]) -> Iterator[None]:
        """Run stages one after the other while others run, and print what they said after these. One process alone
        would leave the other processors idle."""

        def each() -> Iterator[tuple[str, subprocess.CompletedProcess[bytes], float]]:
            for name, command in stages.items():
                start = time.monotonic()
                ran = _run(command, output=subprocess.PIPE)
                yield name, ran, time.monotonic() - start

        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(lambda: list(each()))
            yield
            for name, ran, seconds in running.result():
                self._begin(name)
                sys.stdout.buffer.write(ran.stdout)
                self._ended(name, ran.returncode == 0, seconds)

    def _begin(self, name: str) -> None:
        print(f"\n== {name}", flush=True)

    def _ended(self, name: str, good: bool, seconds: float) -> None:
        self.failed |= not good
        self.stages.append(f"{name:<12} {'ok' if good else 'FAILED':<7} {seconds:4.0f} s")

    def tests(self, *options: str, none_is_fine: bool = False) -> None:
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            command = [
                sys.executable,
                "-m",
                "pytest",
                "--quiet",
                f"--processes={processes()}",
                f"--report={report}",
                *options,
            ]
            self.stage("tests", command, none_is_fine=none_is_fine)
            if report.exists():
                told = json.loads(report.read_text(encoding="utf-8"))
                self.skips = told.pop("skips")
                self.counts = told

    def end(self, *, left: str, is_whole: bool) -> int:
        """Print the stages and the figures. Returns the exit code."""
        seconds = time.time() - self.started
        print("\n" + "\n".join(self.stages))
        for reason, count in self.skips.items():
            print(f"left out {count:>5}: {reason}")
        print(left.format(**self.counts) if self.counts else "")
        if is_whole and not self.failed:
            record(self.name, seconds)
        for line in off(CONTRIBUTING.read_text(encoding="utf-8"), times() if is_whole else {}):
            print(line)
        counts = ", ".join(f"{self.counts.get(name, 0)} {name}" for name in ("passed", "failed", "skipped"))
        errors = self.counts.get("error", 0)
        state = "FAILED" if self.failed else "ok"
        print(f"{self.name}: {state}: {counts}{f', {errors} errors' if errors else ''} in {seconds:.0f} s")
        return int(self.failed)


TYPED = ("common/ragbase", "functions", "tests", "scripts", "examples")
NO_TESTS = 5
"""pytest's exit code when no test was selected."""


def test() -> int:
    """Every promise once."""
    arguments = sys.argv[2:]
    if arguments == ["times"]:
        return write_times()
    fast = arguments[:1] == ["fast"]
    extra = arguments[1:] if fast else arguments
    # Who names a test wants it, whatever its marks.
    named = any(not one.startswith("-") for one in extra)
    marks = "not slow and not prove" if fast else "" if named else "not prove"
    chosen = ["-m", marks, "--hypothesis-profile", "fast" if fast else "test"]
    run = Run("test fast" if fast else "test", started())
    left = f"left out: {FAST_LEAVES_OUT}" if fast else "every promise once; ./scripts/prove has the rest"
    print(f"{run.name}: lint, format, types, layers and tests. {left[0].upper()}{left[1:]}.")
    with servers_brought(wanted=not fast and not extra):
        run.stage("lint", ruff("check", "--quiet"))
        run.stage("format", ruff("format", "--quiet", "--check"))
        types = [sys.executable, "-m", "mypy", *TYPED]
        layers = [str(Path(sys.executable).with_name("lint-imports")), "--no-logo"]
        with run.beside({"types": types, "layers": layers}):
            run.tests(*chosen, *extra)
    parts = ", ".join(PARTS)
    return run.end(left=f"left to ./scripts/prove: {{left}} tests and more, in the parts {parts}", is_whole=not extra)


def prove() -> int:
    """What `test` leaves out."""
    parser = argparse.ArgumentParser(
        prog="prove",
        description="Prove what ./scripts/test leaves out.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="parts:\n" + "\n".join(f"  {name:<12} {part.proves}" for name, part in PARTS.items()),
    )
    parser.add_argument(
        "part", nargs="*", help="ci: every part once; all: also 1,000 examples and more seeds; or parts"
    )
    parser.add_argument("--shard", metavar="I/N", help="the I-th of N shares of the tests")
    parser.add_argument("--since", metavar="REV", help="the parts that the changes since this commit need")
    parser.add_argument("--table", action="store_true", help="print which changed paths need which part, and end")
    arguments, extra = parser.parse_known_args(sys.argv[2:])
    if arguments.table:
        print("\n".join(f"{name:<12} {' '.join((*part.changed, *tests_of(name)))}" for name, part in PARTS.items()))
        return 0
    names = list(arguments.part)
    if arguments.since:
        try:
            names += sorted(needed_since(arguments.since))
        except subprocess.CalledProcessError:
            parser.error(f"--since takes a commit of this checkout, and {arguments.since!r} is none.")
        print(f"changes since {arguments.since} need: {', '.join(names) or 'no part'}")
        if not names:
            return 0
    unknown = [name for name in names if name not in (*PARTS, "ci", "all")]
    if unknown or not names:
        told = f"there is no part {unknown[0]!r}" if unknown else "name a part"
        parser.error(f"{told}. The parts are: {', '.join(PARTS)}; `ci` and `all` are all of them.")
    parts = list(PARTS) if {"ci", "all"} & {*names} else [name for name in PARTS if name in names]
    run = Run(f"prove {' '.join(names)}", started())
    print(f"{run.name}: the parts {', '.join(parts)}{f', share {arguments.shard}' if arguments.shard else ''}.")
    options = ["--hypothesis-profile", "all" if "all" in names else "house"]
    os.environ["PROVE"] = "all" if "all" in names else "ci"
    tested = [name for name in parts if name not in OTHER_STAGES]
    if tested:
        chosen = [f"--part={name}" for name in tested]
        shard = [f"--shard={arguments.shard}"] if arguments.shard else []
        run.tests(*options, *chosen, *shard, *extra, none_is_fine=bool(shard))
    if not arguments.shard or arguments.shard.startswith("1/"):
        for name in parts:
            if name in OTHER_STAGES:
                run.stage(name, [sys.executable, "-P", *OTHER_STAGES[name]])
    return run.end(left="", is_whole=names == ["ci"] and not extra and not arguments.shard)


OTHER_STAGES = {"prose": ["-m", "scripts.prose"], "site": ["-m", "scripts.site", "build"]}
"""Parts that pytest does not run."""


def tests_of(name: str) -> Iterator[str]:
    return (f"tests/{start}*" for start in PARTS[name].tests)


def needed_since(rev: str) -> set[str]:
    """Raises CalledProcessError for a commit that is not there; git says so."""
    changed = ""
    for command in (["diff", "--name-only", rev, "--"], ["ls-files", "--others", "--exclude-standard"]):
        changed += subprocess.run(["git", *command], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    return {name for path in changed.splitlines() for name in parts_for(path)}


def ruff(*arguments: str) -> list[str]:
    """Also for the Python programs whose names do not end in .py."""
    found = ["git", "grep", "--untracked", "-lzE", "^#!.*python", "--", "scripts"]
    programs = subprocess.run(found, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False).stdout
    return [sys.executable, "-m", "ruff", *arguments, ".", *filter(None, programs.split("\0"))]


def processes() -> int:
    """Many tests wait (for a lease, a retry, a server): one more at a time than there are processors keeps all of them
    busy."""
    return min(os.cpu_count() or 1, 3) + 1


def _run(command: Sequence[str | Path], *, output: int | None = None) -> subprocess.CompletedProcess[bytes]:
    errors = None if output is None else subprocess.STDOUT
    return subprocess.run(
        command, cwd=ROOT, env=environment(), stdin=subprocess.DEVNULL, stdout=output, stderr=errors, check=False
    )


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(ROOT)}


@contextmanager
def servers_brought(*, wanted: bool) -> Iterator[None]:
    """Bring the servers that the tests ask while the first stages run: in an empty cache, Weaviate's build takes
    minutes. The tests that need one wait for it."""
    if not wanted:
        yield
        return
    command = [sys.executable, "-P", "-m", "scripts.local_cloud.get_servers"]
    getting = subprocess.Popen(
        command, cwd=ROOT, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        getting.terminate()
        getting.wait()


def started() -> float:
    """When the command was called: before its set-up."""
    return float(os.environ.get("CHECKS_STARTED") or time.time())


def times() -> dict[str, float]:
    return dict(json.loads(TIMES.read_text(encoding="utf-8"))) if TIMES.exists() else {}


def record(name: str, seconds: float) -> None:
    TIMES.parent.mkdir(exist_ok=True)
    TIMES.write_text(json.dumps(times() | {name: round(seconds)}), encoding="utf-8")


def off(text: str, measured: dict[str, float]) -> list[str]:
    """What CONTRIBUTING.md says wrongly of the times of this machine."""
    return [
        f"CONTRIBUTING.md says {told['minutes']} minutes for ./scripts/{told['run']}; it took "
        f"{measured[told['run']] / 60:.1f}. With 2 processors, `./scripts/test times` writes what the last runs took."
        for told in TOLD.finditer(text)
        if told["run"] in measured and not 1 / OFF <= measured[told["run"]] / 60 / float(told["minutes"]) <= OFF
    ]


def with_times(text: str, measured: dict[str, float]) -> str:
    def told(found: re.Match[str]) -> str:
        seconds = measured.get(found["run"])
        return found[0] if seconds is None else f"{found[1]}{max(seconds / 60, 0.1):.2g} min"

    return TOLD.sub(told, text)


def write_times() -> int:
    """Write the times of this machine's last whole runs into CONTRIBUTING.md."""
    CONTRIBUTING.write_text(with_times(CONTRIBUTING.read_text(encoding="utf-8"), times()), encoding="utf-8")
    return 0


def main() -> int:
    command: dict[str, Callable[[], int]] = {"test": test, "prove": prove}
    return command[sys.argv[1]]()


if __name__ == "__main__":
    sys.exit(main())
