"""The base of the image, laid out from Debian's packages: what Debian's own slim image is made of, under its name.

Where no registry of images is reached, the real Dockerfile can still be built and run."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from scripts.local_cloud.missing_server import Missing
from scripts.local_cloud.process import cache_folder, exclusive
from scripts.locked import ROOT

DOCKERFILE = ROOT / "Dockerfile"
RELEASES = {"13": "trixie"}
SLIM = (
    *("path-exclude=/usr/share/doc/*", "path-include=/usr/share/doc/*/copyright", "path-exclude=/usr/share/man/*"),
    *("path-exclude=/usr/share/locale/*", "path-exclude=/usr/share/info/*", "path-exclude=/usr/share/groff/*"),
    "path-exclude=/usr/share/lintian/*",
)
"""What a slim image leaves out (github.com/debuerreotype/debuerreotype, scripts/.slimify-excludes)."""


def base_name() -> str:
    """The name of the image that the Dockerfile begins with."""
    name: str
    (name,) = set(re.findall(r"^FROM (\S+/\S+)", DOCKERFILE.read_text(encoding="utf-8"), re.MULTILINE))
    return name


def lay_out_base() -> None:
    """Into Podman's and Buildah's store, unless it is there. One process does, and the others wait. Raises Missing."""
    for command in ("mmdebstrap", "podman", "buildah"):
        if shutil.which(command) is None:
            raise Missing(f"{command} is not installed. Install it with: apt-get install {command}")
    with exclusive(cache_folder("base-of-image")):
        if subprocess.run(["podman", "image", "exists", base_name()], check=False).returncode:
            _lay_out(base_name())


def _lay_out(name: str) -> None:
    release = RELEASES[name.rpartition(":")[2].partition(".")[0]]
    with tempfile.TemporaryDirectory(prefix="ragbase-base-") as folder:
        archive = Path(folder) / "base.tar"
        _run("mmdebstrap", "--quiet", "--variant=minbase", *(f"--dpkgopt={one}" for one in SLIM), release, str(archive))
        _run("podman", "import", "--quiet", str(archive), name)


def _run(*command: str) -> None:
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise Missing(f"The base of the image cannot be laid out: {command[0]}: {ended.stderr.strip()[-500:]}")
