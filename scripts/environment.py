"""Set up .venv: `environment.py NAME KEY`, called by scripts/environment where the stamp of NAME does not say KEY.

A stamp, .venv/ragbase-NAME, is written when all is done and removed before anything is changed. A .venv without a stamp
is what an interrupted set-up has left, and is made anew.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
INCLUDES = {"local": ["local"], "test": ["local", "test"]}
"""The set-ups that an environment stands for: that of the tests has all that the command needs."""
REQUIREMENTS = {"local": ["local.txt"], "test": ["test.txt", "cloud.txt"]}


def main() -> None:
    name, key = sys.argv[1:]
    with _alone():
        if _stamped(name) != key:
            _set_up(name, key)


@contextmanager
def _alone() -> Iterator[None]:
    """Hold .venv: a second set-up waits for the first, and then finds everything done."""
    VENV.mkdir(exist_ok=True)
    folder = os.open(VENV, os.O_RDONLY)
    os.set_inheritable(folder, True)  # a pip that outlives a killed set-up still holds .venv
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say("Waiting for another process that sets up .venv")
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _stamp(name: str) -> Path:
    return VENV / f"ragbase-{name}"


def _stamped(name: str) -> str | None:
    """The key of a set-up that still stands, else None."""
    try:
        key, model, base = _stamp(name).read_text(encoding="utf-8").splitlines()
        return key if Path(model).is_file() and PYTHON.samefile(base) else None
    except (OSError, ValueError):
        return None


def _set_up(name: str, key: str) -> None:
    stamps = [stamp for stamp in map(_stamp, INCLUDES) if stamp.exists()]
    if not stamps or not PYTHON.exists():
        _say(f"Creating .venv with Python {sys.version.split()[0]}")
        venv.EnvBuilder(clear=True, symlinks=True, with_pip=True).create(VENV)
    for stamp in stamps:
        stamp.unlink(missing_ok=True)
    for requirements in REQUIREMENTS[name]:
        _say(f"Installing requirements/{requirements}")
        arguments = ["install", "--quiet", "--disable-pip-version-check", "--require-hashes", "--requirement"]
        _run("pip", *arguments, str(ROOT / "requirements" / requirements))
    (folder,) = VENV.glob("lib/python3*/site-packages")
    # Relative, so that a checkout can be moved, and in ASCII whatever its path.
    (folder / "ragbase.pth").write_text(f"{os.path.relpath(ROOT / 'common', folder)}\n", encoding="ascii")
    _say("Preparing the embedding model (downloads 83 MB, once for all checkouts)")
    model = _run("ragbase.adapters.minilm_export")
    for included in INCLUDES[name]:
        _stamp(included).write_text(f"{key}\n{model}\n{PYTHON.resolve()}\n", encoding="utf-8")


def _run(module: str, *arguments: str) -> str:
    """Run a module in .venv, away from the modules of the current folder, and return what it printed."""
    ran = subprocess.run(
        [PYTHON, "-P", "-m", module, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        close_fds=False,
    )
    if ran.returncode:
        sys.exit("The set-up is not complete: what went wrong is said above. Mend it and run the command again.")
    return ran.stdout.strip()


def _say(what: str) -> None:
    print(f"ragbase: {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
