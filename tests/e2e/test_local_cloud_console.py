"""The console from the first file to the sign-out, in a browser, on both profiles."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ragbase.access.caller import Scope
from scripts.local_cloud.inside import profile_of
from scripts.local_cloud.local_cloud import LocalCloud
from tests.browser.console import Console
from tests.browser.journey import Journey
from tests.browser.thirty_files import thirty_files
from tests.chromium import chromium
from tests.functions.guarded import PASSWORD, hash_of
from tests.unit.client.served import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.prove

FOLDER = "harbour"
"""Where the files are, and all that the key of the local cloud reaches: the other tests have documents there, too."""


@dataclass(frozen=True)
class Place:
    """An address with a console that has no documents, the secret that opens it, and where it takes large files."""

    url: str
    secret: str
    bucket: str | None = None


@contextmanager
def embedded(folder: Path) -> Iterator[Place]:
    with served(folder / "home", password_hash=hash_of()) as server:
        yield Place(server.url, PASSWORD)


@contextmanager
def local_cloud(cloud: LocalCloud) -> Iterator[Place]:
    with profile_of(cloud) as profile:
        keys = profile.access.keys
        key, token = keys.create("harbour", scopes=[Scope.READ, Scope.WRITE], prefixes=[FOLDER])
        settings = cloud.settings()
        yield Place(settings["LOCAL_CLOUD_API"], str(token), bucket=settings["STORAGE_EMULATOR_HOST"])
        keys.revoke(key.id)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.mark.parametrize("profile", ["embedded", "local cloud"])
def test_the_whole_journey(profile: str, request: pytest.FixtureRequest, browser: Browser, tmp_path: Path) -> None:
    files = tmp_path / FOLDER
    thirty_files(files)
    is_embedded = profile == "embedded"
    opened = embedded(tmp_path) if is_embedded else local_cloud(request.getfixturevalue("cloud"))
    # So high that the whole list is in sight.
    context = browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 2600})
    with opened as place:
        console = Console(context.new_page(), place.url, place.bucket)
        # The views are the same: axe looks at them once.
        journey = Journey(console, looks=is_embedded)
        journey.sign_in(place.secret)
        journey.add_files(files)
        journey.ask_and_walk()
        journey.be_refused()
        journey.retry()
        journey.delete_and_undo()
        if is_embedded:
            journey.operate()
        journey.sign_out(is_closed=is_embedded)
        context.close()
    assert console.faults == []
    assert journey.barriers == {view: [] for view in journey.barriers}
