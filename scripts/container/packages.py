"""What is installed in an image: the packages of Debian and of Python, as they stand in its archive."""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path

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
