"""Node's packages that a package-lock.json locks, in a folder beside the checkout."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

from scripts.local_cloud.missing_server import Missing
from scripts.local_cloud.process import cache_folder, exclusive

_FILES = ("package.json", "package-lock.json", ".npmrc")


def locked_modules(folder: Path) -> Path:
    """The folder whose node_modules holds what `folder` locks. They are installed when it is first asked for, without
    the scripts that packages bring. Raises Missing without Node or npm."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise Missing("Node.js and npm are not installed. Debian's packages are nodejs and npm.")
    digest = hashlib.sha256(b"".join((folder / name).read_bytes() for name in _FILES)).hexdigest()
    installed = cache_folder(f"node-{digest[:12]}")
    done = installed / "installed"
    with exclusive(installed):
        if not done.exists():
            for name in _FILES:
                shutil.copyfile(folder / name, installed / name)
            subprocess.run(
                [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], cwd=installed, check=True
            )
            done.touch()
    return installed
