"""Modules for Node, in a folder beside the checkout."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

from scripts.local_cloud.missing_server import Missing
from scripts.made_once import made_once

_LEAST = 20
"""The major version of Node that the modules need."""
_LISTS = ("package.json", "package-lock.json", ".npmrc")


def locked_modules(folder: Path) -> Path:
    """The folder node_modules with what the package-lock.json of `folder` locks. It is installed when it is first asked
    for. A program that imports the modules has a link to it beside itself or above. Raises Missing without Node."""
    check_node()
    lists = [folder / name for name in _LISTS]
    wanted = hashlib.sha256(b"\0".join(one.read_bytes() for one in lists)).hexdigest()[:12]

    def install(cache: Path) -> None:
        for one in lists:
            shutil.copy(one, cache)
        options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        subprocess.run(["npm", "ci", *options], cwd=cache, check=True)

    return made_once(f"{folder.name}-modules-{wanted}", install) / "node_modules"


def check_node() -> None:
    """Raises Missing."""
    node, npm = shutil.which("node"), shutil.which("npm")
    version = subprocess.check_output([node, "--version"], text=True).strip() if node else ""
    major = re.match(r"v(\d+)\.", version)
    if npm is None or major is None or int(major[1]) < _LEAST:
        found = f"This machine has node {version or 'not at all'} and npm {'too' if npm else 'not at all'}."
        raise Missing(f"Node {_LEAST} or newer with npm is missing. {found} Install them from https://nodejs.org.")
