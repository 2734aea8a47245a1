"""Google's emulators of Firestore and Pub/Sub: jars of the Google Cloud CLI, which run on Java.

They keep everything in memory. Each test uses its own project, so tests do not see each other's data. The Firestore
emulator needs no indexes and never expires documents. The Pub/Sub emulator ignores filters. It also pushes badly, so we
do not use its push (see pusher.py).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.local_cloud.free_ports import free_port
from scripts.local_cloud.missing_server import Missing
from scripts.local_cloud.process import running

FIRESTORE_HEALTH = "/v1/projects/warm-up/databases/(default)/documents/documents"
"""The path of the health check. The first request for data takes seconds, because the emulator then loads most of its
code. With this path the health check waits for that, and no user has to."""

_FIRESTORE = "cloud-firestore-emulator/cloud-firestore-emulator.jar"
_PUBSUB = "pubsub-emulator/lib/cloud-pubsub-emulator-*-all.jar"


@contextmanager
def firestore_emulator() -> Iterator[str]:
    """The value for FIRESTORE_EMULATOR_HOST. Raises Missing without Java or the emulator."""
    with _emulator(firestore_command, FIRESTORE_HEALTH) as host:
        yield host


@contextmanager
def pubsub_emulator() -> Iterator[str]:
    """The value for PUBSUB_EMULATOR_HOST. Raises Missing without Java or the emulator."""
    with _emulator(pubsub_command, "/") as host:
        yield host


def firestore_command(port: int) -> list[str]:
    # Without this language it does not start in some locales.
    options = ["-Duser.language=en", "-cp", _jar(_FIRESTORE, "cloud-firestore-emulator")]
    main = "com.google.cloud.datastore.emulator.firestore.CloudFirestore"
    return [*_java(), *options, main, "start", "--host=127.0.0.1", f"--port={port}"]


def pubsub_command(port: int) -> list[str]:
    return [*_java(), "-jar", _jar(_PUBSUB, "pubsub-emulator"), "--host=127.0.0.1", f"--port={port}"]


@contextmanager
def _emulator(command: Callable[[int], list[str]], health: str) -> Iterator[str]:
    port = free_port()
    with running(command(port), health=f"http://127.0.0.1:{port}{health}", environment={}):
        yield f"127.0.0.1:{port}"


def command_line_folder() -> Path | None:
    """The folder of the Google Cloud CLI, if this machine has it."""
    gcloud = shutil.which("gcloud")
    root = os.environ.get("CLOUDSDK_ROOT_DIR") or (gcloud and Path(gcloud).resolve().parents[1])
    return Path(root) if root else None


def _java() -> list[str]:
    java = shutil.which("java")
    if java is None:
        raise Missing("Google's emulators need Java. Install a Java runtime, version 11 or newer.")
    # They run for minutes only: the second compiler of Java would cost more than it gains.
    return [java, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]


def _jar(pattern: str, component: str) -> str:
    """The path of a component's jar in the Google Cloud CLI."""
    root = command_line_folder()
    jars = sorted((root / "platform").glob(pattern)) if root else []
    if not jars:
        raise Missing(
            f"{component} is missing. Install the Google Cloud CLI, then run `gcloud components install {component}` "
            f"(or install the Debian package google-cloud-cli-{component.removeprefix('cloud-')})."
        )
    return str(jars[-1])
