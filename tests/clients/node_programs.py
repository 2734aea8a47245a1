"""The TypeScript client as a package, and programs of this folder that Node runs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from scripts.typescript_package import npm
from tests.clients.asked_server import HERE


def with_modules(program: str, modules: Path, folder: Path) -> Path:
    """The program in an empty folder, beside the modules that it imports."""
    folder.mkdir()
    (folder / "node_modules").symlink_to(modules)
    shutil.copy(HERE / program, folder)
    return folder / program


def installed(package: Path, folder: Path) -> Path:
    """The modules of a new project that has installed this package. It has no others, so no registry is asked."""
    folder.mkdir()
    (folder / "package.json").write_text(json.dumps({"private": True, "type": "module"}), encoding="utf-8")
    npm(folder, "install", "--offline", "--no-audit", "--no-fund", str(package))
    return folder / "node_modules"
