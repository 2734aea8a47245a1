"""Keys that reach some folders only: to them, no other document is there."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragbase.access.token import Token
from ragbase.domain.errors import ConfigurationError
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.guarded import refused
from tests.functions.tenant_world import TenantWorld, routes_of_documents, seen

GUIDE = b"---\ntags: [ops]\n---\n# Backups\n\nThe nightly backup starts at 02:30 and is kept for ninety days.\n"
NOTE = b"# Boilers\n\nThe boiler of the house is inspected once a year, and the backup valve is opened by a friend.\n"
QUESTION = "When does the nightly backup start?"
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[TenantWorld]:
    """HR has a document in each state, finance has one."""
    world = TenantWorld(tmp_path, MemoryCheckpoints(), VirtualClock(), tenancy="none")
    hr = world.key_of_folders("hr")
    world.upload(world.key_of_folders("finance/"), NOTE, path="finance/note.md")
    for name, data in {"done.md": GUIDE, "failed.md": b"No.\n", "deleted.md": NOTE}.items():
        world.upload(hr, data, path=f"hr/{name}")
    world.work()
    world.ask(hr, "DELETE", f"/api/documents/{world.id('hr/deleted.md')}")
    world.upload(hr, NOTE, path="hr/waiting.md")
    yield world
    world.close()


@pytest.fixture
def finance(world: TenantWorld) -> Token:
    return world.key_of_folders("finance/")


def tool(world: TenantWorld, key: Token, name: str, **arguments: Any) -> Any:
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": name, "arguments": arguments},
    }
    headers = {"Authorization": f"Bearer {key}", **ACCEPT}
    return world.client.post("/mcp", json=message, headers=headers)


def test_a_document_out_of_reach_is_an_unknown_one_on_every_route(world: TenantWorld, finance: Token) -> None:
    unknown = str(uuid.uuid4())
    routes = routes_of_documents(world)
    assert len(routes) >= 10
    for name in ("done.md", "failed.md", "deleted.md", "waiting.md"):
        id = world.id(f"hr/{name}")

        def same(theirs: Any, nobody_s: Any, id: str = id) -> None:
            assert seen(theirs, id) == seen(nobody_s, unknown)

        for method, path in routes:
            for query in ("", "?wait=0.01", "?limit=1&cursor=1"):
                answers = [world.ask(finance, method, path.replace("ID", one) + query) for one in (id, unknown)]
                same(*answers)
                assert answers[0].status_code in ({404, 400} if query else {404})  # the route may know no parameter
        same(
            *(
                world.ask(finance, "POST", "/internal/callback", json={"documentId": one, "success": False})
                for one in (id, unknown)
            )
        )
        same(*(world.query(finance, QUESTION, filter={"documentIds": [one]}) for one in (id, unknown)))
        same(
            *(
                world.ask(finance, "POST", "/api/answer", json={"query": QUESTION, "filter": {"documentIds": [one]}})
                for one in (id, unknown)
            )
        )
        same(
            *(
                world.ask(finance, "POST", "/api/explain", json={"query": QUESTION, "document": one})
                for one in (id, unknown)
            )
        )
        same(*(tool(world, finance, "get_document", id=one) for one in (id, unknown)))
        by_name = [
            world.ask(finance, "POST", "/api/explain", json={"query": QUESTION, "document": one})
            for one in (f"hr/{name}", "hr/unknown.md")
        ]
        assert "finance/" in refused(by_name[0], 403, "FORBIDDEN") and seen(by_name[0]) == seen(by_name[1])


def test_questions_show_what_is_within_reach(world: TenantWorld, finance: Token) -> None:
    everything = world.query(world.key(None), QUESTION, topK=100).json["results"]
    assert {one["filename"] for one in everything} == {"hr/done.md", "finance/note.md"}
    for asked in ({}, {"filter": {"pathPrefix": "hr"}}, {"filter": {"tags": ["ops"]}}):
        found = world.query(finance, QUESTION, topK=100, **asked)
        assert b"hr/" not in found.data
        assert b"hr/" not in world.ask(finance, "POST", "/api/answer", json={"query": QUESTION, **asked}).data
    assert [one["filename"] for one in world.list(finance)["documents"]] == ["finance/note.md"]
    assert world.list(finance)["total"] == 1
    assert world.ask(finance, "GET", "/api/counts").json["total"] == 1
    assert world.query(finance, QUESTION, filter={"pathPrefix": "hr"}).json["warnings"] == [
        "No document matches pathPrefix."
    ]
    for name, arguments in {
        "searchKnowledge": {"query": QUESTION},
        "list_documents": {},
        "answer": {"query": QUESTION},
        "search": {"query": QUESTION},
    }.items():
        answer = tool(world, finance, name, **arguments)
        assert answer.status_code == 200 and b"hr/" not in answer.data and b"finance/note.md" in answer.data


def test_no_score_and_no_word_tells_what_other_folders_have(world: TenantWorld, finance: Token) -> None:
    def answers() -> list[Any]:
        asked = {"query": "Where is the wombat of the boiler?", "threshold": 0.0}
        told = [world.ask(finance, "POST", path, json=asked).json for path in ("/api/query", "/api/answer")]
        told += [world.query(finance, "Where is the wombat?", threshold=0.99).json]
        explained = {**asked, "document": "finance/note.md"}
        return [*told, world.ask(finance, "POST", "/api/explain", json=explained).json]

    before = answers()
    for number in range(30):
        text = f"# Wombats {number}\n\nThe wombat of the boiler lives in the cellar, where {number} friends feed it.\n"
        world.upload(world.key(None), text.encode(), path=f"hr/wombat-{number}.md")
    world.work()
    assert answers() == before


def test_a_key_writes_below_its_prefixes_only(world: TenantWorld, finance: Token) -> None:
    for path in ("hr/done.md", "hr/new.md", "finance.md", "finance-2/a.md", "a.md", "Finance/a.md"):
        for replace in ("true", "false"):
            said = refused(world.upload(finance, GUIDE, path=path, replace=replace), 403, "FORBIDDEN")
            assert "finance/" in said
        refused(world.ask(finance, "POST", "/api/uploads", json={"path": path, "size": 9}), 403, "FORBIDDEN")
    refused(world.upload(finance, GUIDE, path="finance/../hr/a.md"), 400, "INVALID_PATH")
    assert world.upload(finance, GUIDE, path="finance/2026/a.md").status_code == 202
    begun = world.ask(finance, "POST", "/api/uploads", json={"path": "finance/b.md", "size": len(GUIDE)})
    assert begun.status_code == 201
    assert world.client.put(begun.json["url"], data=GUIDE, headers=begun.json["headers"]).status_code == 202


def test_a_key_may_have_several_prefixes(world: TenantWorld) -> None:
    key = world.key_of_folders("hr/done.md", "finance/", "finance/2026")
    assert {one["filename"] for one in world.list(key)["documents"]} == {"hr/done.md", "finance/note.md"}
    found = world.query(key, QUESTION, topK=100).json["results"]
    assert {one["filename"] for one in found} == {"hr/done.md", "finance/note.md"}
    (kept,) = (one for one in world.keys.all() if len(one.prefixes) > 1)
    assert kept.prefixes == ("finance", "hr/done.md")


def test_a_key_of_a_tenant_may_have_prefixes_in_it(tmp_path: Path) -> None:
    world = TenantWorld(tmp_path, MemoryCheckpoints(), VirtualClock())
    try:
        world.upload(world.key("blue"), GUIDE, path="hr/a.md")
        world.upload(world.key("blue"), NOTE, path="finance/b.md")
        world.upload(world.key("red"), NOTE, path="finance/c.md")
        world.work()
        for prefix in ("finance", "finance/", "blue/finance"):
            key = world.key_of_folders(prefix, tenant="blue")
            assert [one["filename"] for one in world.list(key)["documents"]] == ["blue/finance/b.md"]
            results = world.query(key, QUESTION, topK=9, filter={"pathPrefix": "finance"}).json["results"]
            assert [one["filename"] for one in results] == ["blue/finance/b.md"]
            refused(world.upload(key, GUIDE, path="hr/c.md"), 403, "FORBIDDEN")
        of_all = world.key_of_folders("blue/finance", "red")
        assert {one["filename"] for one in world.query(of_all, QUESTION, topK=9).json["results"][0]["sources"]} == {
            "blue/finance/b.md",
            "red/finance/c.md",
        }
    finally:
        world.close()


def test_a_prefix_is_one_folder_in_all_its_forms(tmp_path: Path) -> None:
    world = TenantWorld(tmp_path, MemoryCheckpoints(), VirtualClock())
    try:
        key = world.key_of_folders("Vertra\u0308ge")
        assert world.upload(key, GUIDE, path="Vertr\u00e4ge/a.md").status_code == 202
        assert world.upload(key, GUIDE + b"B", path="Vertra\u0308ge/b.md").status_code == 202
        refused(world.upload(key, GUIDE, path="Vertrage/c.md"), 403, "FORBIDDEN")
        names = {one["filename"] for one in world.list(key)["documents"]}
        assert names == {"Vertr\u00e4ge/a.md", "Vertr\u00e4ge/b.md"}
    finally:
        world.close()


@pytest.mark.parametrize("prefix", ["", "/", "/finance", "a//b", "..", "a/../b", " a", "a\\b", "x/" * 40])
def test_a_prefix_that_no_upload_can_have_is_refused(tmp_path: Path, prefix: str) -> None:
    world = TenantWorld(tmp_path, MemoryCheckpoints(), VirtualClock())
    try:
        with pytest.raises(ConfigurationError, match="cannot be a prefix"):
            world.key_of_folders(prefix)
        with pytest.raises(ConfigurationError, match="20 is the most"):
            world.key_of_folders(*map(str, range(21)))
    finally:
        world.close()
