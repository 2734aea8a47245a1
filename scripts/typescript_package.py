"""The TypeScript client: its types from the description of the API, its JavaScript, and the package for npm."""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from ragbase import __version__
from ragbase.interfaces.api.description import document
from scripts.locked import locked_modules

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "clients" / "typescript"
_MADE = ("node_modules", "dist", "build", "openapi.*")


def build(folder: Path) -> None:
    """Build the client in `folder`, a new one: the checkout stays as it is. Raises Missing without Node."""
    modules = locked_modules(SOURCE)
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns(*_MADE))
    shutil.copy(ROOT / "LICENSE", folder)
    (folder / "openapi.json").write_text(json.dumps(document(is_open=False)), encoding="utf-8")
    described = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    described["version"] = npm_version(__version__)
    (folder / "package.json").write_text(json.dumps(described, indent=2), encoding="utf-8")
    (folder / "node_modules").symlink_to(modules)
    npm(folder, "run", "build")


def npm_version(version: str) -> str:
    """A version of Python in the words of npm (https://semver.org): 0.2.0.dev7+gabc is 0.2.0-dev.7."""
    return re.sub(r"\.dev(\d+).*", r"-dev.\1", version)


def pack(built: Path, into: Path) -> Path:
    """The package of a client that was built."""
    (packed,) = json.loads(npm(built, "pack", "--json", "--ignore-scripts", "--pack-destination", str(into)))
    return into / str(packed["filename"])


def npm(folder: Path, *arguments: str) -> str:
    """What npm prints. Raises RuntimeError with all of it if it fails."""
    done = subprocess.run(["npm", *arguments], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"npm {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the TypeScript client as a package for npm.")
    parser.add_argument("folder", type=Path, help="where the package goes")
    into: Path = parser.parse_args().folder.resolve()
    into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        built = Path(temporary, "client")
        build(built)
        print(pack(built, into))


if __name__ == "__main__":
    main()
