"""Set up .venv: `environment.py NAME KEY`. scripts/environment calls this when something is missing.

.venv/ragbase-NAME says that the packages for NAME are installed: it holds KEY and the path of Python. It is written
when the work is done, and removed before the work starts again. A .venv without any such stamp is left over from an
interrupted set-up, so it is created again.

An extra is added to packages that are in use, so their stamps stay. Meanwhile, .venv/ragbase-unfinished names it.
"""

from __future__ import annotations

import ast
import ensurepip
import fcntl
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
LOCKS = ROOT / "requirements"
UNFINISHED = VENV / "ragbase-unfinished"
EXTRAS = tuple(sorted(file.stem for file in (LOCKS / "extras").glob("*.txt")))
"""What comes to the command `ragbase` with the first file or command that needs it."""
SETS = {
    "core": ["core"],
    **{extra: [f"extras/{extra}"] for extra in EXTRAS},
    "unit": ["test"],
    "test": ["test", "cloud", "docs", "openai"],
}
"""The lock files of each set-up. `core` is for the command `ragbase`, `unit` for tests without clients of clouds."""
INCLUDES = {
    "unit": ["core", "unit", *(extra for extra in EXTRAS if extra != "s3")],
    "test": ["core", "unit", "test", *EXTRAS],
}
"""What else a set-up is good for."""
READERS = {
    "core": ["pypdfium2", "pypdfium2_raw"],
    "ocr": ["PIL", "tesserocr"],
    "office": ["xberg"],
    "unit": ["pypdfium2", "pypdfium2_raw", "PIL", "tesserocr", "xberg"],
}
"""What processes with limits import. They cannot keep its compiled form, so each would compile it again."""
PIP_TO_UV = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "no-index": "UV_NO_INDEX",
    "trusted-host": "UV_INSECURE_HOST",
    "cert": "SSL_CERT_FILE",
    "client-cert": "SSL_CLIENT_CERT",
    "proxy": "ALL_PROXY",
}
"""How uv is told what pip's configuration says of the package index (docs.astral.sh/uv/reference/environment)."""
LARGE = re.compile(r"\s*Downloading (?P<name>[\w.-]+?)(?:-\d[\w.]*-\S+)? \((?P<size>[\d.]+ ?(?:MB|GB|MiB|GiB))\)")
"""A line of uv or pip: a package of a megabyte or more is on its way."""


class _NotInstalled(Exception):
    """The packages cannot be had. What pip says of that is printed."""


def main() -> None:
    name, key = sys.argv[1:]
    with _locked():
        if UNFINISHED.exists() and _stamp("core").exists():
            _finish(key)
        if _is_installed(name, key):
            return
        try:
            if name in EXTRAS:
                _add(name, key)
            else:
                _install(name, key)
        except _NotInstalled:
            if name in EXTRAS:  # who asked for it says what that means
                sys.exit(1)
            sys.exit(
                "The set-up is not complete. The lines above say what went wrong. Fix it and run the command again."
            )


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


def _put_stamps(name: str, key: str) -> None:
    for included in INCLUDES.get(name, [name]):
        _stamp(included).write_text(f"{key}\n{PYTHON.resolve()}\n", encoding="utf-8")


def _install(name: str, key: str) -> None:
    """This set-up, and again each that is there: all of them are of one version of the lock files."""
    present = [one for one in SETS if _stamp(one).exists()]
    if not present or not PYTHON.exists():
        _say(f"Creating .venv with Python {sys.version.split()[0]}")
        _create()
        present = []
    for one in present:
        _stamp(one).unlink(missing_ok=True)
    wanted = [name, *(one for one in present if one not in INCLUDES.get(name, [name]))]
    locks = dict.fromkeys(lock for one in wanted for lock in SETS[one])
    for lock in locks:
        _bring(lock)
    folder = _packages()
    # A relative path: the checkout can be moved, and the file stays in ASCII whatever the checkout's path is.
    (folder / "ragbase.pth").write_text(f"{os.path.relpath(ROOT / 'common', folder)}\n", encoding="ascii")
    for one in wanted:
        _compile(one)
        _put_stamps(one, key)


def _add(extra: str, key: str) -> None:
    if not any(_is_installed(base, key) for base in ("core", *INCLUDES)):
        _say("requirements/ has changed since this command began. Run the command again.")
        raise _NotInstalled
    UNFINISHED.write_text(f"{extra}\n", encoding="utf-8")
    try:
        _bring(*SETS[extra])
    except _NotInstalled:  # nothing is changed before all packages are there
        UNFINISHED.unlink()
        raise
    _compile(extra)
    _put_stamps(extra, key)
    UNFINISHED.unlink()


def _finish(key: str) -> None:
    """Add the extra again whose addition was interrupted. What does not need it works without, so this may fail."""
    extra = UNFINISHED.read_text(encoding="utf-8").strip()
    try:
        if extra in EXTRAS:
            _add(extra, key)
    except _NotInstalled:
        _say(f"The extra {extra} is not complete. All that does not need it works.")


def _create() -> None:
    """With pip, whose wheel is part of Python. Its installation by `ensurepip` takes many times as long."""
    venv.EnvBuilder(clear=True, symlinks=True, with_pip=False).create(VENV)
    wheels = list(Path(ensurepip.__file__).parent.glob("_bundled/pip-*.whl"))
    if len(wheels) == 1:
        with zipfile.ZipFile(wheels[0]) as wheel:
            wheel.extractall(_packages())
    else:  # a distribution of Linux may keep it elsewhere
        subprocess.run([PYTHON, "-P", "-m", "ensurepip"], stdout=subprocess.DEVNULL, check=True, close_fds=False)


def _packages() -> Path:
    (folder,) = VENV.glob("lib/python3*/site-packages")
    return folder


def _bring(lock: str) -> None:
    """Install what a lock file names: with uv, or else with pip, which takes five times as long. Both find what is
    installed already. The lock files are complete, so nothing is resolved again. Raises _NotInstalled."""
    file = LOCKS / f"{lock}.txt"
    packages = len(re.findall(r"^\S+==", file.read_text(encoding="utf-8"), re.MULTILINE))
    _say(f"Installing requirements/{lock}.txt: {packages} packages")
    options = ["install", "--no-deps", "--require-hashes", "--requirement", str(file)]
    uv = _uv()
    if uv is None or not _has_run([uv[0], "pip", *options, "--python", str(PYTHON)], uv[1]):
        _pip(*options, "--retries", "1")


def _uv() -> tuple[str, Mapping[str, str]] | None:
    """The one of this machine, which its user has configured; or our own, which asks the package index of pip."""
    if found := shutil.which("uv"):
        return found, {}
    ours = VENV / "bin" / "uv"
    if not ours.exists():
        _say("Installing uv, which installs the rest quickly")
        if not _has_run(
            _pip_command("install", "--no-deps", "--require-hashes", "--requirement", str(LOCKS / "uv.txt"))
        ):
            return None
    return str(ours), {"UV_NO_PROGRESS": "1", **_index_of_pip()}


def _index_of_pip() -> dict[str, str]:
    listed = subprocess.run(_pip_command("config", "list"), capture_output=True, text=True, check=False).stdout
    told = {}
    for line in listed.splitlines():
        name, _, value = line.partition("=")
        variable = PIP_TO_UV.get(name.rpartition(".")[2])
        if variable is not None and variable not in os.environ:
            separator = "," if variable == "UV_FIND_LINKS" else " "
            told[variable] = separator.join(str(ast.literal_eval(value)).split())
    return told


def _pip_command(*arguments: str) -> list[str]:
    """pip without the modules of the current folder. What is imported later is compiled then, and most is not."""
    quick = ["--no-compile"] if arguments[0] == "install" else []
    return [str(PYTHON), "-P", "-m", "pip", "--disable-pip-version-check", *arguments, *quick]


def _pip(*arguments: str) -> None:
    if not _has_run(_pip_command(*arguments), is_last=True):
        raise _NotInstalled


def _has_run(command: Sequence[str], more: Mapping[str, str] | None = None, *, is_last: bool = False) -> bool:
    """Run a program that installs, and tell which large packages it loads. What it says of a failure is for the user if
    there is no other way."""
    others = []
    with subprocess.Popen(
        command,
        env={**os.environ, **(more or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd="/",  # in the checkout, uv would heed what pyproject.toml says of other resolutions
        text=True,
        errors="replace",
        close_fds=False,
    ) as program:
        for line in program.stdout or ():
            if large := LARGE.match(line):
                _say(f"  loading {large['name']} ({large['size']})")
            else:
                others.append(line)
    if program.returncode and is_last:
        errors = [line for line in others if line.lower().startswith("error")] or others[-5:]
        print("".join(errors), file=sys.stderr, end="", flush=True)
    return program.returncode == 0


def _compile(name: str) -> None:
    folder = _packages()
    modules = [str(folder / module) for module in READERS.get("unit" if name in INCLUDES else name, ())]
    if modules:
        subprocess.run(
            [PYTHON, "-P", "-m", "compileall", "-q", *modules], stdout=sys.stderr, check=False, close_fds=False
        )


def _say(what: str) -> None:
    print(f"ragbase: {what}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
