"""`vendor`: write the modules of others that the console uses into its folder, as ES modules that a browser loads
without a build. Each package is fetched with npm, and refused if its hash is not the one below. To take another
version, change the version and the hash here.

Beside the modules, it writes their licences, and `vendored.json` with the hash of each file as it stands there."""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "common/ragbase/interfaces/console/page/vendor"
MANIFEST = "vendored.json"


@dataclass(frozen=True, slots=True)
class Package:
    """`integrity` is the hash of the package's archive as npm writes it. `files` says which file of the package becomes
    which module."""

    name: str
    version: str
    licence: str
    integrity: str
    files: Mapping[str, str]


PACKAGES = (
    Package(
        "preact",
        "11.2.0",
        "MIT",
        "sha512-/HfHI/7N84e6GrWBJ3J280z3mLaRJiDcSvj/A+y/4AbLnND/1UlGHe1sR6oYuTGwId0nP7dqDU9OnLxMPZ7xBg==",
        {"dist/preact.mjs": "preact.js", "hooks/dist/hooks.mjs": "hooks.js"},
    ),
    Package(
        "htm",
        "3.1.1",
        "Apache-2.0",
        "sha512-983Vyg8NwUE7JkZ6NmOqpCZ+sh1bKv2iYTlUkzlWmA5JD2acKoxd4KVxbMmxX/85mtfdnDmTFoNKcg5DGAvxNQ==",
        {"dist/htm.mjs": "htm.js"},
    ),
    Package(
        "@preact/signals-core",
        "1.14.5",
        "MIT",
        "sha512-vcRv7Ityz5JVmeiVqIluLFzT/PDS/AlhHUpw3/aUWqcVUs6bDGIPXE/6RSC4evBNWYvnniozg5Syfj33al3gkg==",
        {"dist/signals-core.mjs": "signals-core.js"},
    ),
    Package(
        "@preact/signals",
        "2.11.4",
        "MIT",
        "sha512-Rb+5RPo9gWSaHtzJeauhHxiC8KP/IF2DEPkHPEOGOnuy2wnJzRqyeLRankUCYd6ADqtxS6GnWGv6Ie343d8aYw==",
        {"dist/signals.mjs": "signals.js"},
    ),
)

_IMPORTS = {
    "preact": "./preact.js",
    "preact/hooks": "./hooks.js",
    "@preact/signals-core": "./signals-core.js",
}
"""What the modules import by name. A browser finds names only with an import map, and a strict policy allows no inline
script, which that is."""
_FROM = re.compile(r'(?<=from)"([^".][^"]*)"')
_MAP = re.compile(r"\s*//# sourceMappingURL=\S+\s*\Z")


class WrongPackage(Exception):
    """The package that was fetched is not the one that is described here."""


def module(package: Package, source: str) -> str:
    """The module as a browser loads it: its imports are files, and its first line says whose it is."""

    def local(found: re.Match[str]) -> str:
        if found[1] not in _IMPORTS:
            raise WrongPackage(f"{package.name} imports {found[1]}, which is not vendored. Add it to PACKAGES.")
        return f'"{_IMPORTS[found[1]]}"'

    title = f"/* {package.name} {package.version}, {package.licence}: see {licence_file(package)} */\n"
    return title + _FROM.sub(local, _MAP.sub("", source)).rstrip() + "\n"


def licence_file(package: Package) -> str:
    return f"{package.name.replace('@', '').replace('/', '-')}.LICENSE"


def fetch(package: Package, folder: Path) -> dict[str, str]:
    """The texts of the package's files that are wanted, and its licence. Raises WrongPackage, and CalledProcessError if
    npm fails."""
    command = ["npm", "pack", f"{package.name}@{package.version}", "--silent", "--pack-destination", str(folder)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    archive = folder / printed.split()[-1]
    found = f"sha512-{base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()}"
    if found != package.integrity:
        raise WrongPackage(f"{package.name} {package.version} has the hash {found}, and not {package.integrity}.")
    texts = {}
    with tarfile.open(archive) as tar:
        for name in [*package.files, "LICENSE"]:
            member = tar.extractfile(f"package/{name}")
            if member is None:
                raise WrongPackage(f"{package.name} {package.version} has no file {name}.")
            texts[name] = member.read().decode("utf-8")
    return texts


def vendor(folder: Path) -> None:
    described = []
    for package in PACKAGES:
        with tempfile.TemporaryDirectory() as temporary:
            texts = fetch(package, Path(temporary))
        written = {name: module(package, texts[source]) for source, name in package.files.items()}
        written[licence_file(package)] = texts["LICENSE"]
        for name, text in written.items():
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
        hashes = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in written.items()}
        described.append(
            {
                "package": package.name,
                "version": package.version,
                "licence": package.licence,
                "integrity": package.integrity,
                "sha256": hashes,
            }
        )
    (folder / MANIFEST).write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")


def main() -> int:
    argparse.ArgumentParser(prog="vendor", description=__doc__).parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    try:
        vendor(FOLDER)
    except FileNotFoundError:
        print("vendor needs npm. Install Node.js.", file=sys.stderr)
        return 1
    except (WrongPackage, subprocess.CalledProcessError) as error:
        print(f"vendor: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
