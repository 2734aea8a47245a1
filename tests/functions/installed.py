"""The staged functions, each installed into an empty environment, as its deployment does."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
RUNTIME = "3.12"
"""The Python that the functions are deployed on, and locked for."""


def stage(folder: Path) -> list[str]:
    """Stage every function into the folder; their names."""
    script = [sys.executable, str(REPOSITORY / "scripts" / "stage-functions"), str(folder)]
    subprocess.run(script, capture_output=True, text=True, check=True)
    return sorted(main.parent.name for main in folder.glob("*/main.py"))


def install(names: Sequence[str], staged: Path, folder: Path) -> dict[str, Path]:
    """Each function's environment, by the name of its Python. Two are made at a time."""
    base = _runtime()
    wheels = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ragbase" / "wheels" / base.name
    wheels.mkdir(parents=True, exist_ok=True)
    pythons = {name: _environment(base, folder / name) for name in names}
    locks = [str(staged / name / "requirements.txt") for name in names]

    def attempt(name: str) -> subprocess.CompletedProcess[str]:
        # Not compiled: each is started once or twice.
        options = ["--no-compile", "--no-index", "--find-links", str(wheels)]
        return _pip(pythons[name], "install", *options, "--requirement", str(staged / name / "requirements.txt"))

    with ThreadPoolExecutor(2) as installers:
        if any(done.returncode for done in installers.map(attempt, names)):
            wanted = [option for lock in locks for option in ("--requirement", lock)]
            fetched = _pip(pythons[names[0]], "download", "--no-deps", "--dest", str(wheels), *wanted)
            assert fetched.returncode == 0, fetched.stderr
            for done in installers.map(attempt, names):
                assert done.returncode == 0, done.stderr
    return pythons


def _runtime() -> Path:
    """A Python of the functions' version, or the running one: their locks hold for it too, and pip says so if not."""
    named = shutil.which(f"python{RUNTIME}")
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    for python in [*([Path(named)] if named else []), *pyenv.glob(f"versions/{RUNTIME}.*/bin/python{RUNTIME}")]:
        if subprocess.run([python, "-c", "import venv"], capture_output=True, check=False).returncode == 0:
            return python
    return Path(sys.executable).with_name(f"python{sys.version_info.major}.{sys.version_info.minor}")


def _environment(base: Path, folder: Path) -> Path:
    subprocess.run([base, "-m", "venv", "--without-pip", str(folder)], check=True)
    return folder / "bin" / "python"


def _pip(python: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pip", "--python", str(python), *arguments]
    options = ["--quiet", "--disable-pip-version-check", "--require-hashes"]
    return subprocess.run([*command, *options], capture_output=True, text=True, check=False)
