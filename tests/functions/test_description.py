"""The API does what its description says, whatever it is sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragbase.access.api_keys import ApiKeys
from ragbase.access.caller import EVERYTHING
from tests.fuzz.api import check_description
from tests.unit.client.served import served

pytestmark = pytest.mark.slow

SEED = 20
"""`scripts/fuzz api` draws others."""


def test_serve_does_what_it_says_to_one_request_of_each_kind(tmp_path: Path) -> None:
    with served(tmp_path / "home") as server:
        check_description(server.url, tmp_path, seed=SEED, examples=1, brief=True)


@pytest.mark.prove
def test_serve_does_what_it_says(tmp_path: Path) -> None:
    with served(tmp_path / "home") as server:
        check_description(server.url, tmp_path, seed=SEED)


@pytest.mark.prove
def test_serve_does_what_it_says_for_those_with_a_key(tmp_path: Path) -> None:
    with served(tmp_path / "home") as server:
        profile = server.profile
        _, token = ApiKeys(lambda: profile.checkpoints, profile.clock).create("test", scopes=EVERYTHING)
        check_description(server.url, tmp_path, seed=SEED, key=str(token))
