"""A local cloud that begins empty and ends with the program, or with the test, that started it."""

from __future__ import annotations

import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.local_cloud.local_cloud import LocalCloud
from scripts.local_cloud.user import User, user_of
from scripts.local_cloud.wiring import Service


@contextmanager
def started_in(folder: Path, rate: int = 0, service: Service = "cohere") -> Iterator[LocalCloud]:
    """A local cloud with its data in an empty folder, whose parts are healthy. Its vectors are made from the words.

    Its embedding server takes `rate` inputs a minute; 0 is no limit. Raises NotUp and Missing.
    """
    cloud = LocalCloud(folder)
    try:
        cloud.up("hashing", rate, service)
        yield cloud
    finally:
        cloud.down()


@contextmanager
def temporary_cloud(rate: int = 0) -> Iterator[tuple[LocalCloud, User]]:
    """As `started_in`, for a whole program: its parts and its data are gone after the block, also on SIGTERM."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory() as folder, started_in(Path(folder), rate) as cloud, user_of(cloud) as user:
        yield cloud, user
