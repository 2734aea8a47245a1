"""Google's emulators of Firestore and Pub/Sub: the jars of the Google Cloud CLI, on Java.

They keep everything in memory; a test is alone by a project of its own. Firestore's wants no indexes and lets nothing
expire. Pub/Sub's ignores filters, and pushes 2 at a time and not all again that was refused (see pusher.py).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.servers.process import free_port, running

FIRESTORE_HEALTH = "/v1/projects/warm-up/databases/(default)/documents/documents"
"""Its first request takes it seconds, as it then loads most of itself: nobody should wait for that."""

_FIRESTORE = "cloud-firestore-emulator/cloud-firestore-emulator.jar"
_PUBSUB = "pubsub-emulator/lib/cloud-pubsub-emulator-*-all.jar"


@contextmanager
def firestore_emulator() -> Iterator[str]:
    """The value for FIRESTORE_EMULATOR_HOST. Skips the test where Java or the emulator is not there."""
    with _emulator(firestore_command, FIRESTORE_HEALTH) as host:
        yield host


@contextmanager
def pubsub_emulator() -> Iterator[str]:
    """The value for PUBSUB_EMULATOR_HOST. Skips the test where Java or the emulator is not there."""
    with _emulator(pubsub_command, "/") as host:
        yield host


def firestore_command(port: int) -> list[str]:
    # Without a language it fails to start in a locale that it does not know.
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


def _java() -> list[str]:
    java = shutil.which("java")
    if java is None:
        pytest.skip("Google's emulators need Java: install a Java runtime, 11 or newer.")
    return [java, "-XX:+UseSerialGC"]


def _jar(pattern: str, component: str) -> str:
    """The path of a component's jar in the Google Cloud CLI."""
    gcloud = shutil.which("gcloud")
    root = os.environ.get("CLOUDSDK_ROOT_DIR") or (gcloud and Path(gcloud).resolve().parents[1])
    jars = sorted(Path(root, "platform").glob(pattern)) if root else []
    if not jars:
        pytest.skip(
            f"{component} is not there: install the Google Cloud CLI, then `gcloud components install {component}` "
            f"(or the Debian package google-cloud-cli-{component.removeprefix('cloud-')})."
        )
    return str(jars[-1])
