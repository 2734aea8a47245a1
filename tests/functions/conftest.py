"""What the tests of the API share. A test that needs another one of these has a fixture of the same name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from ragbase.access.api_keys import ApiKeys
from ragbase.bootstrap.embedded import EmbeddedProfile
from ragbase.config import load_config
from ragbase.ports import Checkpoints
from ragbase.testing.clock import VirtualClock
from tests.compiled_routes import keep_compiled_routes
from tests.contract.adapters import CHECKPOINTS
from tests.functions.guarded import api, hash_of
from tests.functions.served import Served, serve_when_asked

keep_compiled_routes()


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


EVERY_PLACE = [
    pytest.param(place, marks=() if place == "sqlite" else pytest.mark.prove, id=place) for place in CHECKPOINTS
]
"""The places that keep checkpoints, by name. That they keep the same is shown by the contract of their port, so only
the data folder is asked each time."""


@pytest.fixture(params=EVERY_PLACE)
def checkpoints(request: pytest.FixtureRequest) -> Iterator[Checkpoints]:
    """In every place that keeps them."""
    with CHECKPOINTS[request.param]() as checkpoints:
        yield checkpoints


@pytest.fixture
def keys(checkpoints: Checkpoints, clock: VirtualClock) -> ApiKeys:
    """As another process sees them: the command line."""
    return ApiKeys(lambda: checkpoints, clock)


@pytest.fixture
def client(tmp_path: Path, checkpoints: Checkpoints, clock: VirtualClock) -> Iterator[FlaskClient]:
    """Of an API with a password and tenants."""
    with api(tmp_path, checkpoints=checkpoints, clock=clock, password_hash=hash_of(), tenancy="folder") as client:
        yield client


@pytest.fixture(scope="module")
def profile(settings: Mapping[str, str]) -> Iterator[EmbeddedProfile]:
    """The data folder of the functions, which the test's `settings` name."""
    profile = EmbeddedProfile(load_config(environment=settings))
    yield profile
    profile.close()


@pytest.fixture(scope="module")
def function(
    settings: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[str], Served]]:
    """The function of a name, which is started at its first use."""
    with serve_when_asked(settings, tmp_path_factory.mktemp("logs")) as get:
        yield get
