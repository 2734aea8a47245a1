"""`sbom [FOLDER]`: a software bill of materials for each lock file of what runs, in CycloneDX's JSON
(https://cyclonedx.org): every package with its version and the hashes of its files. Two runs on one checkout write the
same bytes. Without FOLDER, it writes to build/sbom."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from email.parser import HeaderParser
from pathlib import Path

from ragbase.version import current_version
from scripts.container.base import base_name
from scripts.locked import ROOT, NotInstalled, locked_environment

_DPKG = "var/lib/dpkg/status"
_METADATA = re.compile(r"(?:usr/(?:local/)?|opt/)[^:]*/[^/]+\.dist-info/METADATA")


@dataclass(frozen=True, slots=True, order=True)
class Package:
    """`kind` is `deb` or `pypi`, the types of https://github.com/package-url/purl-spec. Of Python's packages, only
    those of Debian have an architecture."""

    kind: str
    name: str
    version: str
    architecture: str | None = None


def packages_of(archive: Path) -> list[Package]:
    """The packages of the image in this archive, which `docker save` or the like has written, in the order of their
    names. A file of a later layer replaces the same file of an earlier one."""
    files: dict[str, bytes] = {}
    with tarfile.open(archive) as image:
        (manifest,) = json.loads(_read(image, "manifest.json"))
        for layer in manifest["Layers"]:
            with tarfile.open(fileobj=image.extractfile(layer)) as content:
                _take(content, files)
    found = {package for path, text in files.items() for package in _packages(path, text.decode())}
    return sorted(found, key=lambda package: (package.kind, package.name, package.version))


def _take(layer: tarfile.TarFile, files: dict[str, bytes]) -> None:
    for member in layer:
        path = member.name.removeprefix("./")
        folder, _, name = path.rpartition("/")
        if name.startswith(".wh."):  # the layer deletes it (OCI Image Layer Specification, "Whiteouts")
            gone = f"{folder}/{name.removeprefix('.wh.')}"
            for file in [file for file in files if file == gone or file.startswith(f"{gone}/")]:
                del files[file]
        elif member.isfile() and (path == _DPKG or _METADATA.fullmatch(path)):
            files[path] = _read(layer, member.name)


def _read(archive: tarfile.TarFile, name: str) -> bytes:
    file = archive.extractfile(name)
    assert file is not None, name
    return file.read()


def _packages(path: str, text: str) -> Iterator[Package]:
    if path != _DPKG:
        fields = HeaderParser().parsestr(text)
        yield Package("pypi", fields["Name"], fields["Version"])
        return
    for paragraph in text.strip().split("\n\n"):
        fields = HeaderParser().parsestr(paragraph)
        if fields["Status"] == "install ok installed":
            yield Package("deb", fields["Package"], fields["Version"], fields["Architecture"])


LOCKS = ROOT / "requirements"


def what_runs() -> list[Path]:
    """The lock files of the command `ragbase`, of its extras for the cloud, of the image, and of each function. The
    others are for tests, benches and this script."""
    return [LOCKS / "local.txt", LOCKS / "cloud.txt", LOCKS / "image.txt", *sorted((LOCKS / "functions").glob("*.txt"))]


def write_sbom(lock: Path, folder: Path) -> Path:
    """It names this version of ragbase, which the tool cannot find: pyproject.toml leaves it to the build. Raises
    NotInstalled if the tool cannot be installed, and CalledProcessError if it fails."""
    written = folder / f"{lock.stem}.cdx.json"
    command = [str(locked_environment("cyclonedx-bom", "sbom") / "cyclonedx-py"), "requirements", str(lock)]
    options = ["--pyproject", str(ROOT / "pyproject.toml"), "--output-reproducible", "--output-format", "JSON"]
    # The tool warns that a lock file does not say which package needs which.
    subprocess.run([*command, *options, "--output-file", str(written)], check=True, stderr=subprocess.DEVNULL)
    bill = json.loads(written.read_text(encoding="utf-8"))
    bill["metadata"]["component"]["version"] = current_version()
    written.write_text(f"{json.dumps(bill, indent=2)}\n", encoding="utf-8")
    return written


def write_image_sbom(archive: Path, version: str, folder: Path) -> Path:
    """Of the image in this archive: what is installed in it, from Debian and from PyPI. Raises as write_sbom does."""
    written = folder / "container.cdx.json"
    given = {
        "version": version,
        "distribution": f"debian-{base_name().rpartition(':')[2].partition('.')[0]}",
        "packages": [asdict(package) for package in packages_of(archive)],
    }
    python = locked_environment("cyclonedx-bom", "sbom") / "python"
    command = [str(python), "-P", str(ROOT / "scripts" / "container" / "bill_of_materials.py")]
    made = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=True)
    written.write_text(made.stdout, encoding="utf-8")
    return written


def main() -> int:
    parser = argparse.ArgumentParser(prog="sbom", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "build" / "sbom", metavar="FOLDER")
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    try:
        for lock in what_runs():
            print(write_sbom(lock, folder))
    except NotInstalled as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
