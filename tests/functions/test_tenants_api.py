"""Tenants over HTTP: who is bound to one cannot tell whether there are others."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragbase.access.token import Token
from ragbase.domain.errors import ConfigurationError
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.guarded import bearer, refused
from tests.functions.tenant_world import TenantWorld, routes_of_documents, seen

GUIDE = b"---\ntags: [ops]\n---\n# Backups\n\nThe nightly backup starts at 02:30 and is kept for ninety days.\n"
NOTE = b"# Boilers\n\nThe boiler of the house is inspected once a year, and the backup valve is opened by a friend.\n"
TOO_SHORT = b"No.\n"
QUESTION = "When does the nightly backup start?"


@pytest.fixture
def checkpoints() -> MemoryCheckpoints:
    return MemoryCheckpoints()


@pytest.fixture
def world(tmp_path: Path, checkpoints: MemoryCheckpoints) -> Iterator[TenantWorld]:
    world = TenantWorld(tmp_path, checkpoints, VirtualClock())
    yield world
    world.close()


@pytest.fixture
def red(world: TenantWorld) -> Token:
    return world.key("red")


@pytest.fixture
def blue(world: TenantWorld) -> Token:
    return world.key("blue")


@pytest.fixture
def everybody(world: TenantWorld) -> Token:
    return world.key(None)


def test_another_tenant_s_id_is_an_unknown_id_on_every_route(world: TenantWorld, red: Token, blue: Token) -> None:
    world.upload(blue, GUIDE, path="done.md")
    world.upload(blue, TOO_SHORT, path="failed.md")
    world.upload(blue, NOTE, path="deleted.md")
    world.work()
    world.ask(blue, "DELETE", f"/api/documents/{world.id('blue/deleted.md')}")
    world.upload(blue, NOTE, path="waiting.md")
    before = world.list(blue)
    assert sorted(one["status"] for one in before["documents"]) == ["COMPLETED", "FAILED", "PENDING"]

    routes = routes_of_documents(world)
    assert len(routes) >= 10
    unknown = str(uuid.uuid4())
    for name in ("done.md", "failed.md", "deleted.md", "waiting.md"):
        id = world.id(f"blue/{name}")
        for method, path in routes:
            for query in ("", "?wait=0.01", "?limit=1&cursor=1", "?limit=0", "?wait=x", "?width=99", "?from=0&to=9"):
                theirs = world.ask(red, method, path.replace("ID", id) + query)
                nobody_s = world.ask(red, method, path.replace("ID", unknown) + query)
                assert seen(theirs, id) == seen(nobody_s, unknown), (method, path, query, name)
                assert theirs.status_code in (400, 404)
        theirs, nobody_s = (
            world.ask(red, "POST", "/internal/callback", json={"documentId": which, "success": False})
            for which in (id, unknown)
        )
        assert seen(theirs, id) == seen(nobody_s, unknown)
        refused(theirs, 404, "NOT_FOUND")
    assert world.list(blue) == before
    world.work()
    assert world.query(blue, QUESTION).json["results"][0]["filename"] == "blue/done.md"


def test_who_knows_the_etag_of_another_tenant_s_answer_learns_nothing(
    world: TenantWorld, red: Token, blue: Token
) -> None:
    world.upload(blue, GUIDE, path="done.md")
    world.work()
    id, unknown = world.id("blue/done.md"), str(uuid.uuid4())
    known = 0
    for path in [path for method, path in routes_of_documents(world) if method == "GET"]:
        etag = world.ask(blue, "GET", path.replace("ID", id)).headers.get("ETag")
        known += etag is not None
        for asked in (etag or '"x"', "*"):
            theirs, nobody_s = (
                world.client.get(path.replace("ID", which), headers={**bearer(red), "If-None-Match": asked})
                for which in (id, unknown)
            )
            assert (theirs.status_code, seen(theirs, id)) == (404, seen(nobody_s, unknown)), path
    assert known >= 2


def test_a_tenant_has_all_routes_for_its_own_documents(world: TenantWorld, red: Token, blue: Token) -> None:
    world.upload(red, GUIDE, path="a.md")
    world.work()
    id = world.id("red/a.md")
    assert world.ask(red, "GET", f"/api/documents/{id}").json["status"] == "COMPLETED"
    assert world.ask(red, "GET", f"/api/documents/{id}/content").data == GUIDE
    assert b"nightly backup" in world.ask(red, "GET", f"/api/documents/{id}/text").data
    assert world.ask(red, "GET", f"/api/documents/{id}/chunks").json["total"] == 1
    assert world.ask(red, "POST", f"/api/documents/{id}/retry").status_code == 202
    assert world.query(red, QUESTION).json["results"][0]["documentId"] == id
    assert world.ask(red, "DELETE", f"/api/documents/{id}").status_code == 204
    world.work()
    assert world.list(red) == {"documents": [], "total": 0}
    assert world.query(red, QUESTION).json == {"results": [], "warnings": ["There are no documents yet."]}


def test_a_listing_has_and_counts_the_caller_s_documents(
    world: TenantWorld, red: Token, blue: Token, everybody: Token
) -> None:
    for number in range(3):
        world.upload(red, GUIDE + b"%d" % number, path=f"{number}.md")
        world.upload(blue, GUIDE + b"%d" % number, path=f"{number}.md")
    world.upload(blue, TOO_SHORT, path="failed.md")
    world.upload(everybody, NOTE, path="top.md")
    world.work()

    pages, parameters = [], {"limit": 2}
    while True:
        page = world.list(red, **parameters)
        pages.append(page)
        if "nextCursor" not in page:
            break
        parameters = {"limit": 2, "cursor": page["nextCursor"]}
    assert [page["total"] for page in pages] == [3, 3]
    assert {one["filename"] for page in pages for one in page["documents"]} == {f"red/{n}.md" for n in range(3)}
    assert world.list(red, status="FAILED") == {"documents": [], "total": 0}
    assert world.list(blue, status="FAILED")["total"] == 1
    assert world.list(world.key("nobody")) == {"documents": [], "total": 0}
    assert world.list(everybody)["total"] == 8
    counts = [world.ask(key, "GET", "/api/counts").json for key in (red, blue, everybody, world.key("nobody"))]
    assert [(one["failed"], one["total"]) for one in counts] == [(0, 3), (1, 4), (1, 8), (0, 0)]
    their_place = world.list(blue, limit=1)["nextCursor"]
    assert {one["filename"][:4] for one in world.list(red, cursor=their_place)["documents"]} <= {"red/"}


def test_a_question_is_asked_of_the_caller_s_documents(
    world: TenantWorld, red: Token, blue: Token, everybody: Token
) -> None:
    world.upload(red, NOTE, path="note.md")
    world.work()
    alone = world.query(red, QUESTION, topK=100).json
    for number in range(30):
        world.upload(blue, GUIDE + b"And %d more.\n" % number, path=f"{number}.md")
    world.upload(blue, NOTE, path="note.md")
    world.work()

    assert world.query(red, QUESTION, topK=100).json == alone
    assert [result["filename"] for result in alone["results"]] == ["red/note.md"]
    ids = [world.id("blue/1.md"), world.id("blue/note.md")]
    for theirs, nobody_s in [
        ({"documentIds": ids}, {"documentIds": [str(uuid.uuid4())]}),
        ({"pathPrefix": "blue"}, {"pathPrefix": "nowhere"}),
        ({"pathPrefix": "blue/note.md"}, {"pathPrefix": "nowhere"}),
        ({"tags": ["ops"]}, {"tags": ["unknown"]}),
    ]:
        assert seen(world.query(red, QUESTION, filter=theirs)) == seen(world.query(red, QUESTION, filter=nobody_s))
        assert world.query(blue, QUESTION, filter=theirs).json["results"]
    results = world.query(everybody, QUESTION, topK=100).json["results"]
    found = {source["filename"] for result in results for source in result["sources"]}
    assert {"red/note.md", "blue/note.md", "blue/0.md"} <= found


def test_paths_may_leave_the_tenant_s_folder_out(world: TenantWorld, red: Token) -> None:
    for number, (path, name) in enumerate(
        [
            ("a.md", "red/a.md"),
            ("red/b.md", "red/b.md"),
            ("/red/c.md", "red/c.md"),
            ("./red\\d.md", "red/d.md"),
            ("blue/e.md", "red/blue/e.md"),
            ("RED/f.md", "red/RED/f.md"),
            ("redder/g.md", "red/redder/g.md"),
            ("red", "red/red"),
        ]
    ):
        data = GUIDE + b"%d" % number
        taken = world.upload(red, data, path=path)
        assert (taken.status_code, taken.json["filename"], taken.json["id"]) == (202, name, world.id(name)), path
        begun = world.ask(red, "POST", "/api/uploads", json={"path": path, "size": 9, "replace": True})
        assert (begun.status_code, begun.json["id"]) == (201, world.id(name)), path
        assert world.ask(red, "GET", f"/api/documents/{world.id(name)}/content").data == data
    assert world.upload(red, NOTE, "notes/note.md").json["filename"] == "red/note.md"
    world.work()

    def found(prefix: str) -> set[str]:
        results = world.query(red, QUESTION, topK=100, filter={"pathPrefix": prefix}).json["results"]
        return {source["filename"] for result in results for source in result["sources"]}

    assert found("red/blue") == found("blue") == found("blue/e.md") == {"red/blue/e.md"}
    assert found("red") == found("red/") and len(found("red")) == 9


@pytest.mark.parametrize(
    "path", ["../blue/a.md", "red/../blue/a.md", "..\\blue\\a.md", "red//a.md", "a/\u202eb.md", "red/"]
)
def test_no_path_leads_out_of_the_tenant_s_folder(world: TenantWorld, red: Token, path: str) -> None:
    refused(world.upload(red, GUIDE, path=path), 400, "INVALID_PATH")
    refused(world.ask(red, "POST", "/api/uploads", json={"path": path, "size": 1}), 400, "INVALID_PATH")


def test_a_name_is_checked_with_the_folder(world: TenantWorld, checkpoints: MemoryCheckpoints) -> None:
    key = world.key(".well-known")
    refused(world.upload(key, GUIDE, path="acme-challenge/a.md"), 400, "INVALID_PATH")
    long = "/".join(["a" * 200] * 5)
    refused(world.upload(key, GUIDE, path=f"{long}/{'a' * 15}.md"), 400, "INVALID_PATH")


def test_an_upload_says_nothing_of_another_tenant_s_file(
    world: TenantWorld, red: Token, blue: Token, everybody: Token
) -> None:
    world.upload(blue, GUIDE, path="a.md")
    world.upload(everybody, GUIDE, path="green/a.md")
    for path in ("a.md", "blue/a.md", "green/a.md"):
        assert world.upload(red, NOTE, path=path).status_code == 202
        assert world.ask(red, "POST", "/api/uploads", json={"path": f"big/{path}", "size": 9}).status_code == 201
    refused(world.upload(red, GUIDE, path="a.md"), 409, "ALREADY_EXISTS")
    assert "red/a.md" in refused(
        world.ask(red, "POST", "/api/uploads", json={"path": "a.md", "size": 9}), 409, "ALREADY_EXISTS"
    )


def test_a_signed_upload_goes_into_the_tenant_s_folder(world: TenantWorld, red: Token, blue: Token) -> None:
    world.upload(blue, NOTE, path="big.md")
    begun = world.ask(red, "POST", "/api/uploads", json={"path": "big.md", "size": len(GUIDE)}).json
    taken = world.client.put(begun["url"], data=GUIDE, headers=begun["headers"])
    assert taken.status_code == 202 and taken.json is not None
    assert (taken.json["filename"], taken.json["id"]) == ("red/big.md", begun["id"])
    assert world.ask(blue, "GET", f"/api/documents/{world.id('blue/big.md')}/content").data == NOTE


def test_a_caller_for_all_tenants_gives_full_names(world: TenantWorld, red: Token, everybody: Token) -> None:
    for name in ("red/a.md", "top.md"):
        assert world.upload(everybody, GUIDE, path=name).json["filename"] == name
    world.work()
    assert [one["filename"] for one in world.list(red)["documents"]] == ["red/a.md"]
    (result,) = world.query(everybody, QUESTION).json["results"]
    assert {source["filename"] for source in result["sources"]} == {"red/a.md", "top.md"}
    for name in ("red/a.md", "top.md"):
        assert world.ask(everybody, "GET", f"/api/documents/{world.id(name)}").status_code == 200


def test_a_key_of_a_tenant_is_refused_where_documents_have_no_tenant(
    tmp_path: Path, checkpoints: MemoryCheckpoints
) -> None:
    world = TenantWorld(tmp_path, checkpoints, VirtualClock(), tenancy="none")
    try:
        red, everybody = world.key("red"), world.key(None)
        world.upload(everybody, GUIDE, path="red/a.md")
        id = world.id("red/a.md")
        answers = [
            world.ask(red, "GET", "/api/documents"),
            world.ask(red, "GET", f"/api/documents/{id}"),
            world.ask(red, "GET", f"/api/documents/{uuid.uuid4()}"),
            world.query(red, QUESTION),
            world.upload(red, GUIDE),
        ]
        for answer in answers:
            assert "`tenancy` is none" in refused(answer, 403, "FORBIDDEN")
        assert world.list(everybody)["total"] == 1
    finally:
        world.close()


def test_public_queries_and_tenants_exclude_each_other(tmp_path: Path, checkpoints: MemoryCheckpoints) -> None:
    with pytest.raises(ConfigurationError, match="public_query"):
        TenantWorld(tmp_path, checkpoints, VirtualClock(), public_query=True)


def test_until_the_reindex_one_tenant_cannot_be_searched(tmp_path: Path, checkpoints: MemoryCheckpoints) -> None:
    before = TenantWorld(tmp_path, checkpoints, VirtualClock(), tenancy="none")
    before.upload(before.key(None), GUIDE, path="red/a.md")
    before.work()
    before.close()
    world = TenantWorld(tmp_path, checkpoints, VirtualClock())
    try:
        red = world.key("red")
        answer = world.query(red, QUESTION)
        assert (answer.status_code, answer.json["error"]) == (503, "UNAVAILABLE")
        assert "ragbase reindex" in answer.json["message"] and "Retry-After" in answer.headers
        assert world.ask(red, "GET", f"/api/documents/{world.id('red/a.md')}/chunks").json["total"] == 1
        assert world.query(world.key(None), QUESTION).json["results"]
    finally:
        world.close()


def test_a_question_to_too_many_tenants_can_name_some(
    world: TenantWorld, red: Token, everybody: Token, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("red/a.md", "blue/a.md", "green/deep/a.md", "top.md"):
        world.upload(everybody, GUIDE, path=name)
    world.work()
    monkeypatch.setattr("ragbase.retrieval.search_tenants.MOST_TENANTS", 2)
    assert "4 tenants" in refused(world.query(everybody, QUESTION), 400, "TENANT_NEEDED")
    assert world.query(red, QUESTION).json["results"]
    for prefix, name in {"red/": "red/a.md", "green/deep": "green/deep/a.md", "blue/a.md": "blue/a.md"}.items():
        (result,) = world.query(everybody, QUESTION, filter={"pathPrefix": prefix}).json["results"]
        assert [source["filename"] for source in result["sources"]] == [name]
    nothing = world.query(everybody, QUESTION, filter={"pathPrefix": "nowhere/a"}).json
    assert nothing == {"results": [], "warnings": ["No document matches pathPrefix."]}
