"""Try a mutant: plant it in a copy of the checkout, and run tests until one fails."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType

from tests.mutation import in_pytest
from tests.mutation.table import Mutant

KILLED = "killed"
"""A test failed that passes without the fault. `killed_by` is BY_IMPORT if the tests could not even be imported."""
SURVIVED = "survived"
TIMEOUT = "timeout"
"""The tests did not end in LONGEST. It counts for neither side: the machine may have been slow."""
GONE = "gone"
"""The line is no longer there."""
BY_IMPORT = "(import)"
LONGEST = 300.0
"""Seconds that the tests of a mutant may take."""
FIRST_FILES = 3
"""Most mutants fall to the tests of their own file. To import only these first saves most of a run."""
_FAILED, _NO_TESTS = 1, 5
"""Exit codes of pytest. Beyond 1 and 0, it could not run the tests at all."""


@dataclass
class Copy:
    """A clone of what is committed in a checkout, in which mutants are planted."""

    checkout: Path
    folder: Path = field(init=False)
    _broken: set[str] = field(default_factory=set)
    """Tests that fail here without a fault, too."""
    _sound: set[str] = field(default_factory=set)
    _planted: int = 0

    def __enter__(self) -> Copy:
        self._home = Path(tempfile.mkdtemp(prefix="mutants-"))
        self.folder = self._home / "checkout"
        clone = ["git", "clone", "--quiet", "--shared", str(self.checkout), str(self.folder)]
        subprocess.run(clone, check=True)
        # Its path to ragbase is relative, and Python does not resolve links in it: it leads to the copy.
        (self.folder / ".venv").symlink_to(self.checkout / ".venv")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        shutil.rmtree(self._home)

    def failing(self, mutant: Mutant, source: str, tests: list[str]) -> str | None:
        """The first test that fails with the fault and passes without it, if there is one. Raises TimeoutError."""
        file = self.folder / mutant.file
        until = time.monotonic() + LONGEST
        for stage in stages(mutant, tests):
            left = [test for test in stage if test not in self._broken]
            while left:
                self._write(file, source)
                try:
                    failed = self._first_failure(left, until)
                finally:
                    subprocess.run(["git", "checkout", "--quiet", "--", mutant.file], cwd=self.folder, check=True)
                    os.utime(file)
                if failed is None:
                    break
                if self._passes(failed, left):
                    return failed
                self._broken.add(failed)
                left = [test for test in left if test not in self._broken]
        return None

    def _write(self, file: Path, source: str) -> None:
        """Python takes a compiled file for current if size and second are equal: a fault has a time of its own."""
        file.write_text(source, encoding="utf-8")
        self._planted += 1
        os.utime(file, (self._planted, self._planted))

    def _passes(self, failed: str, tests: list[str]) -> bool:
        """Whether it passes without the fault."""
        if failed not in self._sound:
            if self._first_failure(tests if failed == BY_IMPORT else [failed], time.monotonic() + LONGEST):
                return False
            self._sound.update(() if failed == BY_IMPORT else (failed,))
        return True

    def _first_failure(self, tests: list[str], until: float) -> str | None:
        chosen, failed = self._home / "chosen.json", self._home / "failed.txt"
        chosen.write_text(json.dumps(tests), encoding="utf-8")
        failed.unlink(missing_ok=True)
        shutil.rmtree(self.folder / ".hypothesis", ignore_errors=True)  # no examples that another mutant failed with
        files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
        plugin = Path(in_pytest.__file__)
        options = ["-x", "-q", "-p", plugin.stem, "-p", "_hypothesis_pytestplugin"]
        options += ["--hypothesis-profile", "fast", "--hypothesis-seed", "0"]
        environment = {key: value for key, value in os.environ.items() if key != "CI"}
        # To load the plugins that came with other packages takes half the time of such a run.
        environment |= {"PYTHONPATH": str(plugin.parent), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        environment |= {in_pytest.CHOSEN: str(chosen), in_pytest.FAILED: str(failed)}
        process = subprocess.Popen(
            [self.folder / ".venv" / "bin" / "python", "-m", "pytest", *options, *files],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            code = process.wait(until - time.monotonic())
        except subprocess.TimeoutExpired as error:
            raise TimeoutError from error
        finally:
            _end(process)
        if code == _FAILED and failed.exists():
            return failed.read_text(encoding="utf-8")
        return BY_IMPORT if code not in (0, _NO_TESTS) else None


def _end(process: subprocess.Popen[bytes]) -> None:
    """With what it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def stages(mutant: Mutant, tests: list[str]) -> list[list[str]]:
    """The tests, file by file, so that a fixture of a file is made once. First the one that killed it before; then the
    file named after the mutant's; then the file whose cheapest test is cheapest, and so on."""
    own = f"tests/unit/{Path(mutant.file).parent.relative_to('common/ragbase')}/test_{Path(mutant.file).name}"
    by_file: dict[str, list[str]] = {}
    for test in tests:
        if test != mutant.killed_by:
            by_file.setdefault(test.partition("::")[0], []).append(test)
    order = sorted(by_file, key=lambda name: name != own)
    before = [mutant.killed_by] if mutant.killed_by in tests else []
    first = [test for name in order[:FIRST_FILES] for test in by_file[name]]
    rest = [test for name in order[FIRST_FILES:] for test in by_file[name]]
    return [stage for stage in (before, first, rest) if stage]


def try_mutant(copy: Copy, mutant: Mutant, tests: list[str]) -> Mutant:
    """The mutant with its result. `tests` come cheapest first."""
    file = copy.folder / mutant.file
    source = mutant.planted(file.read_text(encoding="utf-8")) if file.is_file() else None
    if source is None:
        return replace(mutant, result=GONE)
    try:
        killed_by = copy.failing(mutant, source, tests)
    except TimeoutError:
        return replace(mutant, result=TIMEOUT)
    return replace(mutant, result=KILLED if killed_by else SURVIVED, killed_by=killed_by or "")
