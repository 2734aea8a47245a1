"""OpenAI's vector stores over HTTP: what is answered is as OpenAI publishes it, within the rights of the caller."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ragbase.access.caller import Scope
from ragbase.access.daily_limits import Limited
from ragbase.access.token import Token
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.foreign_schemas import checked
from tests.functions.guarded import bearer
from tests.functions.tenant_world import TenantWorld

GUIDE = b"""---
title: Backups
tags: [ops, night]
date: 2024-03-01
level: 3
author: Ann
---
# Backups

The nightly backup starts at 02:30 and is kept for ninety days.
"""
NOTE = b"""---
title: Boilers
date: 2024-05-01
level: 5
author: Bob
---
# Boilers

The boiler of the house is inspected once a year, and the backup valve is opened by a friend.
"""
QUESTION = "When does the nightly backup start?"
STORES = "/v1/vector_stores"


@contextmanager
def filled(home: Path) -> Iterator[TenantWorld]:
    """Red has two documents, and one that has failed. Blue has one."""
    world = TenantWorld(home, MemoryCheckpoints(), VirtualClock())
    red, blue = world.key("red"), world.key("blue")
    for name, data in {"guide.md": GUIDE, "note.md": NOTE, "short.md": b"No.\n"}.items():
        world.upload(red, data, path=f"red/{name}")
        world.profile.clock.advance(timedelta(seconds=1))
    world.upload(blue, NOTE, path="blue/note.md")
    world.work()
    yield world
    world.close()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[TenantWorld]:
    with filled(tmp_path) as world:
        yield world


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TenantWorld]:
    """The same for tests that only ask."""
    with filled(tmp_path_factory.mktemp("home")) as world:
        yield world


@pytest.fixture
def red(world: TenantWorld) -> Token:
    return world.key("red")


@pytest.fixture
def everybody(world: TenantWorld) -> Token:
    return world.key(None)


def search(world: TenantWorld, key: Token, query: object = QUESTION, *, store: str = "ragbase", **fields: Any) -> Any:
    return world.ask(key, "POST", f"{STORES}/{store}/search", json={"query": query, **fields})


def names(answer: Any) -> list[str]:
    return [one["filename"] for one in checked(answer, "openai", "search_results")["data"]]


def error(answer: Any, status: int) -> dict[str, Any]:
    found: dict[str, Any] = checked(answer, "openai", "error", status)["error"]
    return found


def test_a_search_finds_passages_with_their_places(world: TenantWorld, red: Token) -> None:
    found = checked(search(world, red), "openai", "search_results")
    best, own = found["data"][0], world.query(red, QUESTION).json["results"][0]
    assert found["search_query"] == [QUESTION] and not found["has_more"]
    assert (best["file_id"], best["filename"], best["score"]) == (own["documentId"], own["filename"], own["score"])
    assert best["content"] == [{"type": "text", "text": own["content"]}]
    place = best["attributes"]
    assert (place["title"], place["tags"], place["date"]) == ("Backups", "ops, night", "2024-03-01")
    assert (place["char_start"], place["char_end"]) == (own["metadata"]["charStart"], own["metadata"]["charEnd"])


def test_a_caller_sees_the_own_stores(world: TenantWorld, red: Token, everybody: Token) -> None:
    def listed(key: Token, **parameters: Any) -> list[str]:
        answer = world.ask(key, "GET", STORES, query_string=parameters)
        return [one["id"] for one in checked(answer, "openai", "vector_stores")["data"]]

    assert listed(everybody) == ["ragbase", "vs_blue", "vs_red"]
    assert listed(everybody, limit=1, after="ragbase") == ["vs_blue"]
    assert listed(everybody, order="asc") == listed(everybody, order="desc") == listed(everybody)
    assert listed(red) == ["ragbase", "vs_red"]
    assert listed(world.key_of_folders("blue/note.md")) == ["ragbase", "vs_blue"]
    for parameters in ({"order": "name"}, {"before": "vs_red"}, {"after": "vs_none"}, {"limit": 0}):
        message = error(world.ask(everybody, "GET", STORES, query_string=parameters), 400)["message"]
        assert f"`{next(iter(parameters))}`" in message
    shown = checked(world.ask(red, "GET", f"{STORES}/vs_red"), "openai", "vector_store")
    assert shown["file_counts"] == {"in_progress": 0, "completed": 2, "failed": 1, "cancelled": 0, "total": 3}
    whole = checked(world.ask(everybody, "GET", f"{STORES}/ragbase"), "openai", "vector_store")
    assert whole["file_counts"]["total"] == 4


@pytest.mark.parametrize(("data", "end"), [(GUIDE, "completed"), (b"No.\n", "failed")])
def test_a_store_begins_with_its_first_document(
    world: TenantWorld, everybody: Token, red: Token, data: bytes, end: str
) -> None:
    """A client waits for a file as soon as it is uploaded."""
    world.upload(everybody, data, path="green/first.md")
    path = f"{STORES}/vs_green/files/{world.id('green/first.md')}"
    others = (red, world.key_of_folders("red"))
    for key in others:
        error(world.ask(key, "GET", f"{STORES}/vs_green"), 404)
    for key in (everybody, world.key("green"), world.key_of_folders("green")):
        assert checked(world.ask(key, "GET", path), "openai", "vector_store_file")["status"] == "in_progress"
        assert checked(world.ask(key, "GET", f"{STORES}/vs_green"), "openai", "vector_store")["status"] == "in_progress"
        assert names(search(world, key, store="vs_green")) == []
    world.work()
    for key in (everybody, world.key("green"), world.key_of_folders("green")):
        assert checked(world.ask(key, "GET", path), "openai", "vector_store_file")["status"] == end
    for key in (*others, world.key_of_folders("green/other")):
        error(world.ask(key, "GET", path), 404)
    none, theirs = (world.ask(key, "GET", f"{STORES}/vs_{id}") for key, id in ((everybody, "none"), (red, "green")))
    assert error(theirs, 404)["message"].replace("green", "none") == error(none, 404)["message"]


def test_another_tenant_s_store_is_an_unknown_one(world: TenantWorld, red: Token) -> None:
    for method, rest in (("GET", ""), ("POST", "/search"), ("GET", "/files")):
        body = {"json": {"query": QUESTION}} if method == "POST" else {}
        theirs, none = (world.ask(red, method, f"{STORES}/{id}{rest}", **body) for id in ("vs_blue", "vs_none"))
        assert error(theirs, 404) == {**error(none, 404), "message": error(theirs, 404)["message"]}
        assert error(theirs, 404)["message"].replace("blue", "none") == error(none, 404)["message"]
    assert names(search(world, red)) == ["red/guide.md", "red/note.md"]


def test_a_store_of_one_tenant_has_no_document_of_another(world: TenantWorld, everybody: Token) -> None:
    assert names(search(world, everybody, store="vs_blue")) == ["blue/note.md"]
    path = f"{STORES}/vs_blue/files/{world.id('red/guide.md')}"
    for method, rest in (("GET", ""), ("GET", "/content"), ("DELETE", "")):
        error(world.ask(everybody, method, path + rest), 404)
    assert names(search(world, everybody, store="vs_red", max_num_results=1)) == ["red/guide.md"]


def test_without_tenants_there_is_one_store(tmp_path: Path) -> None:
    world = TenantWorld(tmp_path, MemoryCheckpoints(), VirtualClock(), tenancy="none")
    key = world.key(None)
    world.upload(key, GUIDE, path="red/guide.md")
    world.work()
    assert [one["id"] for one in world.ask(key, "GET", STORES).json["data"]] == ["ragbase"]
    assert names(search(world, key)) == ["red/guide.md"]
    error(search(world, key, store="vs_red"), 404)
    assert names(search(world, world.key_of_folders("blue"))) == []
    world.close()


def test_files_are_listed_in_pages_newest_first(world: TenantWorld, red: Token) -> None:
    def page(**parameters: Any) -> Any:
        answer = world.ask(red, "GET", f"{STORES}/vs_red/files", query_string=parameters)
        return checked(answer, "openai", "vector_store_files")

    own = [one["id"] for one in world.list(red)["documents"]]
    first = page(limit=2)
    assert [one["id"] for one in first["data"]] == own[:2] == [first["first_id"], first["last_id"]]
    assert first["has_more"]
    last = page(limit=2, after=first["last_id"])
    assert [one["id"] for one in last["data"]] == own[2:] and not last["has_more"]
    (failed,) = page(filter="failed")["data"]
    assert failed["attributes"] == {"filename": "red/short.md"}
    assert failed["last_error"]["code"] == "invalid_file" and "characters" in failed["last_error"]["message"]
    assert [len(page(filter=one)["data"]) for one in ("completed", "in_progress", "cancelled")] == [2, 0, 0]
    world.upload(red, GUIDE, path="red/new.md")
    (waiting,) = page(filter="in_progress")["data"]
    assert waiting["status"] == "in_progress" and waiting["usage_bytes"] == len(GUIDE)
    for parameters in ({"order": "asc"}, {"limit": 101}, {"after": "none"}, {"before": own[0]}, {"filter": "done"}):
        message = error(world.ask(red, "GET", f"{STORES}/vs_red/files", query_string=parameters), 400)["message"]
        assert f"`{next(iter(parameters))}`" in message


@pytest.mark.parametrize("filter", [{}, {"filter": "in_progress"}])
def test_files_of_one_time_are_each_listed_once(world: TenantWorld, filter: dict[str, str]) -> None:
    green = world.key("green")
    for number in range(5):
        world.upload(green, GUIDE, path=f"green/{number}.md")
    found, after, has_more = list[str](), dict[str, str](), True
    while has_more:
        answer = world.ask(green, "GET", f"{STORES}/vs_green/files", query_string={"limit": 2, **filter, **after})
        page = checked(answer, "openai", "vector_store_files")
        found += [one["id"] for one in page["data"]]
        after, has_more = {"after": page["last_id"]}, page["has_more"]
    assert found == [one["id"] for one in world.list(green)["documents"]]


def test_attributes_are_no_longer_than_openai_allows(world: TenantWorld, red: Token) -> None:
    name = f"red/{'/'.join(['deep' * 50] * 4)}.md"
    world.upload(red, GUIDE.replace(b"Backups", b"Backups, " * 30), path=name)
    world.work()
    file = checked(world.ask(red, "GET", f"{STORES}/vs_red/files/{world.id(name)}"), "openai", "vector_store_file")
    assert file["attributes"] == {"filename": name[:512]}
    found = checked(search(world, red, filters=compared("eq", "file_id", file["id"])), "openai", "search_results")
    assert found["data"][0]["filename"] == name


def test_files_can_be_deleted_while_their_list_is_read(world: TenantWorld, red: Token) -> None:
    """Then the `after` of the next page is a file that is deleted. To others, it is none."""
    path, after, deleted, has_more = f"{STORES}/vs_red/files", dict[str, str](), list[str](), True
    while has_more:
        answer = world.ask(red, "GET", path, query_string={"limit": 1, **after})
        page = checked(answer, "openai", "vector_store_files")
        for one in page["data"]:
            checked(world.ask(red, "DELETE", f"{path}/{one['id']}"), "openai", "deleted_file")
            deleted.append(one["attributes"]["filename"])
        after, has_more = {"after": page["last_id"]}, page["has_more"]
    assert deleted == ["red/short.md", "red/note.md", "red/guide.md"]
    theirs = world.ask(world.key("blue"), "GET", f"{STORES}/ragbase/files", query_string=after)
    none = world.ask(world.key("blue"), "GET", f"{STORES}/ragbase/files", query_string={"after": "none"})
    assert error(theirs, 400) == error(none, 400)
    folder = world.key_of_folders("red/other")
    assert error(world.ask(folder, "GET", path, query_string=after), 400) == error(none, 400)


def test_a_file_has_its_text_and_can_be_deleted(world: TenantWorld, red: Token) -> None:
    path = f"{STORES}/ragbase/files/{world.id('red/guide.md')}"
    assert checked(world.ask(red, "GET", path), "openai", "vector_store_file")["status"] == "completed"
    (text,) = checked(world.ask(red, "GET", f"{path}/content"), "openai", "file_content")["data"]
    assert "starts at 02:30" in text["text"]
    failed = f"{STORES}/ragbase/files/{world.id('red/short.md')}/content"
    assert error(world.ask(red, "GET", failed), 409)["code"] == "text_gone"
    reader = world.keys.create("reader", scopes=[Scope.READ], tenant="red")[1]
    assert error(world.ask(reader, "DELETE", path), 403)["code"] == "forbidden"
    deleted = checked(world.ask(red, "DELETE", path), "openai", "deleted_file")
    assert deleted["deleted"] and deleted["id"] == world.id("red/guide.md")
    assert names(search(world, red)) == ["red/note.md"]
    assert world.ask(red, "GET", f"/api/documents/{deleted['id']}").status_code == 404
    error(world.ask(red, "GET", path), 404)


BOTH = ["red/guide.md", "red/note.md"]


def compared(type: str, key: str, value: object) -> dict[str, object]:
    return {"type": type, "key": key, "value": value}


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        (compared("eq", "author", "ann"), BOTH[:1]),
        (compared("in", "author", ["Ann", "Bob", "Eve"]), BOTH),
        (compared("eq", "level", 5), BOTH[1:]),
        (compared("gt", "level", 3), BOTH[1:]),
        (compared("gte", "level", 3), BOTH),
        (compared("lt", "level", 5), BOTH[:1]),
        (compared("lte", "level", 5), BOTH),
        (compared("eq", "date", "2024-03-01"), BOTH[:1]),
        (compared("gt", "date", "2024-03-01"), BOTH[1:]),
        (compared("lt", "date", "2024-05-01"), BOTH[:1]),
        (compared("lte", "date", "2024-05-01"), BOTH),
        (compared("eq", "title", "Boilers"), BOTH[1:]),
        (compared("eq", "tag", "ops"), BOTH[:1]),
        (compared("in", "tag", ["ops", "night"]), BOTH[:1]),
        (compared("eq", "path_prefix", "red/note.md"), BOTH[1:]),
        (compared("in", "path_prefix", ["note.md", "guide.md"]), BOTH),
        (compared("in", "format", ["md", "pdf"]), BOTH),
        (compared("eq", "format", "pdf"), []),
        ({"type": "and", "filters": [compared("eq", "tag", "ops"), compared("eq", "tag", "night")]}, BOTH[:1]),
        ({"type": "and", "filters": [compared("gt", "level", 3), compared("lt", "level", 5)]}, []),
        ({"type": "or", "filters": [compared("eq", "author", "Bob"), compared("eq", "tag", "ops")]}, BOTH),
        (
            {
                "type": "and",
                "filters": [
                    {"type": "or", "filters": [compared("eq", "level", 3), compared("eq", "level", 5)]},
                    compared("eq", "author", "Bob"),
                ],
            },
            BOTH[1:],
        ),
    ],
)
def test_filters_are_heeded(unchanged: TenantWorld, filters: object, found: list[str]) -> None:
    assert sorted(names(search(unchanged, unchanged.key("red"), filters=filters))) == found
    id = unchanged.id("red/note.md")
    assert names(search(unchanged, unchanged.key("red"), filters=compared("in", "file_id", [id]))) == ["red/note.md"]


def test_what_an_answer_shows_is_compared_or_refused(world: TenantWorld, red: Token) -> None:
    """Nothing is taken for a key of the front matter, which would find nothing without a word."""
    guide = checked(search(world, red), "openai", "search_results")["data"][0]
    file = checked(world.ask(red, "GET", f"{STORES}/vs_red/files/{guide['file_id']}"), "openai", "vector_store_file")
    setting = {"top_k": 1, "score_threshold": 0.0}
    wanted = {"knowledge_id": "ragbase", "query": QUESTION, "retrieval_setting": setting}
    (record,) = world.ask(red, "POST", "/retrieval", json=wanted).json["records"]
    others = {"page": 1, "row": 1, "url": "https://a.example"}  # of other documents
    shown = guide["attributes"] | file["attributes"] | record["metadata"] | others
    answers = {key: search(world, red, filters=compared("eq", key, value)) for key, value in shown.items()}
    assert {key for key, answer in answers.items() if answer.status_code == 200} == {"title", "date"}
    assert all(names(answers[key]) == ["red/guide.md"] for key in ("title", "date"))
    for key in shown.keys() - {"title", "date"}:
        assert f"`filters`: `{key}` can't be compared" in error(answers[key], 400)["message"]


NO_QUERY = (
    "`query`: Input has none of the forms that it may have. Send a text of 1 to 1000 characters, or 1 to 10 of them."
)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"filters": compared("ne", "author", "Ann")}, "ne is not supported"),
        ({"filters": compared("nin", "author", ["Ann"])}, "nin is not supported"),
        ({"filters": compared("like", "author", "Ann")}, "one of eq"),
        ({"filters": compared("in", "author", "Ann")}, "`value` of in"),
        ({"filters": compared("eq", "author", None)}, "`value` is a text"),
        ({"filters": compared("gt", "author", "Ann")}, "`author` is compared by gt with a number"),
        ({"filters": compared("gt", "level", 10**400)}, "64-bit float"),
        ({"filters": compared("gt", "title", "B")}, "`title` can't be compared by gt"),
        ({"filters": compared("gt", "format", "md")}, "`format` can't be compared by gt"),
        ({"filters": compared("eq", "format", "exe")}, "`format`"),
        ({"filters": compared("in", "filename", ["red/note.md"])}, "`filename` can't be compared. Use `path_prefix`."),
        ({"filters": compared("eq", "path_prefix", "/guides")}, "`path_prefix`: a name in the bucket does not begin"),
        ({"filters": compared("eq", "url_prefix", "")}, "`url_prefix` is compared with a text of at least one"),
        ({"filters": compared("in", "file_id", ["a", ""])}, "`file_id` is compared with a text of at least one"),
        ({"filters": compared("eq", "tag", 5)}, "`tag` is compared with a text."),
        ({"filters": compared("in", "file_id", ["a", 5])}, "`file_id` is compared with a text."),
        ({"filters": compared("in", "file_id", ["a"] * 101)}, "not 101. Send 1 to 100 ids of documents."),
        ({"filters": compared("eq", " ", 5)}, "` `: a key has 1 to 60 characters."),
        ({"filters": compared("gt", "level", 1.7976931348623157e308)}, "`level`: a number has to be finite"),
        (
            {"filters": {"type": "and", "filters": [compared("eq", "author", "Ann"), compared("eq", "level", "")]}},
            "`filters`: `level`: a text has 1 to 200 characters.",
        ),
        (
            {"filters": {"type": "and", "filters": [compared("eq", f"key{number}", 1) for number in range(21)]}},
            "more than 20 comparisons of front matter",
        ),
        ({"filters": compared("eq", "date", "today")}, "`date`"),
        ({"filters": compared("gt", "date", "9999-12-31")}, "no day beyond"),
        ({"filters": {**compared("eq", "a", 1), "b": 2}}, "has the fields"),
        ({"filters": {"type": "and", "filters": []}}, "one or more filters"),
        ({"filters": {"type": "and", "filters": [compared("eq", "title", "A")] * 2}}, "twice"),
        ({"filters": compared("in", "a", [*range(11)])}, "more than 10 alternatives"),
        ({"filters": {"type": "and", "filters": [compared("in", "a", [1, 2, 3, 4])] * 2}}, "more than 10"),
        ({"filters": compared("in", "a", [1, 2, 3, 4]), "query": ["a", "b", "c"]}, "more than 10 searches"),
        ({"filters": {}}, "`type` is one of"),
        ({"filters": "author = Ann"}, "`filters`"),
        ({"rewrite_query": True}, "`rewrite_query`"),
        ({"ranking_options": {"ranker": "default-2024-11-15"}}, "`ranking_options.ranker`"),
        ({"ranking_options": {"score_threshold": 2}}, "`ranking_options.score_threshold`"),
        ({"ranking_options": {"hybrid_search": {}}}, "`ranking_options.hybrid_search` is unknown"),
        ({"max_num_results": 51}, "`max_num_results`"),
        ({"max_num_results": 0}, "`max_num_results`"),
        ({"query": 5}, NO_QUERY),
        ({"query": ""}, NO_QUERY),
        ({"query": []}, NO_QUERY),
        ({"query": {"text": "a"}}, NO_QUERY),
        ({"query": ["", 5]}, NO_QUERY),
        ({"topK": 3}, "`topK` is unknown"),
    ],
)
def test_what_cannot_be_done_is_refused_with_a_reason(
    unchanged: TenantWorld, fields: dict[str, Any], said: str
) -> None:
    answer = search(unchanged, unchanged.key("red"), **{"query": QUESTION, **fields})
    found = error(answer, 400)
    assert (found["type"], found["code"]) == ("invalid_request_error", "invalid_request")
    assert said in found["message"] and found["message"].count("`query`") == (said == NO_QUERY)


def test_several_queries_give_one_list(world: TenantWorld, red: Token) -> None:
    queries = [QUESTION, "When is the boiler inspected?"]
    found = checked(search(world, red, queries), "openai", "search_results")
    scores = [one["score"] for one in found["data"]]
    alone = [search(world, red, one).json["data"] for one in queries]
    assert found["search_query"] == queries and scores == sorted(scores, reverse=True)
    assert sorted(one["filename"] for one in found["data"]) == BOTH
    best = {name: max(one["score"] for data in alone for one in data if one["filename"] == name) for name in BOTH}
    assert {one["filename"]: one["score"] for one in found["data"]} == best
    assert len(search(world, red, queries, max_num_results=1).json["data"]) == 1


def test_a_threshold_is_heeded(world: TenantWorld, red: Token) -> None:
    scores = [one["score"] for one in search(world, red, ranking_options={"ranker": "none"}).json["data"]]
    between = sum(scores) / 2
    assert len(search(world, red, ranking_options={"ranker": "auto", "score_threshold": between}).json["data"]) == 1


def test_errors_have_the_shape_of_openai(world: TenantWorld, red: Token) -> None:
    nobody = world.client.get(STORES)
    assert error(nobody, 401)["code"] == "invalid_api_key" and nobody.headers["WWW-Authenticate"] == "Bearer"
    error(world.client.get(STORES, headers=bearer("sk-proj-none")), 401)
    body = {"data": b"{" + b" " * 70_000, "content_type": "application/json"}
    assert error(world.ask(red, "POST", f"{STORES}/ragbase/search", **body), 413)["code"] == "request_entity_too_large"
    error(world.ask(red, "POST", f"{STORES}/ragbase/search", data=b"query"), 415)
    limited = world.keys.create("limited", scopes=Scope, tenant="red", limits={Limited.REQUESTS: 1})[1]
    assert search(world, limited).status_code == 200
    answer = search(world, limited)
    assert error(answer, 429)["type"] == "rate_limit_error" and int(answer.headers["Retry-After"]) > 0
    for method, path in (("POST", STORES), ("DELETE", f"{STORES}/ragbase"), ("POST", "/v1/files")):
        answer = world.ask(red, method, path, json={"name": "new"})
        assert "POST /api/documents" in error(answer, answer.status_code)["message"]
        assert answer.status_code in (404, 405)
