"""Build the image from the Dockerfile, with whichever builder this machine has."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.local_cloud.missing_server import Missing
from scripts.locked import ROOT

TAG = "ragbase:latest"
"""As compose.yaml and the documentation name it. Podman and Buildah add `localhost/`."""
BUILDERS = ("docker", "podman", "buildah")
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"


class NotBuilt(Exception):
    """A step of the Dockerfile failed. The message has the end of what the builder said."""


@dataclass(frozen=True, slots=True)
class Image:
    """An image that was built: its size in bytes as it lies on a disk, and how long its build took."""

    tag: str
    size: int
    seconds: float


def builder() -> str:
    """The first builder that works here. Raises Missing."""
    for name in BUILDERS:
        if shutil.which(name) and not subprocess.run([name, "info"], capture_output=True, check=False).returncode:
            return name
    raise Missing("No builder of images works here. Install Docker, or Podman or Buildah (apt-get install buildah).")


def build(tag: str, by: str, *, source: Path = ROOT, target: str = "", pull: bool = True) -> Image:
    """A target of the Dockerfile in `source`, or the last, as an image of this name. Raises NotBuilt."""
    start = time.monotonic()
    command = [by, "build", "--tag", tag, *_secrets()]
    if target:
        command += ["--target", target]
    if by != "docker":
        command += ["--format", "docker"]  # OCI's format has no health check
    if by == "buildah":
        # Few rights are needed; the steps use this machine's network. Without --force-rm, Debian 12's Buildah keeps a
        # container of each image whose layers are all there.
        command += ["--isolation", "chroot", "--layers", "--force-rm"]
    if not pull:
        command += ["--pull=never"]
    ended = subprocess.run([*command, str(source)], capture_output=True, text=True, errors="replace", check=False)
    if ended.returncode:
        raise NotBuilt((ended.stdout + ended.stderr).strip()[-4000:])
    return Image(tag, _size(tag, by), time.monotonic() - start)


def build_on(base: str, instructions: Sequence[str], tag: str, *, folders: Mapping[str, Path], layers: bool) -> None:
    """An image of Buildah's that has these instructions after a base, which is here already. `folders` are those that
    they copy from, by name. With `layers`, what has not changed is not built again; without, they make one. Raises
    NotBuilt."""
    contexts = [f"--build-context={name}={path}" for name, path in folders.items()]
    kept = ["--layers", "--force-rm"] if layers else []
    command = ["buildah", "build", "--isolation", "chroot", "--pull=never", *kept, "--tag", tag, *contexts]
    with tempfile.TemporaryDirectory(prefix="ragbase-image-") as folder:
        Path(folder, "Dockerfile").write_text("\n".join([f"FROM {base}", *instructions, ""]), encoding="utf-8")
        ended = subprocess.run([*command, folder], capture_output=True, text=True, errors="replace", check=False)
    if ended.returncode:
        raise NotBuilt((ended.stdout + ended.stderr).strip()[-4000:])


def save(tag: str, by: str, file: Path) -> None:
    """The image as a file, packed with gzip. `docker load` and `podman load` take it unpacked. Raises NotBuilt."""
    unpacked = file.with_suffix("")
    command = {
        "docker": ["docker", "save", "--output", str(unpacked), tag],
        "podman": ["podman", "save", "--quiet", "--format", "docker-archive", "--output", str(unpacked), tag],
        "buildah": ["buildah", "push", "--quiet", tag, f"docker-archive:{unpacked}:{tag}"],
    }[by]
    ended = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if ended.returncode:
        raise NotBuilt((ended.stdout + ended.stderr).strip()[-4000:])
    with unpacked.open("rb") as content, gzip.open(file, "wb", compresslevel=6) as packed:
        shutil.copyfileobj(content, packed, 1 << 20)
    unpacked.unlink()


def _secrets() -> Iterator[str]:
    """How this machine reaches the package indexes, for the steps that install."""
    files = {
        "certificates": Path(os.environ.get("SSL_CERT_FILE") or CERTIFICATES),
        "pip": Path(os.environ.get("PIP_CONFIG_FILE") or "/etc/pip.conf"),
        "npm": Path(os.environ.get("NPM_CONFIG_USERCONFIG") or Path.home() / ".npmrc"),
    }
    for name, file in files.items():
        if file.is_file():
            yield f"--secret=id={name},src={file}"


def _size(tag: str, by: str) -> int:
    if by == "buildah":
        listed = subprocess.run(["buildah", "images", "--json", tag], capture_output=True, text=True, check=True).stdout
        amount, unit = str(json.loads(listed)[0]["size"]).split()
        return int(float(amount) * {"KB": 1e3, "MB": 1e6, "GB": 1e9}[unit])
    sized = [by, "image", "inspect", "--format", "{{.Size}}", tag]
    return int(subprocess.run(sized, capture_output=True, text=True, check=True).stdout)
