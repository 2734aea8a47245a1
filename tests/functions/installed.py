"""The staged functions, each installed into an empty environment, as its deployment does.

The cache folder keeps an environment for each lock file: as long as the lock does not change, the result of an
installation would not change either.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scripts.local_cloud.process import exclusive

RUNTIME = "3.12"
"""The Python that the functions are deployed on, and locked for."""


def install(names: Sequence[str], staged: Path) -> dict[str, Path]:
    """Each function's environment, by the name of its Python. Two are made at a time."""
    base = _runtime()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ragbase" / "functions" / base.name
    locks = {name: staged / name / "requirements.txt" for name in names}
    with exclusive(cache), ThreadPoolExecutor(2) as installers:
        folders = {name: cache / f"{name}-{_digest(base, lock)}" for name, lock in locks.items()}
        for old in set(cache.iterdir()) - set(folders.values()) - {cache / "wheels"}:
            shutil.rmtree(old)
        missing = {name: lock for name, lock in locks.items() if not _stamp(folders[name]).exists()}
        if missing:
            _fetch(list(missing.values()), cache / "wheels")
        for _ in installers.map(lambda name: _install(locks[name], base, folders[name], cache / "wheels"), missing):
            pass
    return {name: folder / "bin" / "python" for name, folder in folders.items()}


def _install(lock: Path, base: Path, folder: Path, wheels: Path) -> None:
    """Make an empty environment, install what the lock file names, and stamp it. Remove what an interruption left."""
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([base, "-m", "venv", "--without-pip", str(folder)], check=True)
    # Not compiled: each is started once or twice.
    options = ["--no-compile", "--no-index", "--find-links", str(wheels), "--requirement", str(lock)]
    _pip("--python", str(folder / "bin" / "python"), "install", *options)
    _stamp(folder).touch()


def _fetch(locks: Sequence[Path], wheels: Path) -> None:
    wanted = [option for lock in locks for option in ("--requirement", str(lock))]
    platform = ["--python-version", _version(), "--only-binary=:all:"]
    _pip("download", "--no-deps", *platform, "--dest", str(wheels), *wanted)


def _version() -> str:
    return subprocess.run(
        [_runtime(), "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


def _digest(base: Path, lock: Path) -> str:
    return hashlib.sha256(f"{base.resolve()}\n".encode() + lock.read_bytes()).hexdigest()[:16]


def _stamp(folder: Path) -> Path:
    return folder / "installed"


def _runtime() -> Path:
    """A Python of the functions' version, or the running one: their locks hold for it too, and pip says so if not."""
    named = shutil.which(f"python{RUNTIME}")
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    for python in [*([Path(named)] if named else []), *pyenv.glob(f"versions/{RUNTIME}.*/bin/python{RUNTIME}")]:
        if subprocess.run([python, "-c", "import venv"], capture_output=True, check=False).returncode == 0:
            return python
    return Path(sys.executable).with_name(f"python{sys.version_info.major}.{sys.version_info.minor}")


def _pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments, "--require-hashes"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
