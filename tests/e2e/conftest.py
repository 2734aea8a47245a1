"""The command line over a data folder of its own, the local cloud with its user, and the image. All end-to-end tests
share the cloud, which takes some 12 seconds to start, and the image, whose build takes minutes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.local_cloud.local_cloud import LocalCloud
from scripts.local_cloud.temporary_cloud import started_in
from scripts.local_cloud.user import User, user_of
from tests.e2e.command_line import CommandLine
from tests.e2e.image import built_image


@pytest.fixture(scope="session")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCloud]:
    """All its parts are healthy. A test that ends a part brings it back."""
    with started_in(tmp_path_factory.mktemp("local-cloud")) as cloud:
        yield cloud


@pytest.fixture(scope="session")
def user(cloud: LocalCloud) -> Iterator[User]:
    with user_of(cloud) as user:
        yield user


@pytest.fixture
def ragbase(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path / "home")


@pytest.fixture(scope="session")
def ragbase_image() -> str:
    """The name of the image of the Dockerfile, on a base from Debian's packages."""
    return built_image()
