"""What the HTTP API says of a question that finds nothing, and of results that lack what it names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragbase.access.token import Token
from ragbase.domain.answer import NO_INFORMATION
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.guarded import bearer
from tests.functions.tenant_world import TenantWorld

BOILER = "# Boiler\n\nThe boiler of the {name} house is inspected in May. It stands in the cellar of {name}.\n"
QUESTION = "When is the boiler boil-31 of the house inspected?"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TenantWorld]:
    home: Path = tmp_path_factory.mktemp("home")
    world = TenantWorld(home, MemoryCheckpoints(), VirtualClock(), similarity_threshold=0.9999)
    for name in ("red", "blue"):
        world.upload(world.key(name), BOILER.format(name=name).encode(), path="boiler.md")
    world.work()
    yield world
    world.close()


@pytest.fixture
def red(world: TenantWorld) -> Token:
    return world.key("red")


def ask(world: TenantWorld, key: Token, accept: str = "application/json", **body: Any) -> Any:
    headers = {**bearer(key), "Accept": accept}
    return world.client.post("/api/answer", json={"query": QUESTION, **body}, headers=headers)


def near_miss(body: Any) -> dict[str, Any]:
    """Checked for all of its fields."""
    miss: dict[str, Any] = body["nearMiss"]
    assert miss.keys() == {"threshold", "passages", "unknown"}
    for near in miss["passages"]:
        assert near.keys() == {"documentId", "filename", "score", "metadata", "lacks", "confidence"}
        assert near["score"] < miss["threshold"]
    return miss


def test_a_query_without_results_says_what_was_nearest(world: TenantWorld, red: Token) -> None:
    body = world.query(red, QUESTION).json
    assert body["results"] == []
    assert "warnings" not in body
    miss = near_miss(body)
    (near,) = miss["passages"]
    assert (near["filename"], near["documentId"]) == ("red/boiler.md", world.id("red/boiler.md"))
    assert near["metadata"]["heading"] == "Boiler"
    assert near["lacks"] == miss["unknown"] == ["boil-31"]
    assert "inspected in May" not in json.dumps(body)
    assert near_miss(world.query(red, QUESTION, threshold=0.999).json)["threshold"] == 0.999


def test_a_tenant_learns_of_its_own_documents_only(world: TenantWorld, red: Token) -> None:
    ours, theirs = (near_miss(world.query(world.key(name), "blue house").json) for name in ("red", "blue"))
    assert [near["filename"] for near in ours["passages"]] == ["red/boiler.md"]
    assert ours["unknown"] == ["blue"]
    assert [near["filename"] for near in theirs["passages"]] == ["blue/boiler.md"]
    assert theirs["unknown"] == []


def test_all_tenants_together_have_one_near_miss(world: TenantWorld) -> None:
    miss = near_miss(world.query(world.key(None), "boil-31 in the blue house").json)
    assert {near["filename"] for near in miss["passages"]} <= {"red/boiler.md", "blue/boiler.md"}
    assert miss["passages"][0]["filename"] == "blue/boiler.md"
    assert miss["unknown"] == ["boil-31"], "one of the tenants has the word blue"


def test_an_answer_without_evidence_says_it_and_cites_nothing(world: TenantWorld, red: Token) -> None:
    body = ask(world, red).json
    assert (body["text"], body["answered"], body["evidence"], body["sentences"]) == (NO_INFORMATION, False, [], [])
    assert near_miss(body) == near_miss(world.query(red, QUESTION).json)


def test_a_stream_says_it_at_its_end(world: TenantWorld, red: Token) -> None:
    answer = ask(world, red, "text/event-stream")
    events = [block.split("\n") for block in answer.text.strip().split("\n\n")]
    said = {name.removeprefix("event: "): json.loads(data.removeprefix("data: ")) for name, data in events}
    assert said["evidence"] == {"evidence": []}
    assert said.keys() == {"evidence", "done"}
    assert near_miss(said["done"]) == near_miss(world.query(red, QUESTION).json)


def test_with_results_each_says_what_it_lacks(world: TenantWorld, red: Token) -> None:
    body = world.query(red, QUESTION, threshold=0).json
    assert [result["lacks"] for result in body["results"]] == [["boil-31"]]
    assert "nearMiss" not in body
    assert "lacks" not in world.query(red, "the boiler of the house", threshold=0).json["results"][0]
    answer = ask(world, red, threshold=0).json
    assert answer["lacks"] == ["boil-31"]
    assert "nearMiss" not in answer


def test_where_there_is_nothing_to_search_that_is_said(world: TenantWorld, red: Token) -> None:
    empty = ["There are no documents yet."]
    nobody = world.key("green")
    assert world.query(nobody, QUESTION).json == {"results": [], "warnings": empty}
    assert ask(world, nobody).json["warnings"] == empty
    filtered = world.query(red, QUESTION, filter={"tags": ["tyop"]}).json
    assert filtered == {"results": [], "warnings": ["No document matches tags."]}


def test_a_filter_whose_parts_match_apart_is_told(world: TenantWorld) -> None:
    key = world.key("brown")
    for name, tag in (("a.md", "one"), ("b.md", "two")):
        world.upload(key, f"---\ntags: [{tag}]\n---\n{BOILER.format(name=name)}".encode(), path=name)
    world.work()
    body = world.query(key, QUESTION, filter={"tags": ["one", "two"]}).json
    assert body == {"results": [], "warnings": ["No document that search shows matches the filter."]}


def test_a_document_that_waits_is_not_searchable(world: TenantWorld) -> None:
    key = world.key("grey")
    world.upload(key, BOILER.format(name="grey").encode(), path="boiler.md")
    (said,) = world.query(key, QUESTION).json["warnings"]
    assert said == "No document is searchable yet: they wait for their turn, or have failed."


def test_the_description_has_it(world: TenantWorld) -> None:
    described: Any = world.client.get("/openapi.json").json
    schemas = described["components"]["schemas"]
    assert {"threshold", "passages", "unknown"} <= schemas["NearMissBody"]["properties"].keys()
    for model in ("QueryResponse", "AnswerResponse"):
        assert "nearMiss" in schemas[model]["properties"]
        assert "nearMiss" not in schemas[model].get("required", ())
    assert "lacks" in schemas["SearchResultBody"]["properties"]
