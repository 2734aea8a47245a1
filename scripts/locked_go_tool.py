"""A tool that is built with Go, at the versions and checksums of a go.mod and go.sum of its own."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from pathlib import Path

from scripts.locked_environment import NotInstalled
from scripts.made_once import made_once


def locked_go_tool(module: Path) -> Path:
    """The program of the tool that the folder `module` locks. Both have one name. The module's go.mod names the package
    with a `tool` line (https://go.dev/ref/mod#go-mod-file-tool). Some minutes of work when it is first asked for.
    Raises NotInstalled."""
    if not shutil.which("go"):
        raise NotInstalled(f"There is no go on PATH, so {module.name} cannot be built. See https://go.dev/doc/install.")

    def build(folder: Path) -> None:
        command = ["go", "build", "-mod=readonly", "-o", f"{folder}/", "tool"]
        built = subprocess.run(command, cwd=module, capture_output=True, text=True, check=False)
        if built.returncode:
            raise NotInstalled(f"{module.name} cannot be built: {built.stderr.strip()[-500:]}")

    lock = hashlib.sha256((module / "go.sum").read_bytes()).hexdigest()[:12]
    return made_once(f"{module.name}-{lock}", build) / module.name
