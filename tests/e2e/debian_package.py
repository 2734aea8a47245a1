"""A program of a Debian package, without installing the package: apt and dpkg put it into the user's cache folder.

apt checks the package against Debian's signatures. No version is locked here: Debian replaces one by its next security
update, and then has only that. Nothing outside of the cache folder changes, and nobody has to be root: apt gets folders
of its own for its lists and archives."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from scripts.local_cloud.missing_server import Missing
from scripts.local_cloud.process import cache_folder, exclusive

_SECONDS = 300


def program_of(package: str, path: str) -> str:
    """The program of this package at this path below its root: the one on PATH, if there is one. Raises Missing."""
    name = Path(path).name
    if found := shutil.which(name):
        return found
    folder = cache_folder(f"debian-{package}")
    with exclusive(folder):
        program = folder / "root" / path
        if not program.exists():
            # Unpacked next to its final place, then moved: an interrupted download leaves nothing broken behind.
            with tempfile.TemporaryDirectory(dir=folder) as place:
                root = _unpacked(package, Path(place))
                shutil.rmtree(folder / "root", ignore_errors=True)
                root.rename(folder / "root")
    return str(program)


def _unpacked(package: str, folder: Path) -> Path:
    if not shutil.which("apt-get") or not shutil.which("dpkg"):
        raise Missing(f"The test needs {package}. Install it; only on Debian and Ubuntu the test gets it itself.")
    for part in ("state/lists/partial", "cache/archives/partial", "root"):
        (folder / part).mkdir(parents=True)
    options = {
        "Dir::State": folder / "state",
        "Dir::State::status": "/var/lib/dpkg/status",
        "Dir::Cache": folder / "cache",
        "Acquire::Languages": "none",
        "Acquire::Retries": 3,
        "APT::Sandbox::User": "",  # root's apt would hand the download to a user who cannot see this folder
    }
    apt = ["apt-get", "--quiet", "--yes", *(f"--option={name}={value}" for name, value in options.items())]
    _run(package, [*apt, "update"], folder)
    _run(package, [*apt, "download", package], folder)
    (archive,) = folder.glob("*.deb")
    _run(package, ["dpkg", "--extract", str(archive), "root"], folder)
    return folder / "root"


def _run(package: str, command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=_SECONDS, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip()[-500:]
        raise Missing(
            f"The test needs {package}. Install it: `{command[0]} {command[-2]} {command[-1]}` failed: {said}"
        )
