"""POST /api/explain: the stage that loses a document, for who may see it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragbase.access.api_keys import ApiKeys
from ragbase.access.caller import Scope
from ragbase.access.token import Token
from ragbase.bootstrap.current_index import CurrentIndex
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.guarded import api, bearer, hash_of, refused
from tests.functions.tenant_world import TenantWorld

BOILER = "# Boiler\n\nThe boiler of the {name} house is inspected in {month}. It stands in the cellar of {name}.\n"
GARDEN = "# Garden\n\nTomatoes want a sunny bed, and water in the morning and in the evening.\n"
QUESTION = "When is the boiler of the house inspected?"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[TenantWorld]:
    world = TenantWorld(tmp_path, MemoryCheckpoints(), VirtualClock())
    for name, month in (("red", "May"), ("blue", "June")):
        world.upload(world.key(name), BOILER.format(name=name, month=month).encode(), path="boiler.md")
        world.upload(world.key(name), GARDEN.encode(), path="garden.md")
    world.work()
    yield world
    world.close()


def explain(world: TenantWorld, key: Token, document: str, **fields: Any) -> Any:
    body = {"query": QUESTION, "document": document, **fields}
    return world.ask(key, "POST", "/api/explain", json=body)


def test_a_document_is_named_by_its_id_or_its_name(world: TenantWorld) -> None:
    key = world.key(None)
    by_name = explain(world, key, "red/boiler.md", topK=2)
    assert by_name.status_code == 200
    assert by_name.json == explain(world, key, world.id("red/boiler.md"), topK=2).json
    found = by_name.json
    assert (found["stage"], found["rank"], found["filename"]) == ("FOUND", 1, "red/boiler.md")
    assert (found["topK"], found["threshold"], found["heldChunks"]) == (2, 0.0, 1)
    assert sum(word["worth"] for word in found["words"]) == pytest.approx(1)


def test_the_current_index_is_looked_up_once(world: TenantWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each time is a read of Firestore, and another index may be current by then."""
    get, looked_up = CurrentIndex.get, []

    def counted(index: CurrentIndex) -> Any:
        looked_up.append(index)
        return get(index)

    monkeypatch.setattr(CurrentIndex, "get", counted)
    assert explain(world, world.key(None), "red/boiler.md").json["settings"]["model"].startswith("hashing")
    assert len(looked_up) == 1


def test_it_takes_the_options_of_a_query(world: TenantWorld) -> None:
    key = world.key("red")
    (first, *_) = world.query(key, QUESTION, topK=1).json["results"]
    assert first["filename"] == "red/boiler.md"
    outranked = explain(world, key, "garden.md", topK=1).json
    assert (outranked["stage"], outranked["better"][0]["filename"]) == ("OUTRANKED", "red/boiler.md")
    below = explain(world, key, "garden.md", threshold=0.99).json
    assert (below["stage"], below["threshold"]) == ("BELOW_THRESHOLD", 0.99)
    nothing = world.query(key, QUESTION, threshold=1).json
    assert (nothing["results"], nothing["nearMiss"]["passages"][0]["filename"]) == ([], "red/boiler.md")
    filtered = explain(world, key, "boiler.md", filter={"pathPrefix": "garden.md"}).json
    assert (filtered["stage"], filtered["refusedBy"]) == ("FILTERED", {"path_prefixes": "red/boiler.md"})


def test_what_is_not_there_is_said(world: TenantWorld) -> None:
    key = world.key(None)
    lost = explain(world, key, "red/none.md").json
    assert (lost["stage"], lost["filename"], "documentId" in lost) == ("NOT_IN_BUCKET", "red/none.md", False)
    world.ask(key, "DELETE", f"/api/documents/{world.id('red/boiler.md')}")
    world.work()
    assert "It was deleted." in explain(world, key, "red/boiler.md").json["reason"]


def test_another_tenants_document_is_not_there(world: TenantWorld) -> None:
    unknown = explain(world, world.key("red"), "unknown.md").json
    assert (unknown["stage"], unknown["filename"]) == ("NOT_IN_BUCKET", "red/unknown.md")
    for document in (world.id("blue/boiler.md"), "blue/boiler.md"):
        answer = explain(world, world.key("red"), document)
        assert answer.status_code == 200
        assert json.loads(answer.data.replace(document.encode(), b"unknown.md")) == unknown


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"document": ""}, "document"),
        ({"document": None}, "document"),
        ({"threshold": 1.5}, "threshold"),
        ({"threshold": "0.5"}, "threshold"),
        ({"query": " "}, "query"),
    ],
)
def test_wrong_input_is_named(world: TenantWorld, fields: dict[str, Any], named: str) -> None:
    answer = world.ask(world.key(None), "POST", "/api/explain", json={"query": "x", "document": "a.md", **fields})
    assert (answer.status_code, answer.json["error"]) == (400, "INVALID_REQUEST")
    assert f"`{named}`" in answer.json["message"]


def test_a_name_that_no_document_can_have_is_refused(world: TenantWorld) -> None:
    answer = explain(world, world.key(None), "../secret.md")
    assert (answer.status_code, answer.json["error"]) == (400, "INVALID_PATH")


def test_reading_is_enough_and_a_public_query_is_not(tmp_path: Path) -> None:
    checkpoints = MemoryCheckpoints()
    keys = ApiKeys(lambda: checkpoints, VirtualClock())
    body = {"query": QUESTION, "document": "a.md"}
    with api(tmp_path, checkpoints=checkpoints, password_hash=hash_of(), public_query=True) as client:
        refused(client.post("/api/explain", json=body), 401, "UNAUTHORIZED")
        reader, writer = (keys.create("robot", scopes=[scope])[1] for scope in (Scope.READ, Scope.WRITE))
        assert client.post("/api/explain", headers=bearer(reader), json=body).status_code == 200
        refused(client.post("/api/explain", headers=bearer(writer), json=body), 403, "FORBIDDEN")


def test_a_question_of_several_parts_is_explained_by_the_one_that_finds_the_document(world: TenantWorld) -> None:
    question = "What do tomatoes want and when is the boiler of the house inspected?"
    found = explain(world, world.key("red"), "boiler.md", query=question, threshold=0.5).json
    assert (found["stage"], found["rank"]) == ("FOUND", 1)
    assert found["reason"].startswith('Of the part "when is the boiler of the house inspected?": ')
