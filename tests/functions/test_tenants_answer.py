"""An answer to a tenant stands on the tenant's own documents alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragbase.access.token import Token
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.guarded import bearer
from tests.functions.tenant_world import TenantWorld

BOILER = "# Boiler\n\nThe boiler of the {name} house is inspected in {month}. It stands in the cellar of {name}.\n"
QUESTION = "When is the boiler of the house inspected?"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[TenantWorld]:
    world = TenantWorld(tmp_path, MemoryCheckpoints(), VirtualClock())
    for name, month in (("red", "May"), ("blue", "June")):
        key = world.key(name)
        world.upload(key, BOILER.format(name=name, month=month).encode(), path="boiler.md")
        world.upload(key, BOILER.format(name="common", month="July").encode(), path="twin.md")
    world.work()
    yield world
    world.close()


def ask(world: TenantWorld, key: Token, *, accept: str = "application/json", **fields: Any) -> Any:
    headers = {**bearer(key), "Accept": accept}
    return world.client.post("/api/answer", headers=headers, json={"query": QUESTION, **fields})


@pytest.mark.parametrize(("tenant", "own", "others"), [("red", "May", "June"), ("blue", "June", "May")])
def test_a_tenant_gets_evidence_of_its_own(world: TenantWorld, tenant: str, own: str, others: str) -> None:
    key = world.key(tenant)
    answer = ask(world, key).json
    cited = [citation for sentence in answer["sentences"] for citation in sentence["citations"]]
    assert cited and answer["answered"]
    assert all(one["filename"].startswith(f"{tenant}/") for one in (*cited, *answer["evidence"]))
    for data in (ask(world, key).data, ask(world, key, accept="text/event-stream").data):
        assert own.encode() in data
        assert others.encode() not in data


def test_a_filter_finds_nothing_of_another_tenant(world: TenantWorld) -> None:
    red, blue = world.key("red"), world.id("blue/boiler.md")
    for asked in ({"pathPrefix": "blue"}, {"documentIds": [blue]}):
        assert ask(world, red, filter=asked).json["evidence"] == []


def test_who_sees_all_tenants_is_answered_from_all(world: TenantWorld) -> None:
    answer = ask(world, world.key(None), topK=10).json
    assert {one["filename"].partition("/")[0] for one in answer["evidence"]} == {"red", "blue"}


def test_a_tenant_that_has_nothing_gets_no_information(world: TenantWorld) -> None:
    answer = ask(world, world.key("green")).json
    assert (answer["answered"], answer["evidence"], answer["sentences"]) == (False, [], [])


def test_too_many_tenants_are_refused_before_the_first_byte(
    world: TenantWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragbase.retrieval.search_tenants.MOST_TENANTS", 1)
    for accept in ("application/json", "text/event-stream"):
        refused = ask(world, world.key(None), accept=accept)
        assert (refused.status_code, json.loads(refused.data)["error"]) == (400, "TENANT_NEEDED")
