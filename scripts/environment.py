"""Set up .venv: `environment.py NAME VENV_KEY [MODEL_KEY]`. scripts/environment calls this when something is missing.

.venv/ragbase-NAME says that the packages for NAME are installed: it holds VENV_KEY and the path of Python.
.venv/ragbase-model-MODEL_KEY says that the models are ready: it holds the paths of the embedding models' files.

Each of these stamps is written when its work is done, and removed before the work starts again. A .venv without any
stamp for packages is left over from an interrupted set-up, so it is created again.
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
"""What each set-up is good for. The one for the tests has all that the command `ragbase` needs."""
REQUIREMENTS = {"local": ["local.txt"], "test": ["test.txt", "cloud.txt", "docs.txt", "openai.txt"]}


def main() -> None:
    name, venv_key, *model_keys = sys.argv[1:]
    with _locked():
        if not _is_installed(name, venv_key):
            _install(name, venv_key)
        for model_key in model_keys:
            if not _has_model(model_key):
                _prepare_model(model_key)


@contextmanager
def _locked() -> Iterator[None]:
    """Lock .venv. A second set-up waits for the first one and then finds everything done."""
    VENV.mkdir(exist_ok=True)
    folder = os.open(VENV, os.O_RDONLY)
    os.set_inheritable(folder, True)  # if the set-up is killed, a pip that is still running keeps the lock
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


def _is_installed(name: str, key: str) -> bool:
    try:
        found, base = _stamp(name).read_text(encoding="utf-8").splitlines()
        return found == key and PYTHON.samefile(base)
    except (OSError, ValueError):
        return False


def _has_model(key: str) -> bool:
    try:
        paths = _stamp(f"model-{key}").read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    return bool(paths) and all(Path(path).is_file() for path in paths)


def _install(name: str, key: str) -> None:
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
    # A relative path: the checkout can be moved, and the file stays in ASCII whatever the checkout's path is.
    (folder / "ragbase.pth").write_text(f"{os.path.relpath(ROOT / 'common', folder)}\n", encoding="ascii")
    for included in INCLUDES[name]:
        _stamp(included).write_text(f"{key}\n{PYTHON.resolve()}\n", encoding="utf-8")


def _prepare_model(key: str) -> None:
    _say("Preparing the data of OCR (the first time, this downloads up to 19 MB)")
    if subprocess.run([PYTHON, "-P", "-m", "ragbase.formats.pdf.ocr_data"], check=False).returncode:
        _say("Without it, the tests of OCR are left out. All others run.")
    _say("Preparing the embedding models (the first time, this downloads 175 MB)")
    prepared = _run("ragbase.bootstrap.local_models", "minilm", "e5")
    _stamp(f"model-{key}").write_text(f"{prepared}\n", encoding="utf-8")


def _run(module: str, *arguments: str) -> str:
    """Run a module in .venv, without the modules of the current folder, and return what it printed."""
    ran = subprocess.run(
        [PYTHON, "-P", "-m", module, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        close_fds=False,
    )
    if ran.returncode:
        sys.exit("The set-up is not complete. The lines above say what went wrong. Fix it and run the command again.")
    return ran.stdout.strip()


def _say(what: str) -> None:
    print(f"ragbase: {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
