"""POST /retrieval is answered as Dify publishes it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragbase.access.caller import Scope
from ragbase.access.daily_limits import Limited
from ragbase.access.token import Token
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.foreign_schemas import checked
from tests.functions.guarded import api, bearer
from tests.functions.tenant_world import TenantWorld
from tests.functions.test_vector_stores import GUIDE, NOTE, QUESTION

BOTH = ["red/guide.md", "red/note.md"]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TenantWorld]:
    """No test changes it."""
    world = TenantWorld(tmp_path_factory.mktemp("home"), MemoryCheckpoints(), VirtualClock())
    red = world.key("red")
    for name, data in {"guide.md": GUIDE, "note.md": NOTE}.items():
        world.upload(red, data, path=f"red/{name}")
    world.upload(world.key("blue"), NOTE, path="blue/note.md")
    world.work()
    yield world
    world.close()


@pytest.fixture
def red(world: TenantWorld) -> Token:
    return world.key("red")


def body(**fields: Any) -> dict[str, Any]:
    setting = {"top_k": 5, "score_threshold": 0.0}
    return {"knowledge_id": "ragbase", "query": QUESTION, "retrieval_setting": setting, **fields}


def ask(world: TenantWorld, key: Token, **fields: Any) -> Any:
    return world.ask(key, "POST", "/retrieval", json=body(**fields))


def names(answer: Any) -> list[str]:
    return sorted(one["metadata"]["filename"] for one in checked(answer, "dify", "records")["records"])


def error(answer: Any, status: int) -> Any:
    return checked(answer, "dify", "error", status)


def test_records_are_the_passages(world: TenantWorld, red: Token) -> None:
    best = checked(ask(world, red, metadata_condition=None), "dify", "records")["records"][0]
    own = world.query(red, QUESTION).json["results"][0]
    assert (best["content"], best["score"], best["title"]) == (own["content"], own["score"], "Backups")
    assert best["metadata"]["document_id"] == own["documentId"]
    place = best["metadata"]["char_start"]
    assert place == own["metadata"]["charStart"] and isinstance(place, int), "Dify shows the number as it is written"
    assert names(ask(world, red, knowledge_id="vs_red")) == BOTH
    assert len(names(ask(world, red, retrieval_setting={"top_k": 1, "score_threshold": 0}))) == 1
    scores = [one["score"] for one in ask(world, red).json["records"]]
    between = {"top_k": 5, "score_threshold": sum(scores) / 2}
    assert names(ask(world, red, retrieval_setting=between)) == ["red/guide.md"]
    assert checked(ask(world, red, retrieval_setting={"top_k": 5, "score_threshold": 1}), "dify", "records") == {
        "records": []
    }


@pytest.mark.parametrize(
    ("compared", "found"),
    [
        (("is", "author", "Ann"), BOTH[:1]),
        (("=", "level", 5), BOTH[1:]),
        ((">", "level", 3), BOTH[1:]),
        (("<", "level", 5), BOTH[:1]),
        (("≥", "level", 3), BOTH),
        (("≤", "level", 3), BOTH[:1]),
        (("after", "date", "2024-03-01"), BOTH[1:]),
        (("before", "date", "2024-05-01"), BOTH[:1]),
        (("in", "author", ["Ann", "Bob"]), BOTH),
        (("in", "author", "Ann, Bob,"), BOTH),
        (("in", "level", [5, 4.5]), BOTH[1:]),
        (("in", "level", [3, "5"]), BOTH),
        (("=", "level", "5.0"), BOTH[1:]),
        (("≥", "level", "3"), BOTH),
    ],
)
def test_conditions_are_heeded(
    world: TenantWorld, red: Token, compared: tuple[str, str, object], found: list[str]
) -> None:
    operator, name, value = compared
    one = {"name": name, "comparison_operator": operator, "value": value}
    assert names(ask(world, red, metadata_condition={"conditions": [one]})) == found
    other = {"name": "author", "comparison_operator": "is", "value": "Eve"}
    both = {"conditions": [one, other]}
    assert names(ask(world, red, metadata_condition={"logical_operator": "and", **both})) == []
    assert names(ask(world, red, metadata_condition={"logical_operator": "or", **both})) == found


def test_no_condition_is_none(world: TenantWorld, red: Token) -> None:
    """Dify sends null for what is not set."""
    none: list[Any] = [None, {"conditions": []}, {"logical_operator": "or", "conditions": []}, {"conditions": None}]
    for condition in none:
        assert names(ask(world, red, metadata_condition=condition)) == BOTH
    one = {"name": "level", "comparison_operator": "=", "value": 5}
    assert names(ask(world, red, metadata_condition={"logical_operator": None, "conditions": [one]})) == BOTH[1:]


@pytest.mark.parametrize(
    "operator",
    ["contains", "not contains", "start with", "end with", "is not", "not in", "≠", "empty", "not empty", "like"],
)
def test_an_operator_that_is_not_supported_is_refused(world: TenantWorld, red: Token, operator: str) -> None:
    condition = {"conditions": [{"name": "author", "comparison_operator": operator, "value": "A"}]}
    said = error(ask(world, red, metadata_condition=condition), 400)
    assert said["error_code"] == 400
    assert f"`author` can't be compared by '{operator}'. Use one of is, =, in" in said["error_msg"]


@pytest.mark.parametrize(
    ("operator", "value", "said"),
    [
        ("is", None, "`level` is compared by is with one value"),
        ("is", ["3", "5"], "`level` is compared by is with one value"),
        ("is", {"a": 1}, "`metadata_condition.conditions.0.value`: Input has none of the forms that it may have. Send"),
        ("in", None, "`level` is compared by in with a list"),
        ("in", " , ", "`level` is compared by in with a list"),
        ("in", [], "`level` is compared by in with a list"),
        ("in", [True], "`metadata_condition.conditions.0.value"),
        ("in", [[3]], "`metadata_condition.conditions.0.value"),
        ("≥", "high", "`level` is compared by ≥ with a number"),
        ("before", 1_709_251_200, "`level` is compared by before with a day"),
        ("after", "yesterday", "`level` is compared by after with a day"),
    ],
)
def test_a_condition_needs_a_value_for_its_operator(
    world: TenantWorld, red: Token, operator: str, value: object, said: str
) -> None:
    condition = {"conditions": [{"name": "level", "comparison_operator": operator, "value": value}]}
    assert said in error(ask(world, red, metadata_condition=condition), 400)["error_msg"]


def test_too_many_tenants_to_ask_all_are_asked_by_their_stores(
    world: TenantWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragbase.retrieval.search_tenants.MOST_TENANTS", 1)
    everybody = world.key(None)
    said = error(ask(world, everybody), 400)["error_msg"]
    assert "Ask the store of one tenant, vs_ and its name" in said and "pathPrefix" not in said
    assert names(ask(world, everybody, knowledge_id="vs_red")) == BOTH


def test_a_key_without_an_order_is_not_compared_by_one(world: TenantWorld, red: Token) -> None:
    condition = {"conditions": [{"name": "title", "comparison_operator": "≥", "value": "B"}]}
    said = error(ask(world, red, metadata_condition=condition), 400)["error_msg"]
    assert "`title` can't be compared by ≥, as it has no order. Name what it equals." in said


REFUSED_BY_DIFY = (403, 404, 502)
"""The statuses for which Dify does not save an endpoint (check_endpoint_and_api_key in its source)."""
SAVED: list[dict[str, Any]] = [
    {},
    {"json": {"knowledge_id": "", "query": "", "retrieval_setting": {"top_k": 1, "score_threshold": 0.0}}},
]
"""What Dify sends when an endpoint is saved: older versions nothing, newer ones this."""


@pytest.mark.parametrize("sent", SAVED)
def test_dify_saves_an_endpoint_with_a_key_that_may_search_and_no_other(
    world: TenantWorld, red: Token, sent: dict[str, Any]
) -> None:
    assert world.ask(red, "POST", "/retrieval", **sent).status_code not in REFUSED_BY_DIFY
    writer = world.keys.create("writer", scopes=[Scope.WRITE], tenant="red")[1]
    for key in ("mistyped", f"{str(red)[:-1]}{'1' if str(red)[-1] == '0' else '0'}", str(writer)):
        answer = world.client.post("/retrieval", headers=bearer(key), **sent)
        assert error(answer, 403)["error_code"] == 1002 and "WWW-Authenticate" not in answer.headers


@pytest.mark.parametrize(
    "shown", [{"headers": {"Via": "1.1 ssrf-proxy"}}, {"environ_base": {"REMOTE_ADDR": "192.0.2.1"}}]
)
def test_a_server_without_a_password_refuses_another_machine(tmp_path: Path, shown: dict[str, Any]) -> None:
    with api(tmp_path) as client:
        assert client.post("/retrieval", json={}).status_code == 400
        said = error(client.post("/retrieval", json={}, **shown), 403)
        assert said["error_code"] == 1002 and "ragbase keys create" in said["error_msg"]


def test_errors_have_the_codes_of_dify(world: TenantWorld, red: Token) -> None:
    nothing = world.client.post("/retrieval", json=body())
    assert error(nothing, 401)["error_code"] == 1001 and nothing.headers["WWW-Authenticate"] == "Bearer"
    basic = world.client.post("/retrieval", json=body(), headers={"Authorization": "Basic eDp4"})
    assert error(basic, 403)["error_code"] == 1001
    unknown = world.client.post("/retrieval", json=body(), headers=bearer("none"))
    assert error(unknown, 403)["error_code"] == 1002
    writer = world.keys.create("writer", scopes=[Scope.WRITE], tenant="red")[1]
    assert error(ask(world, writer), 403)["error_code"] == 1002
    theirs = error(ask(world, red, knowledge_id="vs_blue"), 404)
    assert theirs["error_code"] == 2001
    assert (
        theirs["error_msg"].replace("blue", "none") == error(ask(world, red, knowledge_id="vs_none"), 404)["error_msg"]
    )
    wrong = error(ask(world, red, retrieval_setting={"top_k": 0, "score_threshold": 0}), 400)
    assert wrong["error_code"] == 400 and "`retrieval_setting.top_k`" in wrong["error_msg"]
    assert "`model` is unknown" in error(ask(world, red, model="m"), 400)["error_msg"]
    limited = world.keys.create("limited", scopes=Scope, tenant="red", limits={Limited.REQUESTS: 1})[1]
    assert ask(world, limited).status_code == 200
    answer = ask(world, limited)
    assert error(answer, 429)["error_code"] == 429 and "Retry-After" in answer.headers
