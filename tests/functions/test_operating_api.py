"""/api/sources, /api/reconciliation, /api/audit and /api/tenants: what the operator sees of the whole deployment."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ragbase.access.caller import Scope
from ragbase.access.token import Token
from ragbase.domain.audit import Action
from ragbase.engine.due_sources import work_on_due_sources
from ragbase.interfaces.http.janitor import answer_janitor
from ragbase.messages.api.reconciliation import Example, FailedDocument, Reconciliation
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from ragbase.upkeep.reconcile.last_report import CHECKPOINT, MOST_ERRORS, keep_report
from tests.functions.guarded import bearer, refused
from tests.functions.tenant_world import TenantWorld

GUIDE = b"# Backups\n\nThe nightly backup starts at 02:30 and is kept for ninety days.\n"


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def world(tmp_path: Path, clock: VirtualClock) -> Iterator[TenantWorld]:
    world = TenantWorld(tmp_path / "home", MemoryCheckpoints(), clock, tenant_limits="requests=100")
    yield world
    world.close()


@pytest.fixture
def operator(world: TenantWorld) -> Token:
    return world.key(None)


def get(world: TenantWorld, key: Token, path: str, **parameters: Any) -> Any:
    answer = world.ask(key, "GET", path, query_string=parameters)
    assert answer.status_code == 200, answer.data
    return answer.json


def describe(world: TenantWorld, text: str) -> None:
    world.profile.config.home.mkdir(exist_ok=True)
    (world.profile.config.home / "sources.toml").write_text(text)


def test_sources_have_their_last_run_and_the_next(
    world: TenantWorld, operator: Token, tmp_path: Path, clock: VirtualClock
) -> None:
    docs = tmp_path / "secret place" / "handbook"
    docs.mkdir(parents=True)
    (docs / "a.md").write_bytes(GUIDE)
    describe(world, f'[handbook]\naddress = "{docs}"\nevery_minutes = 60\n')
    (before,) = get(world, operator, "/api/sources")["sources"]
    assert (before["name"], before["address"], before["state"]) == ("handbook", "handbook", "never ran")
    assert "startedAt" not in before

    work_on_due_sources(world.profile, until=clock.now() + timedelta(minutes=5))

    (after,) = get(world, operator, "/api/sources")["sources"]
    assert (after["state"], after["counts"]["added"], after["counts"]["failed"]) == ("done", 1, 0)
    assert after["nextRunAt"] > after["endedAt"]
    assert "secret place" not in str(after)


def test_a_mistake_in_the_file_of_the_sources_is_told(world: TenantWorld, operator: Token) -> None:
    assert get(world, operator, "/api/sources") == {"sources": []}
    describe(world, '[handbook]\naddress = "https://docs.example.com/"\nevery = 5\n')
    told = get(world, operator, "/api/sources")
    assert told["sources"] == [] and "[handbook]" in told["error"]
    assert str(world.profile.config.home) not in told["error"]


def report(**fields: Any) -> Reconciliation:
    counts = dict.fromkeys(("in_step", "in_motion", "missing", "stale", "orphaned", "stuck", "unlabelled", "left"), 0)
    return Reconciliation(**{**counts, "complete": True, "examples": (), "errors": (), **fields})


def example(number: int) -> Example:
    return Example(kind="missing", document_id=str(number), filename=f"{number}.md", found="nothing", repaired=True)


def test_the_last_comparison_is_kept(world: TenantWorld, operator: Token, clock: VirtualClock) -> None:
    assert get(world, operator, "/api/reconciliation") == {}
    checkpoints = world.profile.checkpoints
    keep_report(report(in_step=5, missing=1, examples=(example(1),)), checkpoints, now=clock.now())
    told = get(world, operator, "/api/reconciliation")
    assert told["report"]["inStep"] == 5 and told["report"]["examples"][0]["filename"] == "1.md"
    keep_report(report(in_step=7), checkpoints, now=clock.now())
    assert get(world, operator, "/api/reconciliation")["report"]["inStep"] == 7
    checkpoints.save(CHECKPOINT, "of another version")
    assert get(world, operator, "/api/reconciliation") == {}


def test_the_janitor_leaves_its_report(world: TenantWorld, operator: Token) -> None:
    world.upload(operator, GUIDE, path="red/a.md")
    world.work()
    assert answer_janitor(world.profile).status_code == 200
    told = get(world, operator, "/api/reconciliation")
    assert told["report"]["complete"] and told["report"]["inStep"] + told["report"]["inMotion"] >= 1
    assert told["at"]


def test_the_calls_of_one_comparison_are_one_report(clock: VirtualClock, world: TenantWorld, operator: Token) -> None:
    checkpoints = world.profile.checkpoints

    def call(**fields: Any) -> Any:
        keep_report(report(**fields), checkpoints, now=clock.now(), goes_on=True)
        return get(world, operator, "/api/reconciliation")["report"]

    many = tuple(FailedDocument(document_id=str(one), filename=f"{one}.md", reason="It fails.") for one in range(15))
    call(in_step=100, missing=4, examples=tuple(map(example, range(4))), errors=many, complete=False)
    told = call(in_step=50, missing=3, examples=tuple(map(example, range(4, 7))), errors=many, complete=True)
    assert (told["inStep"], told["missing"], told["complete"]) == (150, 7, True)
    assert [one["filename"] for one in told["examples"]] == [f"{number}.md" for number in range(5)]
    assert len(told["errors"]) == MOST_ERRORS
    assert call() == told, "between two comparisons, nothing is compared"
    assert call(in_step=10, complete=False)["inStep"] == 10, "another one begins"


def test_who_did_what_is_listed_page_by_page(world: TenantWorld, operator: Token) -> None:
    red = world.key("red")
    id = world.upload(red, GUIDE, path="a.md").json["id"]
    for number in range(5):
        world.query(red, f"question {number}")
    get(world, red, "/api/documents")
    found: list[Any] = []
    parameters: dict[str, Any] = {"limit": 2}
    while True:
        page = get(world, operator, "/api/audit", **parameters)
        found += page["entries"]
        if "nextCursor" not in page:
            break
        parameters["cursor"] = page["nextCursor"]
    assert [entry["number"] for entry in found] == [*range(len(found), 0, -1)]
    queries = get(world, operator, "/api/audit", action="question.query", caller=f"key:{red.id}")["entries"]
    assert len(queries) == 5 and {one["caller"] for one in queries} == {f"key:{red.id}"}
    for document in (id, "red/a.md"):
        about = get(world, operator, "/api/audit", document=document)["entries"]
        assert {one["document"] for one in about} == {id} and "document.upload" in {one["action"] for one in about}
    assert get(world, operator, "/api/audit", since="2999-01-01T00:00:00Z") == {"entries": []}
    assert len(get(world, operator, "/api/audit", since=found[3]["at"])["entries"]) >= 4


@pytest.mark.parametrize(
    "parameters",
    [
        {"action": "document.read"},
        {"since": "yesterday"},
        {"since": "0.5"},
        {"since": "2025-06-01T09:30:00"},
        {"cursor": "1.2"},
        {"cursor": "1.2.a.b"},
        {"cursor": "1.2." + "a" * 33},
        {"limit": "1000"},
        {"caller": "x" * 201},
    ],
    ids=str,
)
def test_nonsense_is_refused(world: TenantWorld, operator: Token, parameters: dict[str, str]) -> None:
    answer = world.ask(operator, "GET", "/api/audit", query_string=parameters)
    assert next(iter(parameters)) in refused(answer, 400, "INVALID_REQUEST")


@pytest.mark.parametrize("cursor", ["0.0.main", "9999999999999999.1.main", "1.999999999999.nothing"])
def test_a_cursor_of_nothing_is_a_place(world: TenantWorld, operator: Token, cursor: str) -> None:
    get(world, operator, "/api/audit", cursor=cursor)


def test_tenants_are_listed_with_their_documents_and_limits(world: TenantWorld, operator: Token) -> None:
    for tenant in ("blue", "green", "red"):
        world.upload(world.key(tenant), GUIDE + tenant.encode(), path="a.md")
    world.upload(world.key("red"), b"", path="empty.md")
    world.work()
    first = get(world, operator, "/api/tenants", limit=2)
    assert [one["tenant"] for one in first["tenants"]] == ["blue", "green"]
    (red,) = get(world, operator, "/api/tenants", limit=2, cursor=first["nextCursor"])["tenants"]
    assert (red["tenant"], red["documents"], red["failed"]) == ("red", 2, 1)
    assert red["limits"]["requests"]["limit"] == 100 and red["limits"]["requests"]["used"] >= 2


def test_a_key_of_a_tenant_sees_that_tenant_alone(world: TenantWorld) -> None:
    for tenant in ("blue", "red"):
        world.upload(world.key(tenant), GUIDE, path="a.md")
    world.work()
    told = get(world, world.key("red"), "/api/tenants")
    assert [one["tenant"] for one in told["tenants"]] == ["red"] and "nextCursor" not in told
    assert get(world, world.key("nobody"), "/api/tenants")["tenants"][0]["documents"] == 0
    assert get(world, world.key("red"), "/api/tenants", cursor="zzz") == {"tenants": []}


@pytest.mark.parametrize(
    "rights",
    [
        {"scopes": [Scope.READ], "tenant": "red"},
        {"scopes": [Scope.READ]},
        {"scopes": [Scope.WRITE]},
        {"scopes": Scope, "prefixes": ["red/"]},
        {"scopes": Scope, "tenant": "red", "prefixes": ["reports/"]},
    ],
    ids=str,
)
def test_any_other_key_sees_no_tenants(world: TenantWorld, rights: dict[str, Any]) -> None:
    _, token = world.keys.create("other", **rights)
    refused(world.client.get("/api/tenants", headers=bearer(token)), 403, "FORBIDDEN")


def test_without_tenants_there_are_none(tmp_path: Path, clock: VirtualClock) -> None:
    world = TenantWorld(tmp_path / "none", MemoryCheckpoints(), clock, tenancy="none")
    world.upload(world.key(None), GUIDE, path="a.md")
    world.work()
    assert get(world, world.key(None), "/api/tenants") == {"tenants": []}
    world.close()


def test_every_action_has_a_name_that_can_be_asked_for(world: TenantWorld, operator: Token) -> None:
    for action in Action:
        get(world, operator, "/api/audit", action=action.value)
