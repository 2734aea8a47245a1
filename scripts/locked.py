"""What is installed or built once, at locked versions, in the user's cache folder."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

from scripts.local_cloud.missing_server import Missing
from scripts.local_cloud.process import cache_folder, exclusive

ROOT = Path(__file__).resolve().parents[1]
_LEAST = 20
"""The major version of Node that the modules need."""
_LISTS = ("package.json", "package-lock.json", ".npmrc")


class NotInstalled(Exception):
    """The tool cannot be installed here. The message says why."""


def made_once(name: str, make: Callable[[Path], None]) -> Path:
    """The folder of this name in the cache. `make` fills it when it is first asked for; other processes wait for it.
    After `make` has raised an error or was interrupted, the next one makes it again, over what was left there."""
    folder = cache_folder(name)
    done = folder / "installed"
    with exclusive(folder):
        if not done.exists():
            make(folder)
            done.touch()
    return folder


def locked_environment(tool: str, lock: str) -> Path:
    """The folder with the commands of a Python tool that needs other versions than we do, which requirements/LOCK.txt
    locks. Raises NotInstalled."""
    requirements = _requirements(lock)
    found = re.search(rf"^{re.escape(tool)}==(\S+)", requirements.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise NotInstalled(f"{requirements} does not lock {tool}.")

    def install(folder: Path) -> None:
        venv.EnvBuilder(with_pip=True, clear=True).create(folder)
        options = ["--quiet", "--require-hashes", "--requirement", str(requirements)]
        _install(tool, [folder / "bin" / "python", "-m", "pip", "install", *options], "installed")

    return made_once(f"{tool}-{found[1]}", install) / "bin"


def locked_packages(lock: str) -> Path:
    """The folder of the Python packages that .venv lacks, and requirements/LOCK.txt locks. A process that imports them
    has the folder in its PYTHONPATH; what they need of .venv's packages is there."""
    requirements = _requirements(lock)

    def install(folder: Path) -> None:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        options = ["--require-hashes", "--no-deps", "--upgrade", "--target", str(folder)]
        subprocess.run([*pip, *options, "--requirement", str(requirements)], check=True)

    return made_once(f"{lock}-{_digest(requirements)}", install)


def locked_go_tool(module: Path) -> Path:
    """The program of the tool that the go.mod and go.sum of the folder `module` lock. Both have one name. go.mod names
    the package with a `tool` line (https://go.dev/ref/mod#go-mod-file-tool). Some minutes of work when it is first
    asked for. Raises NotInstalled."""
    if not shutil.which("go"):
        raise NotInstalled(f"There is no go on PATH, so {module.name} cannot be built. See https://go.dev/doc/install.")

    def build(folder: Path) -> None:
        _install(module.name, ["go", "build", "-mod=readonly", "-o", f"{folder}/", "tool"], "built", module)

    return made_once(f"{module.name}-{_digest(module / 'go.sum')}", build) / module.name


def locked_modules(folder: Path) -> Path:
    """The folder node_modules with what the package-lock.json of `folder` locks. A program that imports the modules has
    a link to it beside itself or above. Raises Missing without Node."""
    check_node()
    lists = [folder / name for name in _LISTS]

    def install(cache: Path) -> None:
        for one in lists:
            shutil.copy(one, cache)
        options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        subprocess.run(["npm", "ci", *options], cwd=cache, check=True)

    return made_once(f"{folder.name}-modules-{_digest(*lists)}", install) / "node_modules"


def check_node() -> None:
    """Raises Missing."""
    node, npm = shutil.which("node"), shutil.which("npm")
    version = subprocess.check_output([node, "--version"], text=True).strip() if node else ""
    major = re.match(r"v(\d+)\.", version)
    if npm is None or major is None or int(major[1]) < _LEAST:
        found = f"This machine has node {version or 'not at all'} and npm {'too' if npm else 'not at all'}."
        raise Missing(f"Node {_LEAST} or newer with npm is missing. {found} Install them from https://nodejs.org.")


def _requirements(lock: str) -> Path:
    return ROOT / "requirements" / f"{lock}.txt"


def _digest(*files: Path) -> str:
    return hashlib.sha256(b"\0".join(one.read_bytes() for one in files)).hexdigest()[:12]


def _install(tool: str, command: list[str | Path], done: str, folder: Path | None = None) -> None:
    """Raises NotInstalled."""
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise NotInstalled(f"{tool} cannot be {done}: {ended.stderr.strip()[-500:]}")
