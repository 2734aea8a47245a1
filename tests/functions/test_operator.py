"""What is about the whole deployment is its operator's alone, on every such route."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragbase.access.caller import EVERYTHING, Scope
from ragbase.interfaces.api.operation import Operation
from ragbase.interfaces.api.operator_operations import OPERATOR_OPERATIONS
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.guarded import bearer, hash_of, refused
from tests.functions.tenant_world import TenantWorld

OF_OPERATOR = [one for one in OPERATOR_OPERATIONS if one.is_of_operator]
CONFINED = {
    "reads": {"scopes": [Scope.READ]},
    "only writes": {"scopes": [Scope.WRITE]},
    "extracts": {"scopes": [Scope.EXTRACT]},
    "of a tenant": {"scopes": Scope, "tenant": "red"},
    "of a folder": {"scopes": Scope, "prefixes": ["red/"]},
    "of a folder of a tenant": {"scopes": Scope, "tenant": "red", "prefixes": ["reports"]},
}
"""Keys that an operator gives to others."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TenantWorld]:
    home: Path = tmp_path_factory.mktemp("operator")
    world = TenantWorld(home, MemoryCheckpoints(), VirtualClock(), password_hash=hash_of())
    world.client = world.client.application.test_client(use_cookies=False)
    yield world
    world.close()


def path_of(one: Operation) -> str:
    return one.path.replace("{letter}", "none").replace("{key_id}", "none")


def test_there_are_some() -> None:
    assert len(OF_OPERATOR) >= 5
    assert all(one.scope is Scope.WRITE for one in OPERATOR_OPERATIONS)


@pytest.mark.parametrize("name", CONFINED)
@pytest.mark.parametrize("one", OF_OPERATOR, ids=lambda one: one.id)
def test_a_key_for_less_than_everything_sees_and_does_nothing(world: TenantWorld, one: Operation, name: str) -> None:
    _, token = world.keys.create(name, **CONFINED[name])  # type: ignore[arg-type]  # keywords of several types
    body = {"name": "another", "scopes": ["read"]} if one.method == "POST" else None
    answer = world.client.open(path_of(one), method=one.method, headers=bearer(token), json=body)
    assert name in refused(answer, 403, "FORBIDDEN")
    assert [key.name for key in world.keys.all()].count("another") == 0
    world.keys.revoke(token.id)


@pytest.mark.parametrize("one", OF_OPERATOR, ids=lambda one: one.id)
def test_nobody_else_does_either(world: TenantWorld, one: Operation) -> None:
    for headers in ({}, bearer("rb_" + "0" * 16 + "_" + "A" * 43), {"Authorization": "Basic YTpi"}):
        refused(world.client.open(path_of(one), method=one.method, headers=headers), 401, "UNAUTHORIZED")


@pytest.mark.parametrize("one", [one for one in OF_OPERATOR if one.method != "GET"], ids=lambda one: one.id)
def test_a_page_of_another_site_does_nothing_with_a_sign_in(world: TenantWorld, one: Operation) -> None:
    _, token = world.keys.create("operator", scopes=EVERYTHING)
    for headers in ({}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": "null"}):
        cookie = {**headers, "Cookie": f"ragbase={token}"}
        answer = world.client.open(path_of(one), method=one.method, headers=cookie, json={"name": "theirs"})
        assert "cookie" in refused(answer, 403, "FORBIDDEN")
    world.keys.revoke(token.id)
    assert world.keys.all() == []


@pytest.mark.parametrize("one", OF_OPERATOR, ids=lambda one: one.id)
def test_the_operator_may(world: TenantWorld, one: Operation) -> None:
    _, token = world.keys.create("operator", scopes=EVERYTHING)
    answer = world.client.open(path_of(one), method=one.method, headers=bearer(token))
    assert answer.status_code in (200, 400, 404, 415), answer.data
    world.keys.revoke(token.id)
